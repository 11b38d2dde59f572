import type { Clock } from '../../base/clock.ts'

/** For what knows a site by its id only: jobs, and pages that browsers open. */
export interface SiteClocks {
  /** The site's clock as it stands now: the machine's, where it has none of its own. */
  of(siteId: bigint): Promise<Clock>
}
