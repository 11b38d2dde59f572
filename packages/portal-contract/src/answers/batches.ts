import type { Mode } from './shell.ts'

export interface BatchList {
  readonly batches: readonly BatchView[]
  /** The place that the next page begins behind; null on the last. */
  readonly next: string | null
  readonly accounts: readonly BatchAccount[]
}

export interface BatchView {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly processorName: string
  readonly openedAt: string
  /** Null while it is open. */
  readonly closedAt: string | null
  /** `portal:<e-mail>`, `operator:...` or `gateway:...`; '' where it is not known. */
  readonly closedBy: string
  /** By currency, action and brand. */
  readonly sums: readonly BatchSum[]
}

/** A batch's sums of one currency, action and brand; amounts in minor units. */
export interface BatchSum {
  readonly currency: string
  readonly action: BatchAction
  readonly brand: string
  readonly transactions: number
  readonly amountMinor: string
  /** Of sales and captures: the part that was voided while the batch was open. */
  readonly voidedMinor: string
}

export type BatchAction = 'sale' | 'capture' | 'refund'

export interface BatchAccount {
  readonly id: string
  readonly mode: Mode
  readonly processorName: string
  /** The minute of the day, in UTC, at which its batch is closed; null: by portal users only. */
  readonly cutoffMinute: number | null
}

/** A sale, capture or refund in a batch. */
export interface BatchTransaction {
  readonly id: string
  readonly orderId: string
  readonly orderReference: string
  readonly action: BatchAction
  readonly currency: string
  readonly amountMinor: string
  readonly voidedMinor: string
  readonly brand: string
  readonly last4: string
  readonly at: string
}

export interface BatchTransactions {
  readonly transactions: readonly BatchTransaction[]
  readonly next: string | null
}
