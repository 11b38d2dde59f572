import { planCaptureVoids } from './capture-voids.ts'
import type { CaptureVoid } from './capture-voids.ts'
import {
  capturedOf,
  chooseLines,
  leftToRefund,
  refundableOf,
  refundableRoomOf,
  spreadOverLines,
  sumOf,
  uncapturedOf,
} from './line-shares.ts'
import type { LineShare } from './line-shares.ts'
import type { OrderLine, OrderSnapshot } from './order-snapshot.ts'

/** Why an order cannot be changed as asked. */
export type AdjustmentRefusal =
  /** Also for another merchant's order. */
  | 'order_not_found'
  /** Never authorized, or not yet; or there is no capture to void. */
  | 'order_not_adjustable'
  /** A refund needs the card's number, which was erased. */
  | 'card_removed'
  | 'charged_back'
  | 'already_reversed'
  | 'amount_not_positive'
  /** More than the amount that can be voided. */
  | 'amount_invalid'
  | 'capture_exceeds'
  | 'fully_captured'
  /** Nothing is left: it was voided, or it has expired. */
  | 'adjusted_to_zero'
  | 'batch_closed'
  | 'not_captured'
  | 'refund_exceeds'
  | 'fully_refunded'

export interface AdjustmentRequest {
  /** Minor units; null: all that the action can take. */
  readonly amountMinor: bigint | null
  /** A line of this order (the caller has looked); null: the whole order. */
  readonly lineId: bigint | null
}

export interface Refused {
  readonly kind: 'refused'
  readonly refusal: AdjustmentRefusal
}

/** A capture or refund that may be booked. */
export interface AmountAllowed {
  readonly kind: 'allowed'
  readonly amountMinor: bigint
  /** How much falls on which line; adds up to the amount. */
  readonly lines: readonly LineShare[]
}

/** A void that may be booked: what to take from the open money and what from which capture. */
export interface VoidAllowed {
  readonly kind: 'allowed'
  /** All that is voided: the next two together. */
  readonly totalMinor: bigint
  readonly voidUncapturedMinor: bigint
  /** Newest capture first. */
  readonly captureVoids: readonly CaptureVoid[]
  /** Adds up to voidUncapturedMinor. Each share is added to the line's voided amount. */
  readonly uncapturedLines: readonly LineShare[]
  /** Adds up to the capture voids. Each share moves from the line's captured to its voided. */
  readonly capturedLines: readonly LineShare[]
  /**
   * This void alone takes the whole authorization, or all that other voids left of it without
   * naming an amount or a line. From then on the order counts as reversed. An order that partial
   * voids used up bit by bit only has nothing left.
   */
  readonly reversesWhole: boolean
}

export type CaptureDecision = AmountAllowed | Refused
export type RefundDecision = AmountAllowed | Refused
export type VoidDecision = VoidAllowed | Refused
export type VoidOrRefundDecision =
  | { readonly kind: 'void'; readonly decision: VoidAllowed }
  | { readonly kind: 'refund'; readonly decision: AmountAllowed }
  | Refused

/**
 * Whether an amount can be captured. Without a line it is taken from the first line that has
 * something open, then from the next ones. An order of amount zero has nothing to capture from the
 * start, which is answered like a fully captured one.
 */
export function decideCapture(order: OrderSnapshot, request: AdjustmentRequest): CaptureDecision {
  const blocked = findBlock(order, request)
  if (blocked !== null) return refuse(blocked)

  const { authorizedMinor, capturedMinor } = order.money
  if (capturedMinor === authorizedMinor) return refuse('fully_captured')
  if (order.expired) return refuse('adjusted_to_zero')

  const lines = chooseLines(order, request.lineId)
  const open = openOf(order, lines)
  const amountMinor = request.amountMinor ?? open
  if (open === 0n) {
    return refuse(sumOf(lines, capturedOf) > 0n ? 'fully_captured' : 'adjusted_to_zero')
  }
  if (amountMinor > open) return refuse('capture_exceeds')
  return { kind: 'allowed', amountMinor, lines: spreadOverLines(lines, amountMinor, uncapturedOf) }
}

/**
 * Whether an amount can be returned to the card: captured money that was not returned yet, in an
 * open batch or a closed one. Captures that the acquirer rejected do not count. Without a line the
 * amount is taken from the first line that has something, then from the next.
 */
export function decideRefund(order: OrderSnapshot, request: AdjustmentRequest): RefundDecision {
  const blocked = findBlock(order, request)
  if (blocked !== null) return refuse(blocked)

  const lines = chooseLines(order, request.lineId)
  if (sumOf(lines, capturedOf) === 0n) return refuse('not_captured')
  const refundable = leftToRefund(order, lines)
  const amountMinor = request.amountMinor ?? refundable
  if (refundable === 0n) return refuse('fully_refunded')
  if (amountMinor > refundable) return refuse('refund_exceeds')
  const shares = spreadOverLines(lines, amountMinor, refundableRoomOf(order))
  return { kind: 'allowed', amountMinor, lines: shares }
}

/**
 * Whether an authorization can be voided. With an amount: that much of the open money. Without: all
 * the open money. The captures of open batches go too, unless the order has refunds, which are
 * measured against the captured amount.
 */
export function decideVoid(order: OrderSnapshot, request: AdjustmentRequest): VoidDecision {
  const blocked = findBlock(order, request)
  if (blocked !== null) return refuse(blocked)

  const lines = chooseLines(order, request.lineId)
  const open = openOf(order, lines)
  const takesCaptures = request.amountMinor === null && order.money.refundedMinor === 0n
  const voids = planCaptureVoids(order, takesCaptures ? null : 0n, request.lineId)
  const voidUncapturedMinor = request.amountMinor ?? open
  if (open + voids.totalMinor === 0n) {
    const isBatchClosed =
      order.money.closedBatchCapturedMinor > 0n && sumOf(lines, refundableOf) > 0n
    return refuse(isBatchClosed ? 'batch_closed' : 'adjusted_to_zero')
  }
  if (voidUncapturedMinor > open) return refuse('amount_invalid')
  return allowVoid(order, request, {
    voidUncapturedMinor,
    uncapturedLines: spreadOverLines(lines, voidUncapturedMinor, uncapturedOf),
    captureVoids: voids.captureVoids,
    capturedLines: voids.lines,
  })
}

/**
 * Whether captures can be voided: the newest first, none of a closed batch, and never so much that
 * refunds would exceed the captured rest.
 */
export function decideCaptureVoid(order: OrderSnapshot, request: AdjustmentRequest): VoidDecision {
  const blocked = findBlock(order, request)
  if (blocked !== null) return refuse(blocked)
  if (order.captures.length === 0) return refuse('order_not_adjustable')

  const available = planCaptureVoids(order, null, request.lineId).totalMinor
  const refundable = sumOf(chooseLines(order, request.lineId), refundableOf)
  const amountMinor = request.amountMinor ?? available
  // An amount that can be refunded and not voided is in a closed batch.
  if (available === 0n) return refuse(refundable > 0n ? 'batch_closed' : 'adjusted_to_zero')
  if (amountMinor > available) {
    return refuse(amountMinor <= refundable ? 'batch_closed' : 'amount_invalid')
  }
  const voids = planCaptureVoids(order, amountMinor, request.lineId)
  return allowVoid(order, request, {
    voidUncapturedMinor: 0n,
    uncapturedLines: [],
    captureVoids: voids.captureVoids,
    capturedLines: voids.lines,
  })
}

/**
 * A void, or a refund of the same amount if the void is impossible. Without an amount the refund is
 * for all that is captured and not refunded. If neither is possible, an order with captured money
 * is answered with the refusal of the refund, any other with that of the void.
 */
export function decideVoidOrRefund(
  order: OrderSnapshot,
  action: 'void' | 'capture_void',
  request: AdjustmentRequest,
): VoidOrRefundDecision {
  const decideAction = action === 'void' ? decideVoid : decideCaptureVoid
  const voidDecision = decideAction(order, request)
  if (voidDecision.kind === 'allowed') return { kind: 'void', decision: voidDecision }

  const refundDecision = decideRefund(order, request)
  if (refundDecision.kind === 'allowed') return { kind: 'refund', decision: refundDecision }
  return order.money.capturedMinor > 0n ? refundDecision : voidDecision
}

/**
 * The amount of these lines that can still be captured or voided; never more than of the whole
 * order.
 */
function openOf({ money }: OrderSnapshot, lines: readonly OrderLine[]): bigint {
  const ofOrder = money.authorizedMinor - money.capturedMinor - money.voidedMinor
  const ofLines = sumOf(lines, uncapturedOf)
  return ofLines < ofOrder ? ofLines : ofOrder
}

/** Whether nothing of an order is left because of disputes. */
export function isChargedBack({ disputedMinor, money }: OrderSnapshot): boolean {
  return disputedMinor > 0n && disputedMinor >= money.capturedMinor - money.refundedMinor
}

/** Refusals that apply to every adjustment. */
function findBlock(order: OrderSnapshot, request: AdjustmentRequest): AdjustmentRefusal | null {
  if (order.state !== 'authorized') return 'order_not_adjustable'
  if (isChargedBack(order)) return 'charged_back'
  if (order.reversedWhole) return 'already_reversed'
  if (request.amountMinor !== null && request.amountMinor <= 0n) return 'amount_not_positive'
  return null
}

function allowVoid(
  order: OrderSnapshot,
  request: AdjustmentRequest,
  parts: Omit<VoidAllowed, 'kind' | 'totalMinor' | 'reversesWhole'>,
): VoidAllowed {
  const totalMinor = parts.voidUncapturedMinor + sumOf(parts.captureVoids, (taken) => taken.minor)
  const { authorizedMinor, voidedMinor } = order.money
  const leavesNothing = voidedMinor + totalMinor === authorizedMinor
  const namesNoPart = request.amountMinor === null && request.lineId === null
  return {
    kind: 'allowed',
    totalMinor,
    ...parts,
    reversesWhole: leavesNothing && (namesNoPart || totalMinor === authorizedMinor),
  }
}

function refuse(refusal: AdjustmentRefusal): Refused {
  return { kind: 'refused', refusal }
}
