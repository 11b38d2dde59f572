import type pg from 'pg'
import { nameWithoutCards } from '../../../domain/logins/caller-name.ts'
import type { LoginAttempts } from '../../../usecases/logins/login-ports.ts'
import { addressToCount } from './allowed-addresses.ts'

/**
 * The unit that is counted, and the duration: failures add up for `minutes`, and a lock holds as
 * long.
 */
export interface AttemptsKind {
  /** Keeps callers of one kind apart from another's. */
  readonly name: 'login' | 'sign-in' | 'second factor' | 'console sign-in' | 'console second factor'
  readonly minutes: 10 | 30
}

export const API_LOGINS: AttemptsKind = { name: 'login', minutes: 10 }
/** An attempt that is open for longer belongs to a process that ended: it counts as a failure. */
const ABANDONED = '2 minutes'
/** A lock made by another process is seen here within this time. */
const MEMORY_MS = 1_000
/**
 * Of so many locks the newest are known beforehand; the others are found when they are asked for.
 */
const LOCKS_LIMIT = 10_000
const FORGET_GROUP = 5_000

/** One statement each; in BEGIN an attempt is counted, or there is no room for it. */
const statements = (window: string) => ({
  BEGIN: `insert into login_failures as f (caller, window_started_at, attempts, open, opened_at)
values ($1, now(), 1, 1, now())
on conflict (caller) do update set
  attempts = case when f.window_started_at > now() - interval '${window}' then f.attempts + 1 else 1 end,
  open = case when f.window_started_at > now() - interval '${window}' then f.open + 1 else 1 end,
  window_started_at = case when f.window_started_at > now() - interval '${window}'
                           then f.window_started_at else now() end,
  opened_at = now(),
  locked_until = null
where (f.locked_until is null or f.locked_until <= now())
  and (f.attempts < $2 or f.window_started_at <= now() - interval '${window}')
returning window_started_at::text as window`,
  LOCKED: `update login_failures set
  locked_until = case when locked_until is null and attempts >= $2
                       and (open = 0 or opened_at < now() - interval '${ABANDONED}')
                      then now() + interval '${window}' else locked_until end
where caller = $1
returning coalesce(locked_until > now(), false) as locked`,
  FAIL: `update login_failures set
  open = greatest(open - 1, 0),
  locked_until = case when attempts - greatest(open - 1, 0) >= $3
                      then now() + interval '${window}' else locked_until end
where caller = $1 and window_started_at = $2::timestamptz
returning attempts - open as failures, coalesce(locked_until > now(), false) as locked`,
})

const WITHDRAW = `update login_failures set
  attempts = greatest(attempts - 1, 0), open = greatest(open - 1, 0)
where caller = $1 and window_started_at = $2::timestamptz`

export interface LoginAttemptStore extends LoginAttempts {
  /** Removes what is neither a lock nor adds up any more, in groups. */
  forgetOld(): Promise<void>
}

/**
 * Attempts to log in by user name and address, counted in the database so that every node counts
 * the same. Time is the database's: a site's test clock must not open a lock.
 *
 * `lane` is a connection of its own, so that a flood of attempts takes none from the payments. A
 * crash of the server's machine may lose the failures of the last half second.
 */
export function createLoginAttempts(
  {
    pool,
    lane,
    digest,
  }: {
    readonly pool: pg.Pool
    readonly lane: pg.Pool
    /** Keyed, and equal in every process: a name may be a password in the wrong field. */
    readonly digest: (text: string) => string
  },
  limit: number,
  monotonicMs: () => number,
  { name: kind, minutes }: AttemptsKind,
): LoginAttemptStore {
  const { BEGIN, LOCKED, FAIL } = statements(`${minutes} minutes`)
  const callerOf = (username: string, address: string): string =>
    digest(`${kind} ${addressToCount(address)} ${nameWithoutCards(username)}`)
  let locked = new Set<string>()
  let readAt = -Infinity
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const { rows } = await pool.query<{ caller: string }>(
      `select caller from login_failures where locked_until > now()
        order by locked_until desc limit ${LOCKS_LIMIT}`,
    )
    locked = new Set(rows.map((row) => row.caller))
    readAt = monotonicMs()
  }

  return {
    isLocked(username, address) {
      const isKnown = (): boolean => locked.size > 0 && locked.has(callerOf(username, address))
      if (monotonicMs() - readAt <= MEMORY_MS) return isKnown()
      reading ??= read().finally(() => (reading = null))
      return reading.then(isKnown)
    },

    async begin(username, address) {
      const caller = callerOf(username, address)
      const begun = await lane.query<{ window: string }>({
        name: `begin ${kind}`,
        text: BEGIN,
        values: [caller, limit],
      })
      const [row] = begun.rows
      if (row !== undefined) return { caller, window: row.window }
      const { rows } = await lane.query<{ locked: boolean }>(LOCKED, [caller, limit])
      if (rows[0]?.locked !== true) return 'full'
      locked.add(caller)
      return 'locked'
    },

    async fail({ caller, window }) {
      const { rows } = await lane.query<{ failures: number; locked: boolean }>({
        name: `fail ${kind}`,
        text: FAIL,
        values: [caller, window, limit],
      })
      // Without a row the window ended meanwhile, and the failure with it.
      const counted = rows[0] ?? { failures: 1, locked: false }
      if (counted.locked) locked.add(caller)
      return counted
    },

    async withdraw({ caller, window }) {
      await lane.query({ name: 'withdraw login attempt', text: WITHDRAW, values: [caller, window] })
    },

    async forgetOld() {
      let removed: number | null
      do {
        const { rowCount } = await lane.query(
          `delete from login_failures where caller = any (array(
             select caller from login_failures
              where window_started_at < now() - interval '1 hour'
                and (locked_until is null or locked_until < now())
              limit ${FORGET_GROUP} for update skip locked))`,
        )
        removed = rowCount
      } while (removed === FORGET_GROUP)
    },
  }
}
