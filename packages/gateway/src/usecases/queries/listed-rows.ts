import type { Currency } from '../../domain/currency.ts'

/** The card of an order, as CCSTATUS shows it and never more. */
export interface ListedCard {
  readonly brand: string
  readonly last4: string
  readonly id: string
  readonly reference: string
}

/** The ids and references of an order. */
export interface ListedNames {
  readonly orderId: string
  readonly siteId: string
  readonly mode: string
  readonly currency: Currency
  readonly reference: string
  readonly customerId: string
  readonly customerReference: string
  readonly membershipIds: readonly string[]
  readonly membershipReference: string
  readonly card: ListedCard
}

export interface ListedOrder extends ListedNames {
  readonly kind: string
  readonly state: string
  readonly createdAt: Date
  readonly requestedMinor: bigint
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
  readonly expiresAt: Date | null
  readonly releasedAt: Date | null
}

export interface ListedTransaction extends ListedNames {
  readonly transactionId: string
  readonly requestId: string
  readonly kind: string
  readonly state: string
  readonly origin: string
  readonly portalUserId: string | null
  readonly createdAt: Date
  readonly concludedAt: Date | null
  readonly requestedMinor: bigint
  readonly valueMinor: bigint
  readonly voidedMinor: bigint
  readonly batchId: string | null
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
  readonly avs: string
  readonly cvv: string
  readonly eci: string
}

export interface ListedMembership {
  readonly membershipId: string
  readonly siteId: string
  readonly mode: string
  readonly state: string
  readonly createdAt: Date
  readonly customerId: string
  readonly customerReference: string
  readonly reference: string
  readonly firstOrderId: string
  readonly product: string
  readonly nextProduct: string | null
  readonly priceMinor: bigint
  readonly currency: Currency
  readonly cardId: string
  readonly nextChargeAt: Date | null
  readonly attempts: number
  readonly endsAt: Date | null
  readonly overAt: Date | null
}

export interface ListedCustomer {
  readonly customerId: string
  readonly mode: string
  readonly reference: string
  readonly createdAt: Date
  readonly cards: readonly ListedCard[]
}

export interface ListedBatch {
  readonly batchId: string
  readonly accountId: string
  readonly mode: string
  readonly state: string
  readonly openedAt: Date
  readonly closedAt: Date | null
  readonly agreedAt: Date | null
  /** Null until the batch is closed. */
  readonly sums:
    | readonly {
        readonly currency: Currency
        readonly action: string
        readonly brand: string
        readonly transactions: number
        readonly amountMinor: bigint
        readonly voidedMinor: bigint
      }[]
    | null
}

export interface ListedPayout {
  readonly payoutId: string
  readonly fileId: string
  readonly accountId: string
  readonly mode: string
  readonly state: string
  readonly reference: string
  readonly trace: string
  readonly currency: Currency
  readonly sumsMinor: Readonly<Record<PayoutSum, bigint>>
  /** Days as YYYY-MM-DD. */
  readonly valueDate: string
  readonly arrives: string | null
  readonly bookedAt: Date
}

/** The parts of a payout, and its `net`. */
export const PAYOUT_SUMS = [
  'carried',
  'gross',
  'refunds',
  'chargebacks',
  'fees',
  'reserve',
  'other',
  'left',
  'net',
] as const
export type PayoutSum = (typeof PAYOUT_SUMS)[number]

export interface ListedDispute {
  readonly disputeId: string
  readonly caseId: string
  readonly accountId: string
  readonly mode: string
  readonly state: string
  readonly orderId: string | null
  readonly orderReference: string
  readonly brand: string
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly reason: string
  readonly isCharged: boolean
  /** A day as YYYY-MM-DD. */
  readonly respondBy: string | null
  readonly openedAt: Date
  readonly changedAt: Date
  readonly endedAt: Date | null
}

/** The rows of each list. */
export interface ListedRows {
  readonly orders: ListedOrder
  readonly transactions: ListedTransaction
  readonly memberships: ListedMembership
  readonly customers: ListedCustomer
  readonly batches: ListedBatch
  readonly payouts: ListedPayout
  readonly disputes: ListedDispute
}

export type ListName = keyof ListedRows
