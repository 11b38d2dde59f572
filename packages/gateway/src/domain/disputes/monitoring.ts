/** A monitoring programme of a network. All of its limits must be reached together. */
export interface MonitoringProgramme {
  readonly name: string
  readonly brand: string
  /** fraud_and_disputes: reports of fraud and charged cases together, as two events of one sale. */
  readonly counts: 'fraud_and_disputes' | 'disputes'
  /** The month whose sales the events are compared with. */
  readonly salesOf: 'this_month' | 'month_before'
  readonly events: number
  readonly ratioBasisPoints: number
  /** Disputed money in cents of US dollars; null: the programme counts events alone. */
  readonly usdCents: bigint | null
  /** The regions of the merchant accounts that it is for. */
  readonly regions: readonly MonitoringRegion[]
  /** ISO 8601 dates; `to` is the last day, or null. */
  readonly from: string
  readonly to: string | null
}

/** Regions with limits of their own. */
export type MonitoringRegion = 'middle_east_and_north_africa' | 'latin_america' | 'others'

const EVERYWHERE: readonly MonitoringRegion[] = [
  'middle_east_and_north_africa',
  'latin_america',
  'others',
]

/** Countries of a region, ISO 3166-1 alpha-2. All that are not listed are of the others. */
const COUNTRIES: Readonly<Record<Exclude<MonitoringRegion, 'others'>, string>> = {
  middle_east_and_north_africa: 'AE BH DZ EG IQ JO KW LB LY MA OM PS QA SA SY TN YE',
  latin_america:
    'AG AI AR AW BB BM BO BQ BR BS BZ CL CO CR CW DM DO EC GD GF GP GT GY HN HT JM KN KY LC MQ ' +
    'MS MX NI PA PE PY SR SV SX TC TT UY VC VE VG',
}

/** The region of a merchant account by its country, ISO 3166-1 alpha-2. */
export function regionOf(country: string): MonitoringRegion {
  const regions = ['middle_east_and_north_africa', 'latin_america'] as const
  return regions.find((region) => COUNTRIES[region].split(' ').includes(country)) ?? 'others'
}

/** The programmes that a merchant falls into. Source: public descriptions, November 2026. */
export const MONITORING_PROGRAMMES: readonly MonitoringProgramme[] = [
  {
    name: 'VAMP merchant excessive',
    brand: 'visa',
    counts: 'fraud_and_disputes',
    salesOf: 'this_month',
    events: 1_500,
    ratioBasisPoints: 220,
    usdCents: null,
    regions: ['others'],
    from: '2025-06-01',
    to: '2026-03-31',
  },
  {
    name: 'VAMP merchant excessive',
    brand: 'visa',
    counts: 'fraud_and_disputes',
    salesOf: 'this_month',
    events: 1_500,
    ratioBasisPoints: 150,
    usdCents: null,
    regions: ['latin_america'],
    from: '2025-06-01',
    to: '2026-03-31',
  },
  {
    name: 'VAMP merchant excessive',
    brand: 'visa',
    counts: 'fraud_and_disputes',
    salesOf: 'this_month',
    events: 1_500,
    ratioBasisPoints: 150,
    usdCents: null,
    regions: ['latin_america', 'others'],
    from: '2026-04-01',
    to: null,
  },
  {
    name: 'VAMP merchant excessive',
    brand: 'visa',
    counts: 'fraud_and_disputes',
    salesOf: 'this_month',
    events: 100,
    ratioBasisPoints: 220,
    usdCents: 7_500_000n,
    regions: ['middle_east_and_north_africa'],
    from: '2025-06-01',
    to: null,
  },
  {
    name: 'Excessive Chargeback Merchant',
    brand: 'mastercard',
    counts: 'disputes',
    salesOf: 'month_before',
    events: 100,
    ratioBasisPoints: 150,
    usdCents: null,
    regions: EVERYWHERE,
    from: '2019-10-01',
    to: null,
  },
  {
    name: 'High Excessive Chargeback Merchant',
    brand: 'mastercard',
    counts: 'disputes',
    salesOf: 'month_before',
    events: 300,
    ratioBasisPoints: 300,
    usdCents: null,
    regions: EVERYWHERE,
    from: '2019-10-01',
    to: null,
  },
]

/** The shares of a limit at which a merchant is warned, in percent. */
export const WARNING_PERCENTS = [50, 75, 90, 100] as const

/** Counts of one brand of a merchant account in one month. */
export interface MonthCounts {
  readonly disputes: number
  readonly fraudReports: number
  readonly sales: number
  readonly salesMonthBefore: number
  /** The country of the merchant account, ISO 3166-1 alpha-2. */
  readonly country: string
  /** The disputed amounts by currency, in minor units. */
  readonly amounts: readonly { readonly currency: string; readonly minor: bigint }[]
}

export interface ProgrammeStanding {
  readonly programme: MonitoringProgramme
  readonly events: number
  readonly sales: number
  /** Hundredths of a percent, rounded down; null without sales. */
  readonly ratioBasisPoints: number | null
  /** How much of all limits is reached: of the one that is further away, rounded down. */
  readonly percent: number
  /** The highest warning that is reached; null below the first. */
  readonly warning: (typeof WARNING_PERCENTS)[number] | null
}

/**
 * The standing of a month in each programme of its brand.
 * @param day a day of the month, ISO 8601
 */
export function standings(brand: string, day: string, counts: MonthCounts): ProgrammeStanding[] {
  const region = regionOf(counts.country)
  return MONITORING_PROGRAMMES.filter(
    (each) =>
      each.brand === brand &&
      each.regions.includes(region) &&
      each.from <= day &&
      (each.to === null || day <= each.to),
  ).map((programme) => standing(programme, counts))
}

function standing(programme: MonitoringProgramme, counts: MonthCounts): ProgrammeStanding {
  const isBoth = programme.counts === 'fraud_and_disputes'
  const events = counts.disputes + (isBoth ? counts.fraudReports : 0)
  const sales = programme.salesOf === 'this_month' ? counts.sales : counts.salesMonthBefore
  const ratio = sales === 0 ? null : Math.floor((events * 10_000) / sales)
  const ofRatio = percentOfRatio(events, sales, programme.ratioBasisPoints)
  const ofAmount = percentOfAmount(counts.amounts, programme.usdCents)
  const percent = Math.floor(Math.min((events * 100) / programme.events, ofRatio, ofAmount))
  const warning = WARNING_PERCENTS.findLast((share) => percent >= share) ?? null
  return { programme, events, sales, ratioBasisPoints: ratio, percent, warning }
}

/** Amounts in other currencies cannot be compared: then the other two limits decide. */
function percentOfAmount(amounts: MonthCounts['amounts'], usdCents: bigint | null): number {
  if (usdCents === null || amounts.some(({ currency }) => currency !== 'USD')) return Infinity
  const minor = amounts.reduce((sum, each) => sum + each.minor, 0n)
  return Number((minor * 100n) / usdCents)
}

/** Events without any sale are over every ratio. */
function percentOfRatio(events: number, sales: number, ratioBasisPoints: number): number {
  if (sales === 0) return events > 0 ? Infinity : 0
  return (events * 1_000_000) / (sales * ratioBasisPoints)
}
