import { createForecast } from '../../../domain/memberships/forecast.ts'
import type { Mode, Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { MembershipBook } from './memberships.ts'

/** The charges of a site's memberships if every one is approved. */
export interface SiteForecast {
  readonly siteId: bigint
  readonly mode: Mode
  /** The time of the site's clock; its days, in UTC, are the forecast's. */
  readonly now: Date
  readonly until: Date
  /** Days on which something happens. */
  readonly days: readonly {
    readonly day: string
    readonly charges: readonly {
      readonly currency: string
      readonly renewals: number
      readonly retries: number
      readonly minor: bigint
    }[]
    readonly ends: number
  }[]
}

const DAY_MS = 86_400_000
const FORECAST_DAYS = 30

/** Goes through every membership of the site by the calendar that charges them. */
export async function forecastRenewals(
  book: Pick<MembershipBook, 'readUpcoming'>,
  { id, mode, merchantId, clock }: Site,
): Promise<SiteForecast> {
  const now = clock.now()
  const until = new Date(now.getTime() + FORECAST_DAYS * DAY_MS)
  const forecast = createForecast(now, until)
  for await (const piece of book.readUpcoming({ id, mode, merchantId }, until)) {
    for (const { membership } of piece) forecast.add(membership)
  }
  const days = forecast.days().map(({ day, charges, ends }) => ({
    day,
    charges: [...charges].map(([currency, sum]) => ({ currency, ...sum })),
    ends,
  }))
  return { siteId: id, mode, now, until, days }
}
