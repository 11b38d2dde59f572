import type pg from 'pg'
import type { DueRow, DueRows } from '../../../usecases/clocks/due-rows.ts'
import type { ClockedSite } from '../../../usecases/clocks/due-source.ts'

const FOUND_AT_ONCE = 64

/**
 * Expires at `expires_at`; the condition holds at most for what is in the partial index that leads
 * there.
 */
function expiringRows(pool: pg.Pool, table: string, id: string, isOpen: string): DueRows {
  const open = `from ${table} where ${isOpen} and site_id = $1 and mode = 'test'`
  const read = async (text: string, values: readonly unknown[]): Promise<DueRow[]> => {
    const { rows } = await pool.query<{ at: Date; id: string }>(text, [...values])
    return rows.map((row) => ({ at: row.at, id: BigInt(row.id) }))
  }
  const find = (site: ClockedSite, until: Date, limit: number): Promise<DueRow[]> =>
    read(
      `select expires_at as at, ${id} as id ${open} and expires_at <= $2 order by expires_at, ${id} limit $3`,
      [site.id, until, limit],
    )
  return {
    async nextDue(site, until) {
      const [first] = await find(site, until, 1)
      return first?.at ?? null
    },
    find: (site, until) => find(site, until, FOUND_AT_ONCE),
    upcoming: (site, after, limit) =>
      read(
        `select expires_at as at, ${id} as id ${open}
            and expires_at >= $2 and (expires_at, ${id}) > ($2, $3) order by expires_at, ${id} limit $4`,
        [site.id, after.at, after.id, limit],
      ),
  }
}

export const expiringOrders = (pool: pg.Pool): DueRows =>
  expiringRows(pool, 'orders', 'id', `state = 'authorized' and released_at is null`)

export const expiringCardTokens = (pool: pg.Pool): DueRows =>
  expiringRows(pool, 'card_tokens', 'id', 'pan_ciphertext is not null')

export const expiringAuthentications = (pool: pg.Pool): DueRows =>
  expiringRows(
    pool,
    'three_ds_authentications',
    'transaction_id',
    `state in ('asking', 'challenge', 'result')`,
  )
