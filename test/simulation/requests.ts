import type { TransactionState } from '../../packages/gateway/src/domain/payments/transaction-states.ts'
import type { NamedAdjustmentResult } from '../../packages/gateway/src/usecases/payments/adjust-named-order.ts'
import type { PaymentResult } from '../../packages/gateway/src/usecases/payments/payment-command.ts'
import type { Change, Purchase } from './merchant.ts'

/** The answer that a client received, or its absence. */
export type Told =
  | {
      readonly kind: 'told'
      readonly state: TransactionState
      readonly transactionId: bigint
      readonly minor: bigint
    }
  | { readonly kind: 'refused' }
  /** The request was not accepted: the database was away. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'uncertain' }
  /** The process died. */
  | { readonly kind: 'silence' }

export interface Request {
  readonly id: bigint
  readonly what: Purchase | Change
  told: Told | null
}

export function tellResult(result: PaymentResult | NamedAdjustmentResult): Told {
  if (result.kind !== 'done') return { kind: 'refused' }
  const { state, transactionId, valueMinor } = result.transaction
  return { kind: 'told', state, transactionId, minor: valueMinor < 0n ? -valueMinor : valueMinor }
}

/** For traces. */
export function describe(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  )
}
