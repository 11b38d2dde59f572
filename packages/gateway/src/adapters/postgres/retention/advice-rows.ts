import type pg from 'pg'
import { mayEraseAdvices, type AdviceFacts } from '../../../domain/retention/advice-retention.ts'
import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'
import { BANK_AGREED } from '../books/advice-agreement.ts'
import type { DueRow, RetentionRows } from './retention-rows.ts'
import { ORDERS_WITH_SETTLEMENT_DIFFERENCE } from './settlement-differences.ts'

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

interface FactRow extends Omit<AdviceFacts, 'quietDays'> {
  readonly id: string
  readonly quietDays: number | null
  readonly since: Date
}

/** Of orders that have advices. `is true` keeps the planner off the index of queued ones. */
const FACTS = `
select o.id, a.since, a."quietDays", a."hasRefused", t."hasRunningTransaction", t."hasOpenBatch",
       exists (select from recon_differences d
                where d.merchant_id = o.merchant_id and d.order_id = o.id
                  and d.gone_at is null and d.resolved_at is null) as "hasOpenDifference",
       o.id in (${ORDERS_WITH_SETTLEMENT_DIFFERENCE}) as "hasSettlementDifference"
  from orders o
  join lateral (
    select count(*) as advices, max(acknowledged_at) as since,
           case when not bool_or((state = 'queued') is true)
                then extract(epoch from $2::timestamptz - max(acknowledged_at))::float8 / 86400
            end as "quietDays",
           coalesce(bool_or((state = 'acknowledged') is true
             and (${BANK_AGREED}) is not true), false) as "hasRefused"
      from advices where order_id = o.id) a on a.advices > 0
  cross join lateral (
    select coalesce(bool_or(x.state in ('running', 'pending')), false) as "hasRunningTransaction",
           coalesce(bool_or(b.id is not null and (b.closed_at is null
             or b.agreement in ('closing', 'agreeing', 'comparing'))), false) as "hasOpenBatch"
      from transactions x left join batches b on b.id = x.batch_id
     where x.order_id = o.id) t
 where o.id = any($1::bigint[])`

/** The advices that go leave a row behind, by which `tollgate verify` knows them. */
const ERASE = `
with gone as (
  delete from advices where order_id = any($1::bigint[]) returning order_id, transaction_id
), erasures as (
  insert into advice_erasures as e (order_id, transaction_ids, erased)
  select order_id, array_agg(distinct transaction_id), count(*)::int from gone group by order_id
  on conflict (order_id) do update
     set transaction_ids = e.transaction_ids || excluded.transaction_ids,
         erased = e.erased + excluded.erased, at = excluded.at
)
select count(*)::int as erased from gone`

/** Walked by orders; an order's advices go together. */
export const adviceRows: RetentionRows = {
  table: 'orders',
  atOnce: 100,
  due: readDue,
  async erase(client, ids, rule) {
    // Adjustments are decided under this lock, and write their advices under it.
    const { rows: locked } = await client.query<{ id: string }>(
      'select id from orders where id = any($1::bigint[]) order by id for update skip locked',
      [ids],
    )
    const due = await readDue(
      client,
      locked.map(({ id }) => id),
      rule,
    )
    if (due.length === 0) return 0
    const { rows } = await client.query<{ erased: number }>(ERASE, [due.map(({ id }) => id)])
    return rows[0]?.erased ?? 0
  },
}

async function readDue(
  client: Client,
  ids: readonly string[],
  { now, days }: RetentionRule,
): Promise<DueRow[]> {
  const { rows } = await client.query<FactRow>({
    name: 'facts of advices',
    text: FACTS,
    values: [ids, now],
  })
  return rows.filter((facts) => mayEraseAdvices(facts, days))
}
