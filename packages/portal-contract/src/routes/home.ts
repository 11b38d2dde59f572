import type { HomeChart, HomeFigures, HomeWork, OpenAuthorizationPage } from '../answers/home.ts'
import type { ChartRange } from '../chart-ranges.ts'
import { get } from '../route.ts'

interface SiteQuery {
  readonly site?: string
}

interface OpenAuthorizationsQuery extends SiteQuery {
  /** `true`: those that expire within three days. */
  readonly soon?: 'true'
  /** The end of the page before: the time and the order of its last authorization. */
  readonly after?: string
  readonly afterOrder?: string
}

/** The home page, and the list of open authorizations. */
export const home = {
  figures: get('/home', 'home.see').answers<HomeFigures, { query: SiteQuery }>(),
  chart: get('/home/chart', 'home.see').answers<
    HomeChart,
    { query: SiteQuery & { readonly range: ChartRange } }
  >(),
  work: get('/home/work', 'home.see').answers<HomeWork, { query: SiteQuery }>(),
  openAuthorizations: get('/open-authorizations', 'orders.see').answers<
    OpenAuthorizationPage,
    { query: OpenAuthorizationsQuery }
  >(),
}
