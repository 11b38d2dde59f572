import { refused, type Refusal, type RefusalKind } from '../../../base/refusal.ts'
import type { TransactionState } from '../../../domain/payments/transaction-states.ts'
import type { TransactionKind } from '../../../usecases/payments/transaction-view.ts'
import type { CodeMeaning } from '../../words/decline-reasons.ts'

/** The result of an operation. It is stored, so that a repeat of the request gets the same one. */
export type OperationAnswer = ({ readonly ok: true } & OperationDone) | OperationRefusal

export interface OperationDone {
  readonly outcome: OperationOutcome
}

/** An operation that reached the order; the bank may have declined it. */
export interface OperationOutcome {
  readonly kind: 'done'
  readonly sentence: string
  readonly orderId: bigint
  readonly transactionId: bigint
  readonly did: TransactionKind
  readonly state: TransactionState
  /** Without sign. */
  readonly amountMinor: bigint
  readonly currency: string
  /** The reason why it was not approved; null for an approval. */
  readonly refusal: CodeMeaning | null
}

/** Why an operation was not done; `forbidden`: a limit of the portal user does not allow it. */
export interface OperationRefusal extends Refusal {
  readonly kind: Exclude<RefusalKind, 'locked'>
  readonly code: string
  /** The SERVICE_RESPONSE of the same refusal at the payment address; 0 for none. */
  readonly service: number
}

/** A payment that looks like the requested one. */
export interface EarlierPayment {
  readonly orderId: bigint
  readonly at: Date
  readonly amountMinor: bigint
  readonly currency: string
  readonly brand: string
  readonly last4: string
  readonly customer: string
}

export type PaymentAnswer = ({ readonly ok: true } & PaymentDone) | OperationRefusal

/** A payment that was taken, or an earlier one that the portal user has to see first. */
export interface PaymentDone {
  readonly outcome:
    | OperationOutcome
    | { readonly kind: 'duplicate'; readonly earlier: EarlierPayment }
}

/**
 * A refusal of one sentence. `field`: the field of the form at fault; null for none. `service`: the
 * SERVICE_RESPONSE of the same refusal at the payment address; 0 for none.
 */
export function refusal(
  kind: OperationRefusal['kind'],
  code: string,
  sentence: string,
  field: string | null = null,
  service = 0,
): OperationRefusal {
  return { ...refused(kind, sentence, field === null ? {} : { field }), kind, code, service }
}

export const INTERRUPTED: OperationRefusal = refusal(
  'conflict',
  'interrupted',
  'The gateway stopped before the operation was complete. ' +
    'As far as the gateway knows, no money moved. Check the order and try again.',
)

export const STILL_RUNNING: OperationRefusal = refusal(
  'conflict',
  'still_running',
  'The operation is still in progress. Reload the page in a moment to see the result.',
)

/** Answers another request under the key of an earlier operation. */
export const KEY_REUSED: OperationRefusal = refusal(
  'conflict',
  'key_reused',
  'This page already sent another operation with the same key. Reload the page.',
)
