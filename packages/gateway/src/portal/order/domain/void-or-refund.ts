import { planCaptureVoids } from '../../../domain/payments/capture-voids.ts'
import { leftToRefund } from '../../../domain/payments/line-shares.ts'
import type { OrderSnapshot } from '../../../domain/payments/order-snapshot.ts'
import { isChargedBack, type AdjustmentRefusal } from '../../../domain/payments/order.ts'

/** One step of a void or refund: its kind, its amount, and the reason. */
export interface VoidOrRefundStep {
  readonly does: 'void' | 'capture_void' | 'refund'
  /** Minor units, above zero. */
  readonly minor: bigint
  /** The step takes all that there is of it, so it is sent without an amount. */
  readonly whole: boolean
  readonly why: string
}

export type VoidOrRefundPlan =
  | { readonly kind: 'planned'; readonly steps: readonly VoidOrRefundStep[] }
  | { readonly kind: 'refused'; readonly refusal: AdjustmentRefusal; readonly mostMinor: bigint }

const WHY = {
  void: 'The amount is authorized but not captured, so it is voided. The customer is not charged.',
  capture_void: 'The amount is captured but its batch is still open, so the capture is voided.',
  refund: 'The batch is closed, or a part is already refunded, so the amount is refunded.',
} as const

/**
 * How an amount is voided or refunded; null for all there is. Held amounts are voided first, then
 * captures that can still be voided, and the rest is refunded. Never more is voided than asked for.
 */
export function planVoidOrRefund(
  order: OrderSnapshot,
  wantedMinor: bigint | null,
): VoidOrRefundPlan {
  const { authorizedMinor, capturedMinor, voidedMinor, refundedMinor } = order.money
  const open = order.state === 'authorized' ? authorizedMinor - capturedMinor - voidedMinor : 0n
  const returnable = order.state === 'authorized' ? leftToRefund(order, order.lines) : 0n
  const mostMinor = open + returnable
  if (order.state !== 'authorized')
    return { kind: 'refused', refusal: 'order_not_adjustable', mostMinor }
  if (isChargedBack(order)) return { kind: 'refused', refusal: 'charged_back', mostMinor }
  if (order.reversedWhole) return { kind: 'refused', refusal: 'already_reversed', mostMinor }
  if (mostMinor === 0n) return { kind: 'refused', refusal: 'adjusted_to_zero', mostMinor }
  const wanted = wantedMinor ?? mostMinor
  if (wanted <= 0n) return { kind: 'refused', refusal: 'amount_not_positive', mostMinor }
  if (wanted > mostMinor) return { kind: 'refused', refusal: 'amount_invalid', mostMinor }

  const voidable = planCaptureVoids(order, null, null).totalMinor
  const steps: VoidOrRefundStep[] = []
  let missing = wanted
  const take = (does: VoidOrRefundStep['does'], available: bigint): void => {
    const minor = available < missing ? available : missing
    if (minor === 0n) return
    steps.push({ does, minor, whole: false, why: WHY[does] })
    missing -= minor
  }
  take('void', open)
  take('capture_void', voidable)
  take('refund', returnable)
  const [only] = steps
  // One void of all of it, so that the order counts as voided as a whole.
  const isAll =
    wanted === mostMinor && refundedMinor === 0n && steps.every(({ does }) => does !== 'refund')
  if (isAll && only !== undefined) {
    const both = steps.length > 1 ? `${WHY.void} ${WHY.capture_void}` : only.why
    return { kind: 'planned', steps: [{ does: 'void', minor: wanted, whole: true, why: both }] }
  }
  return { kind: 'planned', steps }
}
