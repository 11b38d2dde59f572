import type pg from 'pg'
import type { AdviceStore } from '../../../usecases/payments/advice-store.ts'
import { CardUnreadableError, type CardVault } from '../../../usecases/vault/card-vault.ts'
import { BANK_AGREED } from '../books/advice-agreement.ts'
import { defineColumns } from '../connection/columns.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { accountColumns } from '../merchants/account-rows.ts'
import { dueAdvice, type AdviceRow } from './due-advice.ts'

// `queued` steps through the index from one merchant to the next, and finds each one's earliest
// advice. Merchants with fewest advices under way come first, and of these the one whose advice has
// waited longest. Each gets a part of the free places, so that as much stays free.
//
// Earlier advices are searched among the order's own. The statement keeps the planner off the index
// of waiting ones, or every due advice would be compared with all that wait.
const TAKE = `
with recursive queued as (
  (select a.merchant_id, a.next_try_at from advices a
    where a.state = 'queued' order by a.merchant_id, a.next_try_at limit 1)
  union all
  select n.merchant_id, n.next_try_at
    from queued q
   cross join lateral (
         select a.merchant_id, a.next_try_at from advices a
          where a.state = 'queued' and a.merchant_id > q.merchant_id
          order by a.merchant_id, a.next_try_at limit 1) n
), turns as (
  select q.merchant_id, coalesce(u.places, 0) as used, count(*) over () as merchants
    from queued q
    left join unnest($4::bigint[], $5::int[]) u(merchant_id, places) using (merchant_id)
   where q.next_try_at <= $1 and coalesce(u.places, 0) < $3
   order by used, q.next_try_at
), due as (
  select d.id
    from turns t
   cross join lateral (
         select a.id from advices a
          where a.merchant_id = t.merchant_id and a.state = 'queued' and a.next_try_at <= $1
            and not exists (select from advices b
                             where b.order_id = a.order_id and b.sequence < a.sequence
                               and (b.state = 'queued') is true)
          order by a.next_try_at
          limit greatest(1, ($3 - t.used) / (t.merchants + 1))
            for update skip locked) d
   limit $3
), taken as (
  update advices a set next_try_at = $2, tries = a.tries + 1
    from due where a.id = due.id
  returning a.*
)
select t.id, t.tries, t.kind, t.amount_minor, t.remaining_minor, t.reason, t.sequence,
       t.original_mti, t.original_number, t.original_at, t.message_number, t.message_at,
       t.bank_test, o.message_number as order_number, o.message_at as order_at, o.currency,
       o.auth_code, o.entry_mode, o.payment_method_id, p.pan_ciphertext, o.merchant_id,
       t.batch_id, p.brand, coalesce(l.batch_agreement, true) as agrees_batches,
       ${accountColumns('m')}
  from taken t
  join orders o on o.id = t.order_id
  join payment_methods p on p.id = o.payment_method_id
  join merchant_accounts m on m.id = o.merchant_account_id
  left join processor_links l on l.id = m.processor_link_id`

/** A refund to an unreadable card waits until an operator restores the key or resolves it. */
const UNREADABLE_WAITS_MS = 3_600_000

/**
 * The queue of messages that must reach the bank. An unreadable advice is reported to `onFault` and
 * stays queued; it delays only the rest of its own order.
 */
export function createAdviceStore(
  pool: pg.Pool,
  vault: CardVault,
  onFault: (adviceId: string, error: unknown) => void,
): AdviceStore {
  const postpone: AdviceStore['postpone'] = async (id, nextTryAt, responseCode) => {
    await pool.query({
      name: 'postpone advice',
      text: `update advices set next_try_at = $2, response_code = coalesce($3, response_code)
              where id = $1 and state = 'queued'`,
      values: [id, nextTryAt, responseCode],
    })
  }
  const acknowledgements = createGroupLane<Acknowledgement, void>({
    groupSize: ACKNOWLEDGED_AT_ONCE,
    limit: Infinity,
    write: (rows) => acknowledge(pool, rows),
  })
  return {
    async take({ free, used }, now, until) {
      const { rows } = await pool.query<AdviceRow>({
        name: 'take advices',
        text: TAKE,
        values: [now, until, free, [...used.keys()], [...used.values()]],
      })
      const due = await Promise.all(
        rows.map(async (row) => {
          try {
            return await dueAdvice(row, vault)
          } catch (error) {
            onFault(row.id, error)
            // Of any other fault the lease runs out, and it is tried again soon.
            if (error instanceof CardUnreadableError) {
              await postpone(BigInt(row.id), new Date(now.getTime() + UNREADABLE_WAITS_MS), null)
            }
            return null
          }
        }),
      )
      return due.filter((advice) => advice !== null)
    },
    acknowledge: (id, responseCode, at, batchId) =>
      acknowledgements.submit({ id, responseCode, at, batchId }),
    postpone,
  }
}

const ACKNOWLEDGED_AT_ONCE = 64

interface Acknowledgement {
  readonly id: bigint
  readonly responseCode: string
  readonly at: Date
  readonly batchId: bigint | null
}

const acknowledged = defineColumns({
  id: 'bigint',
  response_code: 'text',
  at: 'timestamptz',
  batch_id: 'bigint',
})
const cell = acknowledged.cells(1)

/** Answers that come together are written together; room for as many more is then found at once. */
async function acknowledge(pool: pg.Pool, rows: readonly Acknowledgement[]): Promise<void[]> {
  const ordered = rows.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  await pool.query({
    name: 'acknowledge advices',
    text: `with changed as (
           update advices a
              set (state, response_code, acknowledged_at, next_try_at) = (
                select case when c.same then 'acknowledged' else 'queued' end,
                       ${cell.response_code},
                       case when c.same then ${cell.at} end,
                       case when c.same then a.next_try_at else ${cell.at} end
                  from array_position($1::bigint[], a.id) n,
                       -- The bank has counted it in the batch that its message named.
                       lateral (select (${cell.batch_id} is null
                                        or ${cell.batch_id} = a.batch_id) is true as same) c)
            -- Found by their ids, not among all that are queued.
            where a.id = any($1::bigint[]) and (a.state = 'queued') is true
           returning a.*)
           insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id, details)
           select kind || case when ${BANK_AGREED} then '.confirmed' else '.rejected' end,
                  c.merchant_id, (select o.site_id from orders o where o.id = c.order_id),
                  c.order_id, c.transaction_id,
                  -- Advices are erased before their events are.
                  json_build_object('reason', c.reason, 'amount', c.amount_minor::text,
                                    'code', response_code)
             from changed c
            where c.state = 'acknowledged'
              -- The approval of a sale reports its capture too, unless the bank refuses that.
              and not (c.kind = 'capture' and ${BANK_AGREED}
                       and exists (select from transactions t
                                    where t.id = c.transaction_id and t.kind = 'sale'))`,
    values: acknowledged.values(
      ordered.map(({ id, responseCode, at, batchId }) => ({
        id,
        response_code: responseCode,
        at,
        batch_id: batchId,
      })),
    ),
  })
  return rows.map(() => undefined)
}
