import type { CardProduct } from '../../../domain/payments/card-product.ts'
import type { OrderLine, OrderSnapshot } from '../../../domain/payments/order-snapshot.ts'
import type { OrderState } from '../../../domain/payments/order-states.ts'
import type { TransactionState } from '../../../domain/payments/transaction-states.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { TransactionKind } from '../../../usecases/payments/transaction-view.ts'
import type { CodeMeaning, RetryAdvice } from '../../words/decline-reasons.ts'
import type { VoidOrRefundPlan } from '../domain/void-or-refund.ts'
import type { OrderMoney, SeenSums } from './order-money.ts'

/**
 * Everything that a portal user sees of one order. Amounts are minor units of the order's currency.
 */
export interface OrderPage extends OrderMoney {
  readonly id: bigint
  readonly site: { readonly id: bigint; readonly name: string }
  readonly mode: Mode
  readonly account: { readonly id: bigint; readonly name: string; readonly processor: string }
  readonly currency: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: OrderState
  /** The state as portal users say it. */
  readonly status: OrderStatus
  readonly reference: string
  readonly membershipReference: string
  readonly receipt: string | null
  readonly createdAt: Date
  /**
   * When the bank lets the authorization go, by the site's clock; null once nothing is left to
   * capture.
   */
  readonly expiresAt: Date | null
  readonly money: OrderSums
  /** The sums that a change is compared with. */
  readonly seen: SeenSums
  readonly customer: OrderCustomer
  readonly card: OrderCard
  readonly authorization: {
    readonly code: string
    readonly retrievalReference: string
    readonly networkTransactionId: string
  }
  readonly checks: {
    readonly avs: CodeInWords | null
    readonly cvv: CodeInWords | null
    readonly threeDs: CodeInWords | null
    readonly eci: CodeInWords | null
  }
  /** Why it was not approved; null for what was. */
  readonly refusal: OrderRefusal | null
  readonly lines: readonly OrderLineView[]
  readonly timeline: readonly TimelineEvent[]
  /** The effect of voiding or refunding all of it. */
  readonly voidOrRefund: VoidOrRefundPlan
}

export interface OrderStatus {
  readonly word: string
  readonly sentence: string
}

export interface OrderSums {
  readonly requestedMinor: bigint
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly leftToCaptureMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
  readonly leftToRefundMinor: bigint
  /** Asked of a bank that has not answered yet. */
  readonly inFlightMinor: bigint
}

export interface OrderCustomer {
  readonly id: bigint
  readonly reference: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly billing: readonly string[]
  readonly shipping: readonly string[]
}

export interface OrderCard {
  readonly id: bigint
  readonly brand: string
  /** The first six digits, where the request log still has them. */
  readonly bin: string | null
  readonly last4: string
  /** `04/2031`; '' where none is kept. */
  readonly expiry: string
  /** The bank's data about the card: `Visa Classic, credit`. */
  readonly detail: string
}

export interface CodeInWords {
  readonly code: string
  readonly words: string
}

export interface OrderRefusal extends CodeMeaning {
  readonly transactionId: bigint
  readonly service: CodeInWords
  readonly processor: CodeInWords | null
  readonly industry: CodeInWords | null
  readonly retry: RetryAdvice
}

export interface OrderLineView {
  readonly id: bigint
  readonly number: number
  readonly product: string
  readonly merchantProduct: string
  readonly count: number
  readonly amountMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
  readonly leftToCaptureMinor: bigint
  readonly leftToRefundMinor: bigint
  readonly membershipId: bigint | null
}

export interface Who {
  readonly kind: 'portal_user' | 'api_user' | 'gateway' | 'membership'
  readonly name: string
}

/** Something that happened to an order. */
export interface TimelineEvent {
  readonly id: string
  readonly at: Date
  readonly kind: 'money' | 'bank' | 'inquiry' | 'three_ds' | 'membership' | 'note' | 'portal_user'
  readonly title: string
  readonly state: string | null
  /** Minor units, without sign; null where it is about no amount. */
  readonly amountMinor: bigint | null
  readonly who: Who | null
  readonly requestId: bigint | null
  readonly transactionId: bigint | null
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** The text of a user, unchanged. */
  readonly text: string | null
}

/** The rows that the page is made of. */
export interface OrderRows extends OrderMoney {
  readonly order: Pick<OrderSnapshot, 'disputedMinor' | 'reversedWhole'> & {
    readonly id: bigint
    readonly site: OrderPage['site']
    readonly mode: Mode
    readonly account: OrderPage['account']
    readonly currency: string
    readonly kind: 'payment' | 'unreferenced_credit'
    readonly state: OrderState
    readonly reference: string
    readonly membershipReference: string
    readonly receipt: string | null
    readonly createdAt: Date
    readonly expiresAt: Date | null
    readonly releasedAt: Date | null
    /** Whether the site's clock is past `expiresAt`. */
    readonly expired: boolean
    readonly requestedMinor: bigint
    readonly sums: SeenSums
    readonly authCode: string
    readonly networkTransactionId: string
    readonly retrievalReference: string
    readonly customer: {
      readonly id: bigint
      readonly reference: string
      readonly firstName: string
      readonly lastName: string
      readonly email: string
      readonly phone: string
      readonly billing: Readonly<Record<string, string>>
      readonly shipping: Readonly<Record<string, string>>
    }
    readonly card: {
      readonly id: bigint
      readonly brand: string
      readonly bin: string | null
      readonly last4: string
      readonly expiryMonth: number | null
      readonly expiryYear: number | null
    }
  }
  readonly lines: readonly (OrderLine & {
    readonly product: string
    readonly merchantProduct: string
    readonly count: number
    readonly membershipId: bigint | null
  })[]
  /** Oldest first. */
  readonly transactions: readonly TransactionRow[]
  readonly advices: readonly AdviceRow[]
  readonly lateAnswers: readonly {
    readonly at: Date
    readonly mti: string
    readonly responseCode: string
  }[]
  readonly authentication: AuthenticationRow | null
  readonly messages: readonly {
    readonly id: bigint
    readonly at: Date
    readonly direction: 'in' | 'out'
    readonly type: string
  }[]
  readonly memberships: readonly {
    readonly id: bigint
    readonly at: Date
    readonly product: string
    readonly state: string
    readonly began: boolean
  }[]
  readonly notes: readonly {
    readonly id: bigint
    readonly at: Date
    readonly name: string
    readonly text: string
  }[]
  readonly inquiries: readonly {
    readonly requestId: bigint
    readonly at: Date
    readonly username: string
    /** It asked what the order is, and gave it nothing. */
    readonly isLookUp: boolean
    readonly address: string
  }[]
  /** Of portal users, that came to nothing or are not over. */
  readonly operations: readonly {
    readonly id: bigint
    readonly at: Date
    readonly operation: string
    readonly state: string
    readonly name: string
    readonly sentence: string
    readonly requestId: bigint
  }[]
}

export interface TransactionRow {
  readonly id: bigint
  readonly requestId: bigint
  readonly kind: TransactionKind
  readonly state: TransactionState
  readonly amountMinor: bigint
  readonly valueMinor: bigint
  readonly voidedMinor: bigint
  readonly lineId: bigint | null
  readonly batchId: bigint | null
  readonly batchClosed: boolean
  /** A settlement file says that the bank rejected it. */
  readonly rejected: boolean
  readonly serviceCode: number
  readonly processorCode: string
  readonly processorAdvice: string
  readonly industryCode: string
  readonly industryAdvice: string
  readonly responseCode: string
  readonly merchantAdvice: string
  readonly avsCode: string
  readonly cvvCode: string
  readonly cardProduct: CardProduct
  readonly createdAt: Date
  readonly concludedAt: Date | null
  readonly who: Who
}

export interface AdviceRow {
  readonly id: bigint
  readonly transactionId: bigint
  readonly kind: 'capture' | 'refund' | 'reversal' | 'capture_reversal'
  readonly state: 'queued' | 'acknowledged'
  readonly amountMinor: bigint
  readonly reason: string | null
  readonly tries: number
  readonly nextTryAt: Date
  readonly responseCode: string | null
  readonly acknowledgedAt: Date | null
  readonly createdAt: Date
}

export interface AuthenticationRow {
  readonly state: string
  readonly createdAt: Date
  readonly decidedAt: Date | null
  readonly version: string
  readonly status: string
  readonly reason: string
  readonly cause: string
  readonly response: string
  readonly eci: string
  readonly cardholderInfo: string
  readonly challengeCancel: string
}
