import type pg from 'pg'
import type { AdjustmentPlan, LockedOrder } from '../../../usecases/payments/adjustment-store.ts'
import { defineColumns } from '../connection/columns.ts'
import { adviceColumns } from './payment-statements.ts'
import { adviceRow } from './payment-store.ts'

export interface PlannedAdjustment {
  readonly order: LockedOrder
  readonly plan: AdjustmentPlan
}

/** Only adjustments wait for their message with a test; a payment's own goes out at once. */
const testColumns = defineColumns({ bank_test: 'text' })

const INSERT_ADVICES = `
insert into advices (${adviceColumns.names}, bank_test, next_try_at, batch_id)
select ${adviceColumns.names}, bank_test, created_at,
       case when a.kind <> 'reversal'
            then (select t.batch_id from transactions t where t.id = a.transaction_id) end
  from unnest(${adviceColumns.parameters(1)}, ${testColumns.parameters(adviceColumns.count + 1)})
       as a (${adviceColumns.names}, ${testColumns.names})`

/**
 * Queues the advices of decided adjustments inside the caller's transaction. `adviceCounts`: how
 * many advices each order has with these, by its id.
 */
export async function queueAdvices(
  client: pg.ClientBase,
  planned: readonly PlannedAdjustment[],
  adviceCounts: ReadonlyMap<string, number>,
): Promise<void> {
  const advices = planned.flatMap(({ order, plan }) => {
    const last = adviceCounts.get(order.id.toString()) ?? plan.advices.length
    const transactionId = plan.transaction?.id ?? order.authorization.transactionId
    const about = { merchantId: order.merchantId, orderId: order.id, transactionId }
    return plan.advices.map((advice, at) =>
      adviceRow(about, advice, last - plan.advices.length + at + 1, advice.message.at),
    )
  })
  const tests = planned.flatMap(({ plan }) =>
    plan.advices.map(() => ({ bank_test: plan.bankTest ?? null })),
  )
  await client.query({
    name: 'queue advices',
    text: INSERT_ADVICES,
    values: [...adviceColumns.values(advices), ...testColumns.values(tests)],
  })
}
