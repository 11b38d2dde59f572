import type pg from 'pg'
import type { Clock } from '../../../base/clock.ts'
import type { SiteClocks } from '../../../usecases/clocks/site-clocks.ts'
import { clockOf } from '../../../usecases/clocks/stored-clock.ts'
import { remember } from '../connection/remember.ts'
import { readSiteClock } from './site-clock-rows.ts'

/**
 * Finds a site's clock by its id alone. The set of sites with a clock of their own is cached for
 * two seconds, so that all others cost no query. A clock itself is read each time.
 */
export function createSiteClocks(
  pool: pg.Pool,
  machine: Clock,
  monotonicMs: () => number,
): SiteClocks {
  const ownClocks = remember(monotonicMs, async () => {
    const { rows } = await pool.query<{ site_id: string }>('select site_id from site_clocks')
    return new Set(rows.map(({ site_id: id }) => id))
  })
  return {
    async of(siteId) {
      if (!(await ownClocks('')).has(siteId.toString())) return machine
      const stored = await readSiteClock(pool, siteId)
      return stored === null ? machine : clockOf(stored, machine)
    },
  }
}
