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
  readonly state: BatchState
  /** By currency, action and brand. */
  readonly sums: readonly BatchSum[]
}

export type BatchState =
  | 'open'
  | 'closing'
  | 'agreeing'
  | 'comparing'
  | 'agreed'
  | 'differing'
  | 'closed'

/** The agreement of a closed batch with the bank. */
export interface BatchAgreement {
  /** When gateway and bank were found equal or different; null before. */
  readonly agreedAt: string | null
  /** By currency and brand; none where the acquirer agrees on no batches. */
  readonly totals: readonly BatchTotals[]
  /** The first differing rows. */
  readonly differences: readonly BatchDifference[]
  /** Of all differing rows. */
  readonly differing: number
}

/** A number of transactions and their sum in minor units. */
export interface BatchFigure {
  readonly count: number
  readonly minor: string
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
  /** Its name; the tag of the messages for a brand that the gateway does not know. */
  readonly brand: string
  readonly gateway: BatchFigures
  readonly bank: BatchFigures | null
}

/** A capture or refund about which the books differ; null where a side does not have it. */
export interface BatchDifference {
  readonly currency: string
  readonly kind: 'capture' | 'refund'
  readonly orderId: string | null
  readonly transactionId: string | null
  readonly messageNumber: string
  readonly gatewayMinor: string | null
  readonly gatewayVoidedMinor: string | null
  readonly bankMinor: string | null
  readonly bankVoidedMinor: string | null
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

/** The transactions of a batch by the payout that they are in. */
export interface BatchSettlements {
  readonly settlements: readonly BatchSettlement[]
}

export interface BatchSettlement {
  /** `waiting`: no settlement file has them yet. */
  readonly state: 'settled' | 'rejected' | 'waiting'
  /** Null while no file announces a payout of them. */
  readonly payoutId: string | null
  readonly transactions: number
  /** Of the settlement; of waiting ones that of the orders. */
  readonly currency: string
  /** Minor units; refunds are below zero. Of waiting ones the amounts, less what was voided. */
  readonly grossMinor: string
  /** Less the fees; null of waiting ones. */
  readonly netMinor: string | null
}

export interface SettledTransactions {
  readonly transactions: readonly SettledTransaction[]
  readonly next: string | null
}

/** A transaction of a batch as a settlement file has it, in minor units. */
export interface SettledTransaction {
  readonly id: string
  readonly orderId: string
  /** The merchant's own id of the order; '' for none. */
  readonly orderReference: string
  readonly action: 'sale' | 'capture' | 'refund'
  /** Null while no settlement file has it. */
  readonly fileSeq: string | null
  readonly line: number | null
  readonly grossMinor: string
  readonly netMinor: string | null
}
