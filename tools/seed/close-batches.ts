import type pg from 'pg'
import type { OwnerSession } from './owner-session.ts'
import type { SampleSite } from './sample-merchant.ts'

const WEEK_MS = 7 * 86_400_000
const LOOK_EVERY_MS = 50

/** Closes the batches of a site's account, as its owner does in the portal. */
export interface BatchCloser {
  /**
   * Closes the open batch if a week of the site's time has passed since the last close.
   *
   * @param at the site's time, in milliseconds since 1970
   */
  closeAfterAWeek(at: number): Promise<void>
}

/**
 * A batch is closed by the machine's clock. The sample's year passes in minutes, so each close is
 * dated by the site's clock afterwards; the audit log keeps the real time.
 */
export async function createBatchCloser(
  pool: pg.Pool,
  { call }: OwnerSession,
  { account }: SampleSite,
): Promise<BatchCloser> {
  const openBatch = async () => {
    const { rows } = await pool.query<{ id: string; opened_at: Date }>(
      'select id, opened_at from batches where merchant_account_id = $1 and closed_at is null',
      [account],
    )
    const [row] = rows
    if (row === undefined) throw new Error(`Account ${account} has no open batch.`)
    return row
  }
  /** A capture that the bank has not answered would go into the next batch. */
  const untilAnswered = async (id: string): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query(
        `select from advices where batch_id = $1 and state = 'queued' limit 1`,
        [id],
      )
      if (rows.length === 0) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
  let openedAt = (await openBatch()).opened_at.getTime()
  return {
    async closeAfterAWeek(at) {
      if (at < openedAt + WEEK_MS) return
      const { id } = await openBatch()
      const { rows } = await pool.query(
        `select from transactions
          where batch_id = $1 and state = 'approved' and kind in ('sale', 'capture', 'refund')
          limit 1`,
        [id],
      )
      // An empty batch cannot be closed; authorizations alone leave it empty.
      if (rows.length === 0) return
      await untilAnswered(id)
      await call('POST', `/batches/${id}/close`)
      const time = new Date(at)
      await pool.query('update batches set closed_at = $2 where id = $1', [id, time])
      await pool.query('update batches set opened_at = $2 where id = $1', [
        (await openBatch()).id,
        time,
      ])
      openedAt = at
    },
  }
}
