import type pg from 'pg'
import type { RatioStore } from '../../../usecases/disputes/compare-ratios.ts'
import { ACCOUNT_TODAY } from './account-day.ts'

/**
 * Months count by the zone of the merchant. Charged cases count in the month of the charge, reports
 * of fraud in that of the report, and sales in that of their settlement.
 * $1 time, $2 merchant, $3 months.
 */
const MONTHS = `
with accounts as (
  select a.id, a.merchant_id, m.time_zone, right(a.name_and_location, 2) as country,
         (date_trunc('month', ${ACCOUNT_TODAY('$1')}) - ($3::int - 1) * interval '1 month')::date
           as since
    from merchant_accounts a join merchants m on m.id = a.merchant_id
   where ($2::bigint is null or a.merchant_id = $2)
     and exists (select from disputes d where d.merchant_account_id = a.id)
), events as (
  select a.id, a.merchant_id, a.time_zone, a.country, d.brand, d.currency, d.amount_minor,
         d.is_charged,
         date_trunc('month', coalesce(d.charged_at, d.opened_at) at time zone a.time_zone)::date
           as month
    from accounts a join disputes d on d.merchant_account_id = a.id
   where (d.is_charged or d.state = 'reported')
     and coalesce(d.charged_at, d.opened_at) at time zone a.time_zone >= a.since
), months as (
  select id, merchant_id, time_zone, country, brand, month,
         count(*) filter (where is_charged) as disputes,
         count(*) filter (where not is_charged) as fraud_reports
    from events group by id, merchant_id, time_zone, country, brand, month
)
select x.id, x.merchant_id, x.country, x.brand, x.month::text, x.disputes, x.fraud_reports,
       s.sales, s.sales_before,
       coalesce((select json_object_agg(e.currency, e.minor::text)
                   from (select currency, sum(amount_minor) as minor from events
                          where id = x.id and brand = x.brand and month = x.month and is_charged
                          group by currency) e), '{}') as amounts
  from months x
 cross join lateral (
   select count(*) filter (where t.settled_on >= x.month) as sales,
          count(*) filter (where t.settled_on < x.month) as sales_before
     from orders o
     join payment_methods p on p.id = o.payment_method_id and lower(p.brand) = x.brand
     join settled_transactions t on t.order_id = o.id and t.state = 'settled'
          and t.gross_minor > 0 and t.settled_on >= x.month - interval '1 month'
          and t.settled_on < x.month + interval '1 month'
    where o.merchant_id = x.merchant_id and o.merchant_account_id = x.id
      -- A capture is settled within days of its order; deferred ones within the authorization.
      and o.created_at >= (x.month - interval '3 months') at time zone x.time_zone) s
 order by x.month desc, x.id, x.brand`

export function createRatioStore(pool: pg.Pool): RatioStore {
  return {
    async readMonths(merchantId, now, months) {
      const { rows } = await pool.query<{
        id: string
        merchant_id: string
        country: string
        brand: string
        month: string
        disputes: string
        fraud_reports: string
        sales: string
        sales_before: string
        amounts: Readonly<Record<string, string>>
      }>(MONTHS, [now, merchantId, months])
      return rows.map((row) => ({
        merchantId: BigInt(row.merchant_id),
        merchantAccountId: BigInt(row.id),
        country: row.country,
        brand: row.brand,
        month: row.month,
        disputes: Number(row.disputes),
        fraudReports: Number(row.fraud_reports),
        sales: Number(row.sales),
        salesMonthBefore: Number(row.sales_before),
        amounts: Object.entries(row.amounts).map(([currency, minor]) => ({
          currency,
          minor: BigInt(minor),
        })),
      }))
    },
  }
}
