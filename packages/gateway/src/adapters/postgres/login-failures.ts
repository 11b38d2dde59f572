import type pg from 'pg'
import type { LoginFailures } from '../../usecases/authenticate.ts'

/** How long failures add up, and how long a lock holds. */
const WINDOW = '10 minutes'
/** A lock made by another process is seen here within this time. */
const MEMORY_MS = 1_000

/**
 * Failed logins by user and address, counted in the database so that every node counts the same.
 * Time is the database's: a site's test clock must not open a lock.
 */
export function createLoginFailures(
  pool: pg.Pool,
  limit: number,
  monotonicMs: () => number,
): LoginFailures {
  let locked = new Set<string>()
  let readAt = -Infinity
  let reading: Promise<void> | null = null
  const keyOf = (username: string, address: string): string => `${address} ${username}`

  async function read(): Promise<void> {
    const { rows } = await pool.query<{ username: string; address: string }>(
      'select username, address from login_failures where locked_until > now()',
    )
    locked = new Set(rows.map((row) => keyOf(row.username, row.address)))
    readAt = monotonicMs()
  }

  return {
    async isLocked(username, address) {
      if (monotonicMs() - readAt > MEMORY_MS) {
        reading ??= read().finally(() => (reading = null))
        await reading
      }
      return locked.has(keyOf(username, address))
    },

    async record(username, address) {
      const { rows } = await pool.query<{ locked: boolean }>(
        `insert into login_failures as f (username, address, window_started_at, failures)
         values ($1, $2, now(), 1)
         on conflict (username, address) do update set
           failures = case when f.window_started_at > now() - interval '${WINDOW}'
                           then f.failures + 1 else 1 end,
           window_started_at = case when f.window_started_at > now() - interval '${WINDOW}'
                                    then f.window_started_at else now() end,
           locked_until = case when f.window_started_at > now() - interval '${WINDOW}'
                                and f.failures + 1 >= $3
                               then now() + interval '${WINDOW}' else f.locked_until end
         returning locked_until > now() as locked`,
        [username, address, limit],
      )
      if (rows[0]?.locked === true) locked.add(keyOf(username, address))
    },
  }
}
