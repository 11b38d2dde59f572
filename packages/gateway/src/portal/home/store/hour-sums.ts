import type pg from 'pg'
import { CODE, MINOR, OUTCOME } from '../../../adapters/postgres/payments/counted-payments.ts'
import type { HomePeriod } from '../domain/home-periods.ts'
import type { CurrencyAmount, PaymentSums, SiteScope } from '../usecases/home.ts'

/** Payments of one period, currency, outcome and reason. */
export interface SumRow {
  /** The number of the period, from 1. */
  readonly n: string
  readonly currency: string
  readonly outcome: 'approved' | 'declined' | 'failed' | 'refunded'
  readonly service_code: number
  readonly payments: string
  readonly minor: string
}

const HOUR_MS = 3_600_000
const COUNTED = `t.kind in ('authorization', 'sale', 'refund')`
/**
 * The order of each transaction by its key. PostgreSQL takes the hours of several periods for most
 * of all transactions, so a join would read all orders.
 */
const ITS_ORDER = `cross join lateral (
          select currency, site_id from orders
           where id = t.order_id and site_id = any($2::bigint[]) offset 0) o`

/**
 * Hours of the sites $2 of the merchant $1 since $3: the sums that are stored, and later
 * transactions. The first of the latter is at $4 or later. Hours in $5 are left out.
 */
const HOURS = `
  select hour, currency, outcome, service_code, sum(payments) as payments, sum(minor) as minor
    from (
      select h.hour, h.currency, h.outcome, h.service_code, h.payments, h.amount_minor as minor
        from payment_hours h
       where h.merchant_id = $1 and h.site_id = any($2::bigint[]) and h.hour >= $3
      union all
      select date_trunc('hour', t.created_at, 'UTC'), o.currency, ${OUTCOME}, ${CODE}, 1, ${MINOR}
        from transactions t
        ${ITS_ORDER}
        left join payment_hours_until u on u.site_id = o.site_id
       where t.created_at >= greatest($3, $4) and (u.until is null or t.created_at >= u.until)
         and t.merchant_id = $1 and ${COUNTED}) h
   where outcome is not null and hour <> all($5::timestamptz[])
   group by 1, 2, 3, 4`

/** Since when payments of the sites have to be counted one by one. */
export async function countedUntil(pool: pg.Pool, siteIds: readonly bigint[]): Promise<Date> {
  const { rows } = await pool.query<{ until: Date | null; sites: number }>(
    `select min(until) as until, count(*)::int as sites
       from payment_hours_until where site_id = any($1::bigint[])`,
    [siteIds],
  )
  const [row] = rows
  // A site that no job has come to yet is counted from its beginning.
  return row?.until && row.sites === siteIds.length ? row.until : new Date(0)
}

/** The sums of periods, which may overlap. */
export function sumsOfPeriods(
  pool: pg.Pool,
  scope: SiteScope,
  periods: readonly HomePeriod[],
): Promise<SumRow[]> {
  // A period that ends now has no payment behind its end; its last hour counts as it is.
  const ends = periods.map(({ to }) => (to < scope.now ? to : ceilHour(to)))
  const starts = periods.map(({ from }) => from)
  return sumRows(pool, scope, [...starts, ...ends], {
    sql: (
      at,
    ) => `join unnest($6::timestamptz[], $7::timestamptz[]) with ordinality as s ("from", until, n)
      on ${at} >= s."from" and ${at} < s.until`,
    values: [starts, ends],
  })
}

/** The sums of the points of a chart: each from its start to the next one, the last until now. */
export function sumsOfPoints(
  pool: pg.Pool,
  scope: SiteScope,
  starts: readonly Date[],
): Promise<SumRow[]> {
  return sumRows(pool, scope, starts, {
    sql: (at) => `join lateral (select width_bucket(${at}, $6::timestamptz[]) as n) s
      on s.n > 0 and ${at} < $7::timestamptz`,
    values: [starts, ceilHour(scope.now)],
  })
}

/** How a moment finds its period: joined as `s`, whose `n` is the number of the period. */
interface Placing {
  readonly sql: (at: string) => string
  readonly values: readonly unknown[]
}

/**
 * Whole hours of UTC are taken from their sums. In some zones a boundary lies within such an hour:
 * the payments of that hour are counted one by one.
 */
async function sumRows(
  pool: pg.Pool,
  { merchantId, siteIds, now }: SiteScope,
  boundaries: readonly Date[],
  placing: Placing,
): Promise<SumRow[]> {
  const times = boundaries.map((at) => at.getTime())
  const split = [...new Set(times.filter((ms) => ms % HOUR_MS !== 0).map(floorHour))].map(
    (ms) => new Date(ms),
  )
  const earliest = new Date(Math.min(...times))
  const until = await countedUntil(pool, siteIds)
  const whole = pool.query<SumRow>(
    `with hours as materialized (${HOURS})
     select s.n, h.currency, h.outcome, h.service_code, sum(h.payments) as payments,
            sum(h.minor) as minor
       from hours h ${placing.sql('h.hour')} group by 1, 2, 3, 4`,
    [merchantId, siteIds, earliest, until, split, ...placing.values],
  )
  const parts = pool.query<SumRow>(
    `select s.n, o.currency, ${OUTCOME} as outcome, ${CODE} as service_code, count(*) as payments,
            sum(${MINOR}) as minor
       from unnest($5::timestamptz[]) as e (hour)
       join transactions t on t.created_at >= greatest(e.hour, $3::timestamptz)
        and t.created_at < least(e.hour + interval '1 hour', $4::timestamptz)
        and t.merchant_id = $1 and ${COUNTED}
       ${ITS_ORDER}
       ${placing.sql('t.created_at')}
      where ${OUTCOME} is not null group by 1, 2, 3, 4`,
    [merchantId, siteIds, earliest, ceilHour(now), split, ...placing.values],
  )
  return [...(await whole).rows, ...(await parts).rows]
}

function floorHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

function ceilHour(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS)
}

/** The figures of one period. */
export function sumsOf(rows: readonly SumRow[] = []): PaymentSums {
  const count = (outcome: SumRow['outcome']): number =>
    rows.reduce((sum, row) => (row.outcome === outcome ? sum + Number(row.payments) : sum), 0)
  const amounts = (outcome: SumRow['outcome']): CurrencyAmount[] => {
    const byCurrency = new Map<string, bigint>()
    for (const row of rows) {
      if (row.outcome !== outcome) continue
      byCurrency.set(row.currency, (byCurrency.get(row.currency) ?? 0n) + BigInt(row.minor))
    }
    return [...byCurrency]
      .map(([currency, minor]) => ({ currency, minor }))
      .toSorted((left, right) => (left.currency < right.currency ? -1 : 1))
  }
  return {
    approved: count('approved'),
    declined: count('declined'),
    failed: count('failed'),
    refunded: count('refunded'),
    approvedAmounts: amounts('approved'),
    declinedAmounts: amounts('declined'),
    refundedAmounts: amounts('refunded'),
  }
}
