import type { BatchFigure } from '../../domain/books/batch-agreement.ts'
import type { BatchState } from '../../domain/books/batch-states.ts'
import type { Mode } from '../merchants/merchant-directory.ts'

export type BatchAction = 'sale' | 'capture' | 'refund'

/** The sums of a batch for one currency, action and brand; amounts in minor units. */
export interface BatchSum {
  readonly currency: string
  readonly action: BatchAction
  readonly brand: string
  readonly transactions: number
  readonly amountMinor: bigint
  /** Of sales and captures: the amount voided while the batch was open. */
  readonly voidedMinor: bigint
}

export interface BatchView {
  readonly id: bigint
  readonly accountId: bigint
  readonly mode: Mode
  readonly processorName: string
  readonly openedAt: Date
  /** Null while it is open. */
  readonly closedAt: Date | null
  /** `portal:<e-mail>`, `operator:...` or `gateway:...`; '' where it is not known. */
  readonly closedBy: string
  readonly state: BatchState
  /** By currency, action and brand; fixed once the batch is neither open nor closing. */
  readonly sums: readonly BatchSum[]
}

/** A sale, capture or refund in a batch. */
export interface BatchTransaction {
  readonly id: bigint
  readonly orderId: bigint
  readonly orderReference: string
  readonly action: BatchAction
  readonly currency: string
  readonly amountMinor: bigint
  readonly voidedMinor: bigint
  readonly brand: string
  readonly last4: string
  readonly at: Date
}

/** The agreement of a closed batch with the bank. */
export interface BatchAgreementView {
  readonly agreedAt: Date | null
  readonly totals: readonly BatchTotals[]
  /** The first differing rows, at most `limit` of the call. */
  readonly differences: readonly BatchDifference[]
  /** Of all differing rows. */
  readonly differing: number
}

/** The figures of a brand on one side; voids are not taken off. */
export interface BatchFigures {
  readonly sales: BatchFigure
  readonly refunds: BatchFigure
  readonly voided: BatchFigure
}

/** A brand's totals in the gateway and at the bank; null until the bank has answered. */
export interface BatchTotals {
  readonly currency: string
  readonly brand: string
  readonly gateway: BatchFigures
  readonly bank: BatchFigures | null
}

/** A capture or refund about which the books differ; null where a side does not have it. */
export interface BatchDifference {
  readonly currency: string
  readonly kind: 'capture' | 'refund'
  readonly orderId: bigint | null
  readonly transactionId: bigint | null
  /** Of its advice; negative for a message that no gateway sent. */
  readonly messageNumber: bigint
  readonly gatewayMinor: bigint | null
  readonly gatewayVoidedMinor: bigint | null
  readonly bankMinor: bigint | null
  readonly bankVoidedMinor: bigint | null
}

export interface BatchAccount {
  readonly id: bigint
  readonly mode: Mode
  readonly processorName: string
  /** The minute of the day, in UTC, at which its batch is closed; null: by portal users only. */
  readonly cutoffMinute: number | null
}

/** The actor that closes a batch, as the audit log has it. */
export interface BatchCloser {
  readonly actor: string
  readonly address: string
}

export type CloseOutcome =
  | { readonly kind: 'closed'; readonly batch: BatchView; readonly nextId: bigint }
  /** Another caller closed the batch first; it is returned as closed. */
  | { readonly kind: 'closed_before'; readonly closedAt: Date; readonly closedBy: string }
  | { readonly kind: 'empty' }
  /** None of that merchant. */
  | { readonly kind: 'unknown' }

/**
 * Batches of merchant accounts. A batch of another merchant is answered like one that does not
 * exist.
 */
export interface Batches {
  /** Newest first, behind `before`; of one account, of one site's accounts, or of all. */
  list(filter: {
    readonly merchantId: bigint
    readonly siteId: bigint | null
    readonly accountId: bigint | null
    readonly state: 'open' | 'closed' | null
    readonly before: bigint | null
    readonly limit: number
  }): Promise<BatchView[]>
  accounts(merchantId: bigint, siteId: bigint | null): Promise<BatchAccount[]>
  read(merchantId: bigint, batchId: bigint): Promise<BatchView | null>
  /** Null for a batch that the merchant does not have. */
  agreement(merchantId: bigint, batchId: bigint, limit: number): Promise<BatchAgreementView | null>
  /** By id, behind `after`. */
  transactions(
    merchantId: bigint,
    batchId: bigint,
    after: bigint,
    limit: number,
  ): Promise<BatchTransaction[]>
  /**
   * Closes the batch, unless it is closed or holds nothing that the bank has answered, and opens
   * the account's next one. A conclusion holds the open batch until it is committed, and this waits
   * for it. So each conclusion is in one of the two batches. Captures and refunds that the bank has
   * not answered go into the next one.
   */
  close(merchantId: bigint, batchId: bigint, by: BatchCloser): Promise<CloseOutcome>
  /** False where the merchant has no such account. */
  setCutoff(
    merchantId: bigint,
    accountId: bigint,
    minute: number | null,
    by: BatchCloser,
  ): Promise<boolean>
  /** Open batches that hold something and were opened before their account's latest cut-off. */
  findDue(now: Date): Promise<{ readonly merchantId: bigint; readonly batchId: bigint }[]>
}
