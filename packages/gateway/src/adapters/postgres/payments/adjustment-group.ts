import type pg from 'pg'
import type { IdempotencyKey } from '../../../domain/payments/idempotency-key.ts'
import type { SiteInTime } from '../../../usecases/merchants/merchant-directory.ts'
import type { AdjustmentPlan, LockedOrder } from '../../../usecases/payments/adjustment-store.ts'
import type { NewKeyHolder } from '../../../usecases/payments/idempotency-key.ts'
import type { PlannedAdjustment } from './adjustment-advices.ts'
import { findTaken, takeKeys } from './idempotency-keys.ts'

export interface Adjustment {
  readonly site: SiteInTime
  readonly orderId: bigint
  readonly plan: (order: LockedOrder | null) => Promise<AdjustmentPlan | null>
  readonly key: IdempotencyKey | null
}

interface Decided extends PlannedAdjustment {
  readonly requested: Adjustment
}

/**
 * Lets each adjustment of a group plan, under the locks of the orders, and takes the keys. Another
 * request has the keys of `refused`: from before the lock, or since, with another order.
 */
export async function decideGroup(
  client: pg.ClientBase,
  orders: ReadonlyMap<bigint, LockedOrder>,
  group: readonly Adjustment[],
): Promise<{
  readonly planned: readonly PlannedAdjustment[]
  readonly refused: ReadonlySet<Adjustment>
}> {
  const refused = await findTaken(client, group)
  const decided: Decided[] = []
  for (const requested of group) {
    // The rules would refuse a repeat that finds nothing left.
    if (refused.has(requested)) continue
    const { orderId, site, plan } = requested
    const found = orders.get(orderId)
    const order = found?.siteId === site.id && found.mode === site.mode ? found : null
    const adjustment = await plan(order)
    if (adjustment !== null && order !== null) decided.push({ order, plan: adjustment, requested })
  }
  const taken = await takeKeys(client, decided.flatMap(keyedRow))
  const planned: PlannedAdjustment[] = []
  for (const one of decided) {
    const isGranted = keyedRow(one).every(({ transactionId }) => taken.has(transactionId))
    if (isGranted) planned.push(one)
    else refused.add(one.requested)
  }
  return { planned, refused }
}

function keyedRow({
  requested: { key, site },
  order: { merchantId },
  plan: { at, transaction },
}: Decided): readonly NewKeyHolder[] {
  if (key === null || transaction === null) return []
  return [{ site, merchantId, transactionId: transaction.id, key, at }]
}
