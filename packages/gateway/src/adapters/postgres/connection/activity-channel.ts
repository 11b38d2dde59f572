import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** Announcements between the processes of all nodes on one database. */
export interface ActivityChannel {
  /** Whether announcements arrive: they do not through a pooler that shares connections. */
  isHeard(): boolean
  /** Sends one, outside of every transaction of a payment. A lost one costs a longer wait. */
  announce(): void
  /** Listens from now on, and again after each loss of the connection. */
  start(): void
  stop(): Promise<void>
}

export interface ActivityChannelOptions {
  /** For announcements. */
  readonly pool: pg.Pool
  /** A connection of its own that listens. */
  readonly listening: pg.Pool
  readonly onAnnouncement: () => void
  /** Events of these merchants were numbered; null: of any. */
  readonly onEvents: (merchants: readonly string[] | null) => void
}

const CHANNEL = 'tollgate_activity'
const ACTIVE = 'active'
const EVENTS = 'events '
/** PostgreSQL takes 8,000 bytes in a notification. */
const LONGEST_PAYLOAD = 4_000
/** For the notification that shows whether the connection is a session of ours. */
const PROOF_WITHIN_MS = 5_000
const CHECK_EVERY_MS = 30_000
const RETRY_MS = 1_000

/**
 * Wakes the jobs and followers of every gateway, after a change that none of them was asked for by
 * a request. Never in a transaction: PostgreSQL commits those that notify one after another.
 */
export async function announceActivity(database: Notifying): Promise<void> {
  await notify(database, ACTIVE).catch(() => undefined)
}

/**
 * Wakes those who wait for events of these merchants, in every process. Once for each group of
 * events, and never in a transaction. A lost one costs a longer wait.
 */
export async function announceEvents(
  database: Notifying,
  merchants: readonly string[],
): Promise<void> {
  const listed = `${EVENTS}${merchants.join(',')}`
  await notify(database, listed.length > LONGEST_PAYLOAD ? EVENTS : listed).catch(() => undefined)
}

function merchantsIn(payload: string): readonly string[] | null {
  return payload === EVENTS ? null : payload.slice(EVENTS.length).split(',')
}

type Notifying = Pick<pg.ClientBase | pg.Pool, 'query'>

function notify(database: Notifying, payload: string): Promise<unknown> {
  return database.query('select pg_notify($1, $2)', [CHANNEL, payload])
}

/** LISTEN and NOTIFY. */
export function createActivityChannel(options: ActivityChannelOptions): ActivityChannel {
  const { listening, onAnnouncement, onEvents, pool } = options
  const stopping = new AbortController()
  let heard = false
  let running: Promise<void> = Promise.resolve()

  /** Until the connection is lost or fails a check; false if notifications never arrived. */
  async function listen(): Promise<boolean> {
    const client = await listening.connect()
    const lost = Promise.withResolvers<void>()
    const proof = Promise.withResolvers<void>()
    const token = randomUUID()
    client.on('notification', ({ payload }) => {
      if (payload === token) proof.resolve()
      else if (payload === ACTIVE) onAnnouncement()
      else if (payload?.startsWith(EVENTS) === true) onEvents(merchantsIn(payload))
    })
    client.once('error', () => lost.resolve())
    client.once('end', () => lost.resolve())
    const ends = [lost.promise, aborted(stopping.signal)]
    try {
      await client.query(`listen ${CHANNEL}`)
      await notify(pool, token)
      if (!(await within(proof.promise, PROOF_WITHIN_MS, ends))) return false
      heard = true
      // An announcement from before came too early for this process.
      onAnnouncement()
      onEvents(null)
      while (!(await within(Promise.race(ends), CHECK_EVERY_MS, []))) {
        await client.query('select 1')
      }
      return true
    } finally {
      heard = false
      // Closed rather than reused: it listens.
      client.release(true)
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // The pool has reported the error; until it is over, nothing counts as idle.
      const isSession = await listen().catch(() => true)
      await within(aborted(stopping.signal), isSession ? RETRY_MS : CHECK_EVERY_MS, [])
    }
  }

  return {
    isHeard: () => heard,
    announce: () => void announceActivity(pool),
    start() {
      running = run()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Whether `event` happens before the time is over, and before one of `ends`. */
async function within(
  event: Promise<void>,
  ms: number,
  ends: readonly Promise<void>[],
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  try {
    const ended = ends.map((end) => end.then(() => false))
    return await Promise.race([event.then(() => true), late.promise, ...ended])
  } finally {
    clearTimeout(timer)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
