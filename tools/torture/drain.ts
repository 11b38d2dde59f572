import type pg from 'pg'

export interface OpenWorkLeft {
  readonly running: number
  readonly queued: number
}

const LOOK_EVERY_MS = 250
const TELL_EVERY_MS = 5_000

/**
 * Waits until no transaction is running and no advice is queued. Jobs take up the leftovers of a
 * crash after their own waiting times, so this lasts half a minute and more.
 * @returns the open counts at the deadline: zeros when all is done.
 */
export async function drain(
  pool: pg.Pool,
  deadlineMs: number,
  tell: (line: string) => void,
): Promise<OpenWorkLeft> {
  const end = performance.now() + deadlineMs
  let nextLine = performance.now() + TELL_EVERY_MS
  let left: OpenWorkLeft = { running: -1, queued: -1 }
  while (performance.now() < end) {
    left = await look(pool).catch(() => left)
    if (left.running === 0 && left.queued === 0) return left
    if (performance.now() >= nextLine) {
      nextLine += TELL_EVERY_MS
      tell(`draining: ${left.running} transactions running, ${left.queued} advices queued`)
    }
    await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS))
  }
  return left
}

async function look(pool: pg.Pool): Promise<OpenWorkLeft> {
  const { rows } = await pool.query<OpenWorkLeft>(
    `select (select count(*)::int from transactions where state = 'running') as running,
            (select count(*)::int from advices where state = 'queued') as queued`,
  )
  return rows[0] ?? { running: -1, queued: -1 }
}
