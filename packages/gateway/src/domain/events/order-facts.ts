import type { Currency } from '../currency.ts'
import type { EventActor } from './event.ts'

/** The facts of an order, and its card as it is stored now. */
export interface OrderFacts {
  readonly orderId: string
  readonly merchantId: string
  readonly siteId: string
  readonly mode: 'test' | 'live'
  readonly currency: Currency
  readonly reference: string
  readonly customerId: string
  readonly customerReference: string
  readonly membershipIds: readonly string[]
  readonly membershipReference: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly id: string
    readonly reference: string
  }
}

/** The sums of an order after an adjustment, in minor units. */
export interface OrderSums {
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
}

/** A concluded transaction. */
export interface TransactionFacts extends OrderFacts {
  readonly transactionId: string
  readonly requestId: string
  readonly kind: 'authorization' | 'sale' | 'capture' | 'refund' | 'void' | 'capture_void'
  readonly state: 'approved' | 'declined' | 'failed'
  readonly origin: 'api' | 'portal' | 'rebill' | 'resolver'
  readonly actor: EventActor | null
  readonly requestedMinor: bigint
  readonly valueMinor: bigint
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
  readonly avs: string
  readonly cvv: string
  readonly eci: string
  readonly expiresAt: Date | null
  readonly at: Date
  /** Null unless it adjusted an order. */
  readonly sums: OrderSums | null
}

/** A message to the bank that it acknowledged. */
export interface AdviceFacts extends OrderFacts {
  readonly transactionId: string
  /** Why the gateway reversed, in words; null for other kinds. */
  readonly reason: string | null
  readonly amountMinor: bigint
  readonly bankCode: string
  readonly at: Date
}
