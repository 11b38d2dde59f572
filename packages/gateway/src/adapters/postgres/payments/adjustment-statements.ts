import type pg from 'pg'
import { adjustmentEventType } from '../../../domain/events/order-event.ts'
import { defineColumns } from '../connection/columns.ts'
import { queueAdvices, type PlannedAdjustment } from './adjustment-advices.ts'
import { insertPostings } from './ledger-statements.ts'

const orderColumns = defineColumns({
  order_id: 'bigint',
  /** The adjustment's, or the authorization's if the answer to the merchant has none. */
  transaction_id: 'bigint',
  captured_delta: 'bigint',
  voided_delta: 'bigint',
  refunded_delta: 'bigint',
  reversed_whole: 'boolean',
  releases: 'boolean',
  /** The type of its event; null for the end of an authorization that was captured whole. */
  event: 'text',
  api_user_id: 'bigint',
  advices: 'int',
  at: 'timestamptz',
})

const transactionColumns = defineColumns({
  id: 'bigint',
  merchant_id: 'bigint',
  order_id: 'bigint',
  request_id: 'bigint',
  origin: 'text',
  kind: 'text',
  value_minor: 'bigint',
  order_line_id: 'bigint',
  avs_code: 'text',
  cvv_code: 'text',
  at: 'timestamptz',
})

const lineColumns = defineColumns({
  line_id: 'bigint',
  captured_delta: 'bigint',
  voided_delta: 'bigint',
  refunded_delta: 'bigint',
})

const adjustmentLineColumns = defineColumns({
  transaction_id: 'bigint',
  merchant_id: 'bigint',
  order_line_id: 'bigint',
  shown_id: 'bigint',
  amount_minor: 'bigint',
})

const captureVoidColumns = defineColumns({ transaction_id: 'bigint', minor: 'bigint' })

/** The sums, and the postings that they follow from, as one. */
const UPDATE_ORDERS = `
with adjusted as (
  update orders o
     set captured_minor = o.captured_minor + d.captured_delta,
         voided_minor = o.voided_minor + d.voided_delta,
         refunded_minor = o.refunded_minor + d.refunded_delta,
         reversed_whole = o.reversed_whole or d.reversed_whole,
         released_at = case when d.releases then d.at else o.released_at end,
         advice_count = o.advice_count + d.advices
    from unnest(${orderColumns.parameters(1)}) as d (${orderColumns.names})
   where o.id = d.order_id
  returning o.merchant_id, o.site_id, o.currency, o.advice_count, d.*,
            array[o.authorized_minor, o.captured_minor, o.voided_minor, o.refunded_minor] as sums
), new_postings as (
  ${insertPostings('adjusted', {
    transactionId: 'transaction_id',
    postedAt: 'at',
    amounts: {
      capture: 'captured_delta',
      capture_void: '-captured_delta',
      release: 'voided_delta',
      refund: 'refunded_delta',
    },
  })}
), new_facts as (
  insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id, details)
  select a.event, a.merchant_id, a.site_id, a.order_id,
         case when a.event <> 'authorization.expired' then a.transaction_id end,
         -- Later adjustments change the sums of the order.
         json_build_object('at', a.at, 'amount', a.voided_delta::text,
                           'sums', a.sums::text[], 'actor', 'api_user:' || a.api_user_id)
    from adjusted a where a.event is not null
)
select order_id as id, advice_count from adjusted`

/** The whole amount is in the open batch of the order's account, which the caller has locked. */
const INSERT_TRANSACTIONS = `
insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
                          value_minor, order_line_id, service_code, avs_code, cvv_code,
                          card_product, origin, created_at, concluded_at, batch_id)
select n.id, n.merchant_id, n.order_id, n.request_id, n.kind, 'approved', n.value_minor,
       n.value_minor, n.order_line_id, 100, n.avs_code, n.cvv_code,
       coalesce((select f.card_product from transactions f
                  where f.order_id = n.order_id
                    and f.kind in ('authorization', 'sale') limit 1), ''),
       n.origin, n.at, n.at,
       (select b.id from batches b join orders o on o.merchant_account_id = b.merchant_account_id
         where o.id = n.order_id and b.closed_at is null)
  from unnest(${transactionColumns.parameters(1)}) as n (${transactionColumns.names})`

const UPDATE_LINES = `
update order_lines l
   set captured_minor = l.captured_minor + d.captured_delta,
       voided_minor = l.voided_minor + d.voided_delta,
       refunded_minor = l.refunded_minor + d.refunded_delta
  from unnest(${lineColumns.parameters(1)}) as d (${lineColumns.names})
 where l.id = d.line_id`

const INSERT_ADJUSTMENT_LINES = `
insert into adjustment_lines (${adjustmentLineColumns.names})
select * from unnest(${adjustmentLineColumns.parameters(1)})`

const UPDATE_CAPTURE_VOIDS = `
update transactions t set voided_minor = t.voided_minor + u.minor
  from unnest(${captureVoidColumns.parameters(1)}) as u (${captureVoidColumns.names})
 where t.id = u.transaction_id`

/** Writes a group of decided adjustments inside the caller's transaction. */
export async function writeAdjustments(
  client: pg.ClientBase,
  planned: readonly PlannedAdjustment[],
): Promise<void> {
  const { rows: counts } = await client.query<{ id: string; advice_count: number }>({
    name: 'adjust orders',
    text: UPDATE_ORDERS,
    values: orderColumns.values(
      planned.map(({ order, plan }) => ({
        order_id: order.id,
        transaction_id: plan.transaction?.id ?? order.authorization.transactionId,
        captured_delta: plan.capturedDelta,
        voided_delta: plan.voidedDelta,
        refunded_delta: plan.refundedDelta,
        reversed_whole: plan.reversedWhole,
        releases: plan.releases,
        event: adjustmentEventType(plan.transaction?.kind ?? null, plan.voidedDelta),
        api_user_id: plan.transaction?.apiUserId ?? null,
        advices: plan.advices.length,
        at: plan.at,
      })),
    ),
  })
  const adviceCounts = new Map(counts.map((row) => [row.id, row.advice_count]))

  await client.query({
    name: 'insert adjustments',
    text: INSERT_TRANSACTIONS,
    values: transactionColumns.values(planned.flatMap(transactionRows)),
  })
  await client.query({
    name: 'adjust lines',
    text: UPDATE_LINES,
    values: lineColumns.values(
      planned.flatMap(({ plan }) =>
        plan.lines.map((line) => ({
          line_id: line.lineId,
          captured_delta: line.capturedDelta,
          voided_delta: line.voidedDelta,
          refunded_delta: line.refundedDelta,
        })),
      ),
    ),
  })
  await client.query({
    name: 'insert adjustment lines',
    text: INSERT_ADJUSTMENT_LINES,
    values: adjustmentLineColumns.values(planned.flatMap(adjustmentLineRows)),
  })
  const captureVoids = planned.flatMap(({ plan }) =>
    plan.captureVoids.map(({ transactionId, minor }) => ({ transaction_id: transactionId, minor })),
  )
  if (captureVoids.length > 0) {
    await client.query({
      name: 'void captures',
      text: UPDATE_CAPTURE_VOIDS,
      values: captureVoidColumns.values(captureVoids),
    })
  }
  await queueAdvices(client, planned, adviceCounts)
}

function transactionRows({
  order,
  plan,
}: PlannedAdjustment): Parameters<typeof transactionColumns.values>[0][number][] {
  const { transaction } = plan
  if (transaction === null) return []
  return [
    {
      id: transaction.id,
      merchant_id: order.merchantId,
      order_id: order.id,
      request_id: transaction.requestId,
      origin: transaction.origin,
      kind: transaction.kind,
      value_minor: transaction.valueMinor,
      order_line_id: transaction.orderLineId,
      avs_code: transaction.avsCode,
      cvv_code: transaction.cvvCode,
      at: plan.at,
    },
  ]
}

function adjustmentLineRows({
  order,
  plan,
}: PlannedAdjustment): Parameters<typeof adjustmentLineColumns.values>[0][number][] {
  const { transaction } = plan
  if (transaction === null) return []
  return plan.lines.map((line) => ({
    transaction_id: transaction.id,
    merchant_id: order.merchantId,
    order_line_id: line.lineId,
    shown_id: line.shownId,
    amount_minor: line.amountMinor,
  }))
}
