import { findCurrency, type Currency } from '../../packages/gateway/src/domain/currency.ts'
import type { OrderState } from '../../packages/gateway/src/domain/payments/order-states.ts'
import type {
  NewClaim,
  ReferenceClaim,
} from '../../packages/gateway/src/domain/payments/reference-claim.ts'
import type { TransactionState } from '../../packages/gateway/src/domain/payments/transaction-states.ts'
import type {
  MessageIdentity,
  NewAdvice,
  PaymentIntent,
} from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import type { TransactionKind } from '../../packages/gateway/src/usecases/payments/transaction-view.ts'

/** The rows of the payment core that decide about money; names and meaning as in the migrations. */
export interface OrderRow {
  readonly id: bigint
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly merchantAccountId: bigint
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly currency: Currency
  readonly reference: string
  readonly requestedMinor: bigint
  readonly message: MessageIdentity
  readonly lines: LineRow[]
  readonly transactions: TransactionRow[]
  readonly advices: AdviceRow[]
  state: OrderState
  authorizedMinor: bigint
  capturedMinor: bigint
  voidedMinor: bigint
  refundedMinor: bigint
  reversedWhole: boolean
  expiresAt: Date | null
  releasedAt: Date | null
  adviceCount: number
}

export interface LineRow {
  readonly id: bigint
  readonly number: number
  amountMinor: bigint
  capturedMinor: bigint
  voidedMinor: bigint
  refundedMinor: bigint
}

export interface TransactionRow {
  readonly id: bigint
  readonly requestId: bigint
  readonly order: OrderRow
  readonly kind: TransactionKind
  readonly lineId: bigint | null
  readonly createdAt: Date
  readonly amountMinor: bigint
  endedAt: Date | null
  state: TransactionState
  valueMinor: bigint
  voidedMinor: bigint
  /** Of a sale, capture or refund; null for another transaction. */
  batchId: bigint | null
}

export interface AdviceRow extends NewAdvice {
  readonly order: OrderRow
  readonly transactionId: bigint
  readonly sequence: number
  state: 'queued' | 'acknowledged'
  tries: number
  nextTryAt: Date
  responseCode: string
  /** Of a capture or refund: the batch that its message names. */
  batchId: bigint | null
  /** The batch that it named before a cut-off moved it. */
  leftBatchId: bigint | null
}

export interface ClaimRow extends NewClaim {
  readonly transactionId: bigint
  state: ReferenceClaim['state']
  endedAt: Date
}

/** A constraint of the database; a sound gateway never violates one. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError'
}

/** The constraints of the orders' own tables, the lines' and the captures' included. */
export function assertConstraints(order: OrderRow): void {
  const { authorizedMinor, capturedMinor, voidedMinor, refundedMinor, requestedMinor } = order
  const held: [boolean, string][] = [
    [authorizedMinor <= requestedMinor, 'orders_no_more_approved_than_asked'],
    [capturedMinor + voidedMinor <= authorizedMinor, 'orders_no_more_captured_than_authorized'],
    [
      refundedMinor <= capturedMinor || order.kind === 'unreferenced_credit',
      'orders_no_more_refunded_than_captured',
    ],
    [
      order.kind === 'payment' || refundedMinor <= requestedMinor,
      'orders_refund_no_more_than_asked',
    ],
    [
      capturedMinor >= 0n && voidedMinor >= 0n && refundedMinor >= 0n,
      'orders: an amount is negative',
    ],
  ]
  for (const line of order.lines) {
    held.push(
      [
        line.capturedMinor + line.voidedMinor <= line.amountMinor,
        'order_lines_no_more_captured_than_the_line',
      ],
      [line.refundedMinor <= line.capturedMinor, 'order_lines_no_more_refunded_than_captured'],
      [line.capturedMinor >= 0n && line.voidedMinor >= 0n, 'order_lines: an amount is negative'],
    )
  }
  for (const row of order.transactions) {
    held.push([row.voidedMinor <= row.valueMinor, 'transactions_void_no_more_than_their_value'])
  }
  for (const [holds, name] of held) {
    if (!holds) throw new ConstraintError(`Order ${order.id} would break ${name}.`)
  }
}

/** An order as its intent writes it. */
export function newOrder(intent: PaymentIntent, state: OrderState): OrderRow {
  const currency = findCurrency(intent.currency)
  if (currency === null) throw new ConstraintError('An intent has an unknown currency.')
  return {
    id: intent.orderId,
    merchantId: intent.merchantId,
    siteId: intent.siteId,
    merchantAccountId: intent.merchantAccountId,
    kind: intent.kind === 'refund' ? 'unreferenced_credit' : 'payment',
    currency,
    reference: intent.reference,
    requestedMinor: intent.amountMinor,
    message: intent.message,
    lines: intent.lines.map((line, at) => ({
      id: line.id,
      number: at + 1,
      amountMinor: line.amountMinor,
      capturedMinor: 0n,
      voidedMinor: 0n,
      refundedMinor: 0n,
    })),
    transactions: [],
    advices: [],
    state,
    authorizedMinor: 0n,
    capturedMinor: 0n,
    voidedMinor: 0n,
    refundedMinor: 0n,
    reversedWhole: false,
    expiresAt: null,
    releasedAt: null,
    adviceCount: 0,
  }
}
