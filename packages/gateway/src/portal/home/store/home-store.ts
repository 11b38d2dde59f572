import type pg from 'pg'
import type { ComparedPeriod, HomePeriod } from '../domain/home-periods.ts'
import type { ChartPoint, HomeStore, OpenAuthorization } from '../usecases/home.ts'
import { readHeldUsers } from './held-users.ts'
import { countedUntil, sumsOf, sumsOfPoints, sumsOfPeriods } from './hour-sums.ts'

/**
 * The sums of the home page; every query names the merchant. `machineNow`: of sites without a clock
 * of their own.
 */
export function createHomeStore(pool: pg.Pool, machineNow: () => Date): HomeStore {
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
      const byNumber = Map.groupBy(await sumsOfPeriods(pool, scope, allPeriods), ({ n }) => n)
      return periods.map((period: ComparedPeriod, at) => ({
        ...period,
        sums: sumsOf(byNumber.get(String(2 * at + 1))),
        sumsBefore: sumsOf(byNumber.get(String(2 * at + 2))),
      }))
    },
    async chart(scope, starts) {
      const rows = await sumsOfPoints(pool, scope, starts)
      const byNumber = Map.groupBy(rows, ({ n }) => Number(n))
      const declines = new Map<number, number>()
      for (const { outcome, service_code: code, payments } of rows) {
        if (outcome === 'declined') declines.set(code, (declines.get(code) ?? 0) + Number(payments))
      }
      return {
        points: starts.map((from, at): ChartPoint => ({ from, ...sumsOf(byNumber.get(at + 1)) })),
        declines: [...declines]
          .map(([serviceCode, payments]) => ({ serviceCode, payments }))
          .toSorted(
            (left, right) => right.payments - left.payments || left.serviceCode - right.serviceCode,
          ),
      }
    },
    async hasPayments({ merchantId, siteIds }) {
      const until = await countedUntil(pool, siteIds)
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
    async openAuthorizations({ merchantId, siteIds, now }, { after, until }, limit) {
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
            and ($7::timestamptz is null or o.expires_at <= $7)
            and o.merchant_id = $1 and o.site_id = any($2::bigint[])
            and o.captured_minor + o.voided_minor < o.authorized_minor
          order by o.expires_at, o.id limit $6`,
        [merchantId, siteIds, now, after?.expiresAt ?? now, after?.orderId ?? 0n, limit, until],
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
    heldUsers: (merchantId) => readHeldUsers(pool, merchantId),
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
