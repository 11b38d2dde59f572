import { isEvent, type GatewayEvent } from './events.ts'
import { checkConnection, type Connection } from './input.ts'

/** The shop's memory of how far it has read, best in the database of its orders. */
export interface CursorStore {
  /** Null or '' before the first event. */
  read(): Promise<string | null> | string | null
  write(cursor: string): Promise<void> | void
}

/** Events between the shop's cursor and the one to go on from are missing. */
export interface FeedGap {
  /**
   * `cursor-expired`: they are older than the days of retention. `feed-forked`: the database lost
   * events that the shop may have read, and their ids do not come again.
   */
  readonly reason: 'cursor-expired' | 'feed-forked'
  /** The cursor that the gateway no longer follows. */
  readonly from: string
  /** The cursor to go on from. */
  readonly cursor: string
}

/** The feed has a gap, and no `onGap` handles it. Nothing was stored. */
export class FeedGapError extends Error {
  override readonly name = 'FeedGapError'
  readonly gap: FeedGap

  constructor(gap: FeedGap) {
    super(`Events are missing (${gap.reason}). Compare your orders, then store ${gap.cursor}.`)
    this.gap = gap
  }
}

/** The gateway refuses the request, and a repeat would not change that. */
export class FeedRefusedError extends Error {
  override readonly name = 'FeedRefusedError'
  /** The name of the problem, a section of docs/integrators/problems.md; '' for another answer. */
  readonly problem: string
  readonly status: number

  constructor(status: number, problem: string, title: string) {
    super(`The gateway refuses the feed with HTTP status ${status}: ${title}`)
    this.problem = problem
    this.status = status
  }
}

export interface FollowOptions extends Omit<Connection, 'siteId'> {
  readonly store: CursorStore
  /** Types of events, or beginnings of them such as 'payment.'; all by default. */
  readonly types?: readonly string[]
  /** Only events of this site; all by default. */
  readonly siteId?: string | number
  /** How long one request waits for an event, in seconds, 0 to 55. Default: 30. */
  readonly waitS?: number
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /**
   * Called for missing events: compare your orders with the gateway's. Once it has returned, the
   * iteration goes on from the new cursor. Without it, the iteration throws FeedGapError.
   */
  readonly onGap?: (gap: FeedGap) => Promise<void> | void
  /** Called with each failure that is tried again. */
  readonly onRetry?: (error: Error) => void
}

const PATH = '/api/v1/events'
const USUAL_WAIT_S = 30
/** On top of the wait: for the answer itself. */
const ANSWER_WITHIN_MS = 15_000
/** Pauses after failures in a row; the last one is for all further ones. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 15_000, 30_000]
const LONGEST_PAUSE_MS = 60_000

/**
 * Every event behind the stored cursor, in the sequence of the feed, and then each new one. The
 * cursor of a page is stored once its last event was handled, that is, when the next one is asked
 * for. After a crash the page comes again, so handle each `id` once. Lost connections and refusals
 * that pass are tried again.
 * @throws FeedRefusedError, FeedGapError, ClientError that names an invalid option
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<GatewayEvent, void> {
  checkConnection({ ...options, siteId: options.siteId ?? 1 })
  const { onGap, onRetry, signal, store } = options
  const isOver = (): boolean => signal?.aborted === true
  let cursor = (await store.read()) ?? ''
  for (let failures = 0; !isOver();) {
    const page = await readPage(options, cursor)
    switch (page.kind) {
      case 'page':
        failures = 0
        yield* page.events
        if (page.cursor !== cursor) await store.write(page.cursor)
        cursor = page.cursor
        break
      case 'gap': {
        const gap = { reason: page.reason, from: cursor, cursor: page.cursor }
        if (onGap === undefined) throw new FeedGapError(gap)
        await onGap(gap)
        await store.write(gap.cursor)
        cursor = gap.cursor
        break
      }
      case 'failed':
        // The end of the iteration breaks the request that waits.
        if (isOver()) return
        onRetry?.(page.error)
        await pause(Math.max(page.waitMs, pauseAfter(failures)), signal)
        failures += 1
    }
  }
}

type Page =
  | { readonly kind: 'page'; readonly events: readonly GatewayEvent[]; readonly cursor: string }
  | { readonly kind: 'gap'; readonly reason: FeedGap['reason']; readonly cursor: string }
  | { readonly kind: 'failed'; readonly error: Error; readonly waitMs: number }

interface Answer {
  readonly status: number
  readonly retryAfterMs: number
  readonly body: Readonly<Record<string, unknown>>
}

async function readPage(options: FollowOptions, cursor: string): Promise<Page> {
  let answer: Answer
  try {
    answer = await request(options, cursor)
  } catch (cause) {
    const error = new Error('The gateway did not answer.', { cause })
    return { kind: 'failed', error, waitMs: 0 }
  }
  const { body, retryAfterMs, status } = answer
  const next = body['cursor']
  const events = body['events']
  if (status === 200 && typeof next === 'string' && Array.isArray(events)) {
    return { kind: 'page', events: events.filter(isEvent), cursor: next }
  }
  const problem = typeof body['type'] === 'string' ? body['type'].replace(/^.*#/, '') : ''
  const isGap = problem === 'cursor-expired' || problem === 'feed-forked'
  if (status === 410 && isGap && typeof next === 'string') {
    return { kind: 'gap', reason: problem, cursor: next }
  }
  const title = typeof body['title'] === 'string' ? body['title'] : 'It is no answer of the feed.'
  const refused = new FeedRefusedError(status, problem, title)
  if (passes(status)) return { kind: 'failed', error: refused, waitMs: retryAfterMs }
  throw refused
}

/** Whether a refusal may be over later: too many requests, a restart, a proxy without a server. */
function passes(status: number): boolean {
  return status === 429 || status === 408 || status >= 500 || status === 200
}

async function request(options: FollowOptions, cursor: string): Promise<Answer> {
  const { baseUrl, password, siteId, types = [], username, waitS = USUAL_WAIT_S } = options
  const url = new URL(PATH, baseUrl)
  url.searchParams.set('wait', String(waitS))
  if (cursor !== '') url.searchParams.set('after', cursor)
  if (types.length > 0) url.searchParams.set('types', types.join(','))
  if (siteId !== undefined) url.searchParams.set('site_id', String(siteId))
  const limit = AbortSignal.timeout(waitS * 1_000 + ANSWER_WITHIN_MS)
  const login = Buffer.from(`${username}:${password}`, 'utf8').toString('base64')
  const response = await (options.fetch ?? fetch)(url, {
    headers: { authorization: `Basic ${login}`, accept: 'application/json' },
    signal: options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]),
    // A redirect would send the password to an address that the merchant did not choose.
    redirect: 'manual',
  })
  const text = await response.text()
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : 0
  return { status: response.status, retryAfterMs, body: readBody(text) }
}

function readBody(text: string): Answer['body'] {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return { ...body }
  } catch {
    // A page of a proxy: the status decides.
  }
  return {}
}

function pauseAfter(failures: number): number {
  return PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake)
    if (signal?.aborted === true) wake()
  })
}
