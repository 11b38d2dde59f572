import type pg from 'pg'
import { pause } from './repeated-request.ts'
import type { Stage } from './stage.ts'

/** An event as a shop's program read it. */
export interface ReadEvent {
  readonly id: string
  readonly type: string
  readonly object: { readonly type: string; readonly id: string }
  readonly sequence: number
  readonly recorded_at: string
  /** Null for events of a whole merchant. */
  readonly site_id: string | null
  readonly data: { readonly trans_id?: string }
}

export interface FeedFollower {
  /** Everything that was read, in the sequence of the feed. */
  readonly events: readonly ReadEvent[]
  /** Answers that a client must never get while nothing is lost, such as 410; a sentence each. */
  readonly faults: readonly string[]
  /** Reads to the end, once nothing changes any more. No end in time is a fault. */
  untilEnd(deadlineMs: number): Promise<void>
  stop(): Promise<void>
}

const LOGIN = Buffer.from('demo@tollgate.test:Sandbox-4.14-demo').toString('base64')
const WAIT_S = 5
const PATIENCE_MS = 15_000
const PAUSE_MS = 100

/** Follows the feed through all kills, and begins each request at the cursor of the last answer. */
export function followFeed({ baseUrls, pool }: Pick<Stage, 'baseUrls' | 'pool'>): FeedFollower {
  const events: ReadEvent[] = []
  const faults: string[] = []
  let cursor = ''
  let stopped = false
  let wakeAtEnd: (() => void) | null = null

  async function readPage(baseUrl: string): Promise<void> {
    const wait = wakeAtEnd === null ? WAIT_S : 0
    const query = new URLSearchParams({ wait: String(wait), limit: '1000' })
    if (cursor !== '') query.set('after', cursor)
    const answer = await fetch(`${baseUrl}/api/v1/events?${query}`, {
      headers: { authorization: `Basic ${LOGIN}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const body = (await answer.json()) as {
      readonly events?: readonly ReadEvent[]
      readonly cursor?: string
      readonly has_more?: boolean
    }
    if (answer.status >= 500 || answer.status === 429) throw new Error(`HTTP ${answer.status}`)
    if (answer.status !== 200 || body.events === undefined || body.cursor === undefined) {
      faults.push(`events: the feed answered ${answer.status} behind event ${events.length}`)
      stopped = true
      return
    }
    events.push(...body.events)
    cursor = body.cursor
    if (body.events.length === 0 && body.has_more !== true && (await isEmpty(pool))) wakeAtEnd?.()
  }

  const following = (async () => {
    for (let turn = 0; !stopped; turn += 1) {
      try {
        await readPage(baseUrls[turn % baseUrls.length] ?? '')
      } catch {
        // A dead or paused gateway: the other one answers.
        await pause(PAUSE_MS)
      }
    }
  })()

  return {
    events,
    faults,
    async untilEnd(deadlineMs) {
      const end = Promise.withResolvers<boolean>()
      wakeAtEnd = () => end.resolve(true)
      const timer = setTimeout(() => end.resolve(false), deadlineMs)
      const isRead = await end.promise.finally(() => clearTimeout(timer))
      if (!isRead) faults.push('events: the feed did not come to its end')
      stopped = true
      await following
    },
    async stop() {
      stopped = true
      await following
    },
  }
}

/** Whether every fact has its event. */
async function isEmpty(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from event_outbox limit 1')
  return rowCount === 0
}
