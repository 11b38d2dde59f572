import type pg from 'pg'
import type { ChartUnit, ComparedPeriod, HomePeriod } from '../domain/home-periods.ts'
import type {
  ChartPoint,
  CurrencyAmount,
  HomeStore,
  OpenAuthorization,
  PaymentSums,
  SiteScope,
} from '../usecases/home.ts'
import { CODE, MINOR, OUTCOME } from './payment-hours.ts'

interface SumRow {
  readonly key: string
  readonly currency: string
  readonly outcome: 'approved' | 'declined' | 'failed' | 'refunded'
  readonly payments: string
  readonly minor: string
}

/**
 * Hours of the sites $2 of the merchant $1 since $3: the sums that are stored, and later
 * transactions. The first of the latter is at $4 or later.
 */
const HOURS = `
  select h.hour, h.currency, h.outcome, h.service_code, h.payments, h.amount_minor as minor
    from payment_hours h
   where h.merchant_id = $1 and h.site_id = any($2::bigint[]) and h.hour >= $3
  union all
  select date_trunc('hour', t.created_at, 'UTC'), o.currency, ${OUTCOME}, ${CODE}, 1, ${MINOR}
    from transactions t
    join orders o on o.id = t.order_id
    left join payment_hours_until u on u.site_id = o.site_id
   where t.created_at >= greatest($3, $4) and (u.until is null or t.created_at >= u.until) and t.merchant_id = $1
     and o.site_id = any($2::bigint[]) and t.kind in ('authorization', 'sale', 'refund')`

/**
 * The sums of the home page; every query names the merchant. `machineNow`: of sites without a clock
 * of their own.
 */
export function createHomeStore(pool: pg.Pool, machineNow: () => Date): HomeStore {
  /** Since when payments of the sites have to be counted one by one. */
  async function countedUntil(siteIds: readonly bigint[]): Promise<Date> {
    const { rows } = await pool.query<{ until: Date | null; sites: number }>(
      'select min(until) as until, count(*)::int as sites from payment_hours_until where site_id = any($1::bigint[])',
      [siteIds],
    )
    const [row] = rows
    // A site that no job has come to yet is counted from its beginning.
    return row?.until && row.sites === siteIds.length ? row.until : new Date(0)
  }

  async function periodRows(scope: SiteScope, periods: readonly HomePeriod[]): Promise<SumRow[]> {
    const { merchantId, siteIds, now } = scope
    const until = await countedUntil(siteIds)
    const earliest = new Date(Math.min(...periods.map(({ from }) => from.getTime())))
    // Whole hours are added up; of an hour in which a period ended, its part is counted.
    const edges = periods.map(({ to }) =>
      to < now ? new Date(Math.floor(to.getTime() / 3_600_000) * 3_600_000) : to,
    )
    const whole = pool.query<SumRow>(
      `with hours as materialized (
         select hour, currency, outcome, sum(payments) as payments, sum(minor) as minor from (${HOURS}) h
          where outcome is not null group by 1, 2, 3)
       select s.n::text as key, h.currency, h.outcome, sum(h.payments) as payments, sum(h.minor) as minor
         from unnest($5::timestamptz[], $6::timestamptz[]) with ordinality as s ("from", edge, n)
         join hours h on h.hour >= s."from" and h.hour < s.edge
        group by s.n, h.currency, h.outcome`,
      [merchantId, siteIds, earliest, until, periods.map(({ from }) => from), edges],
    )
    const parts = periods.map(async ({ to }, at) => {
      const edge = edges[at] ?? to
      if (edge >= to) return []
      const { rows } = await pool.query<SumRow>(
        `select $5::text as key, o.currency, ${OUTCOME} as outcome, count(*) as payments, sum(${MINOR}) as minor
           from transactions t join orders o on o.id = t.order_id
          where t.created_at >= $3 and t.created_at < $4 and t.merchant_id = $1 and o.site_id = any($2::bigint[])
            and t.kind in ('authorization', 'sale', 'refund') and ${OUTCOME} is not null
          group by o.currency, outcome`,
        [merchantId, siteIds, edge, to, String(at + 1)],
      )
      return rows
    })
    return [...(await whole).rows, ...(await Promise.all(parts)).flat()]
  }

  return {
    async scope(merchantId, siteId) {
      const { rows } = await pool.query<{ id: string; name: string; now: Date; clocked: boolean }>(
        `select s.id, s.name, site_time(s.id, $2) as now, c.site_id is not null as clocked
           from sites s left join site_clocks c on c.site_id = s.id
          where s.merchant_id = $1 and ($3::bigint is null or s.id = $3) order by s.id`,
        [merchantId, machineNow(), siteId],
      )
      const [only] = rows
      if (siteId !== null && only === undefined) return null
      if (only !== undefined && rows.length === 1) {
        return { merchantId, siteIds: [BigInt(only.id)], now: only.now, leftOut: [] }
      }
      return {
        merchantId,
        siteIds: rows.filter(({ clocked }) => !clocked).map(({ id }) => BigInt(id)),
        now: machineNow(),
        leftOut: rows
          .filter(({ clocked }) => clocked)
          .map(({ id, name, now }) => ({ id: BigInt(id), name, now })),
      }
    },
    async periods(scope, periods) {
      const allPeriods = periods.flatMap((period): HomePeriod[] => [period, period.before])
      const byKey = Map.groupBy(await periodRows(scope, allPeriods), ({ key }) => key)
      return periods.map((period: ComparedPeriod, at) => ({
        ...period,
        sums: sumsOf(byKey.get(String(2 * at + 1))),
        sumsBefore: sumsOf(byKey.get(String(2 * at + 2))),
      }))
    },
    async chart({ merchantId, siteIds, now }, unit: ChartUnit, starts) {
      const until = await countedUntil(siteIds)
      const [from = now] = starts
      const { rows } = await pool.query<
        Omit<SumRow, 'key'> & { point: Date; service_code: number }
      >(
        `select date_trunc('${unit}', hour, 'UTC') as point, currency, outcome, service_code, sum(payments) as payments, sum(minor) as minor
           from (${HOURS}) h
          where outcome is not null and hour <= $5
          group by 1, 2, 3, 4`,
        [merchantId, siteIds, from, until, now],
      )
      const byPoint = Map.groupBy(rows, ({ point }) => point.getTime())
      const declines = new Map<number, number>()
      for (const { outcome, service_code: code, payments } of rows) {
        if (outcome === 'declined') declines.set(code, (declines.get(code) ?? 0) + Number(payments))
      }
      return {
        points: starts.map((start): ChartPoint => ({
          from: start,
          ...sumsOf(byPoint.get(start.getTime())),
        })),
        declines: [...declines]
          .map(([serviceCode, payments]) => ({ serviceCode, payments }))
          .toSorted(
            (left, right) => right.payments - left.payments || left.serviceCode - right.serviceCode,
          ),
      }
    },
    async hasPayments({ merchantId, siteIds }) {
      const until = await countedUntil(siteIds)
      const { rows } = await pool.query<{ there: boolean }>(
        `select exists (select from payment_hours where merchant_id = $1 and site_id = any($2::bigint[]))
             or exists (select from transactions t join orders o on o.id = t.order_id
                         where t.created_at >= $3 and t.merchant_id = $1 and o.site_id = any($2::bigint[])) as there`,
        [merchantId, siteIds, until],
      )
      return rows[0]?.there === true
    },
    async expiring({ merchantId, siteIds, now }, until) {
      const { rows } = await pool.query<{
        currency: string
        orders: string
        minor: string
        first: Date
      }>(
        `select currency, count(*) as orders, sum(authorized_minor - captured_minor - voided_minor) as minor,
                min(expires_at) as first
           from orders
          where state = 'authorized' and released_at is null and expires_at > $3 and expires_at <= $4
            and merchant_id = $1 and site_id = any($2::bigint[])
            and captured_minor + voided_minor < authorized_minor
          group by currency order by currency`,
        [merchantId, siteIds, now, until],
      )
      return {
        count: rows.reduce((sum, { orders }) => sum + Number(orders), 0),
        amounts: rows.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) })),
        firstExpiresAt:
          rows.map(({ first }) => first).toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
      }
    },
    async openAuthorizations({ merchantId, siteIds, now }, after, limit) {
      const { rows } = await pool.query<{
        id: string
        site_id: string
        reference: string
        brand: string
        last4: string
        currency: string
        authorized_minor: string
        captured_minor: string
        voided_minor: string
        refunded_minor: string
        left_minor: string
        created_at: Date
        expires_at: Date
      }>(
        `select o.id, o.site_id, o.reference, p.brand, p.last4, o.currency, o.authorized_minor, o.captured_minor,
                o.voided_minor, o.refunded_minor, o.authorized_minor - o.captured_minor - o.voided_minor as left_minor, o.created_at, o.expires_at
           from orders o join payment_methods p on p.id = o.payment_method_id
          where o.state = 'authorized' and o.released_at is null and o.expires_at > $3 and o.expires_at >= $4
            and (o.expires_at, o.id) > ($4, $5::bigint)
            and o.merchant_id = $1 and o.site_id = any($2::bigint[])
            and o.captured_minor + o.voided_minor < o.authorized_minor
          order by o.expires_at, o.id limit $6`,
        [merchantId, siteIds, now, after?.expiresAt ?? now, after?.orderId ?? 0n, limit],
      )
      return rows.map((row): OpenAuthorization => ({
        orderId: BigInt(row.id),
        siteId: BigInt(row.site_id),
        reference: row.reference,
        brand: row.brand,
        last4: row.last4,
        currency: row.currency,
        authorizedMinor: BigInt(row.authorized_minor),
        capturedMinor: BigInt(row.captured_minor),
        voidedMinor: BigInt(row.voided_minor),
        refundedMinor: BigInt(row.refunded_minor),
        leftMinor: BigInt(row.left_minor),
        authorizedAt: row.created_at,
        expiresAt: row.expires_at,
      }))
    },
    async waitingAdvices(merchantId) {
      const { rows } = await pool.query<{ count: number; oldest: Date | null }>(
        `select count(*)::int as count, min(created_at) as oldest from advices where state = 'queued' and merchant_id = $1`,
        [merchantId],
      )
      return { count: rows[0]?.count ?? 0, oldestAt: rows[0]?.oldest ?? null }
    },
    async pastDueMemberships({ merchantId, siteIds }) {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from memberships
          where merchant_id = $1 and state = 'past_due' and site_id = any($2::bigint[])`,
        [merchantId, siteIds],
      )
      return rows[0]?.count ?? 0
    },
    async linksInUse(merchantId) {
      const { rows } = await pool.query<{ processor_link_id: string | null }>(
        'select distinct processor_link_id from merchant_accounts where merchant_id = $1',
        [merchantId],
      )
      return rows.map(({ processor_link_id: id }) => (id === null ? null : BigInt(id)))
    },
  }
}

function sumsOf(rows: readonly Omit<SumRow, 'key'>[] = []): PaymentSums {
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
