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
  /** ISO 8601 dates; `to` is the last day, or null. */
  readonly from: string
  readonly to: string | null
}

/**
 * The programmes that a merchant falls into. Regional exceptions are left out: see
 * docs/operators/disputes.md. Source: public descriptions of the programmes, November 2026.
 */
export const MONITORING_PROGRAMMES: readonly MonitoringProgramme[] = [
  {
    name: 'VAMP merchant excessive',
    brand: 'visa',
    counts: 'fraud_and_disputes',
    salesOf: 'this_month',
    events: 1_500,
    ratioBasisPoints: 220,
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
    from: '2026-04-01',
    to: null,
  },
  {
    name: 'Excessive Chargeback Merchant',
    brand: 'mastercard',
    counts: 'disputes',
    salesOf: 'month_before',
    events: 100,
    ratioBasisPoints: 150,
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
}

export interface ProgrammeStanding {
  readonly programme: MonitoringProgramme
  readonly events: number
  readonly sales: number
  /** Hundredths of a percent, rounded down; null without sales. */
  readonly ratioBasisPoints: number | null
  /** How much of both limits is reached: of the one that is further away, rounded down. */
  readonly percent: number
  /** The highest warning that is reached; null below the first. */
  readonly warning: (typeof WARNING_PERCENTS)[number] | null
}

/**
 * The standing of a month in each programme of its brand.
 * @param day a day of the month, ISO 8601
 */
export function standings(brand: string, day: string, counts: MonthCounts): ProgrammeStanding[] {
  return MONITORING_PROGRAMMES.filter(
    (each) => each.brand === brand && each.from <= day && (each.to === null || day <= each.to),
  ).map((programme) => standing(programme, counts))
}

function standing(programme: MonitoringProgramme, counts: MonthCounts): ProgrammeStanding {
  const isBoth = programme.counts === 'fraud_and_disputes'
  const events = counts.disputes + (isBoth ? counts.fraudReports : 0)
  const sales = programme.salesOf === 'this_month' ? counts.sales : counts.salesMonthBefore
  const ratio = sales === 0 ? null : Math.floor((events * 10_000) / sales)
  const ofRatio = percentOfRatio(events, sales, programme.ratioBasisPoints)
  const percent = Math.floor(Math.min((events * 100) / programme.events, ofRatio))
  const warning = WARNING_PERCENTS.findLast((share) => percent >= share) ?? null
  return { programme, events, sales, ratioBasisPoints: ratio, percent, warning }
}

/** Events without any sale are over every ratio. */
function percentOfRatio(events: number, sales: number, ratioBasisPoints: number): number {
  if (sales === 0) return events > 0 ? Infinity : 0
  return (events * 1_000_000) / (sales * ratioBasisPoints)
}
