import type pg from 'pg'
import type { StoredClock } from '../../../usecases/clocks/stored-clock.ts'

/** A row of site_clocks; all null where a site was joined with none. */
export interface SiteClockRow {
  readonly site_at: Date | null
  readonly real_at: Date | null
  readonly speed: number | null
  readonly target_at: Date | null
}

/** Columns of `site_clocks c`, for a statement that reads the site anyway. */
export const SITE_CLOCK_COLUMNS = 'c.site_at, c.real_at, c.speed, c.target_at'

/**
 * The sites with a clock of their own, as an array that a statement reads once. `site_id <> all
 * (...)` excludes them and leaves the index scan unchanged.
 */
export const CLOCKED_SITES = 'array(select site_id from site_clocks)'

/**
 * Since when a transaction is running, by the machine's clock, for transactions t, orders o and
 * left joined three_ds_authentications a. A site's own clock may show any time, but messages to the
 * bank are stamped by the machine's. A payment that waited for its customer runs since its
 * authentication was consumed.
 */
export const RUNNING_SINCE = `case when exists (select from site_clocks c where c.site_id = o.site_id)
       then o.message_at else greatest(t.created_at, a.decided_at) end`

/** Null where the site has no clock of its own. */
export function storedClock(row: SiteClockRow | undefined): StoredClock | null {
  if (!row || row.site_at === null || row.real_at === null || row.speed === null) return null
  return { siteAt: row.site_at, realAt: row.real_at, speed: row.speed, targetAt: row.target_at }
}

export async function readSiteClock(pool: pg.Pool, siteId: bigint): Promise<StoredClock | null> {
  const { rows } = await pool.query<SiteClockRow>({
    name: 'read site clock',
    text: `select ${SITE_CLOCK_COLUMNS} from site_clocks c where c.site_id = $1`,
    values: [siteId],
  })
  return storedClock(rows[0])
}
