import type { OrderMoney } from './order-money.ts'
import type { Mode } from './shell.ts'
import type { OrderAllowance, VoidOrRefundPlan, VoidOrRefundStep } from './void-or-refund.ts'

/** The portal's view of one order. Amounts are minor units of the order's currency. */
export interface OrderPage extends OrderMoney {
  readonly id: string
  readonly site: { readonly id: string; readonly name: string }
  readonly mode: Mode
  readonly account: { readonly id: string; readonly name: string; readonly processor: string }
  readonly currency: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: OrderState
  /** The state in plain words. */
  readonly status: OrderStatus
  readonly reference: string
  readonly membershipReference: string
  readonly receipt: string | null
  readonly createdAt: string
  /**
   * When the bank lets the authorization go, by the site's clock; null once nothing is left to
   * capture.
   */
  readonly expiresAt: string | null
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
  /** Why it was not approved; null for an approval. */
  readonly refusal: OrderRefusal | null
  readonly lines: readonly OrderLineView[]
  readonly timeline: readonly TimelineEvent[]
  /** The steps that void or refund all of it. */
  readonly voidOrRefund: VoidOrRefundPlan
  /** The amounts that the refund limit of the user leaves; null without a limit. */
  readonly allowance: OrderAllowance | null
}

/** The outcome of an order's authorization; 'authorized' also after captures, voids and refunds. */
export type OrderState = 'running' | 'pending' | 'declined' | 'failed' | 'authorized'

export interface OrderStatus {
  readonly word: string
  readonly sentence: string
}

export interface OrderSums {
  readonly requestedMinor: string
  readonly authorizedMinor: string
  readonly capturedMinor: string
  readonly leftToCaptureMinor: string
  readonly voidedMinor: string
  readonly refundedMinor: string
  readonly leftToRefundMinor: string
  /** Asked of a bank that has not answered yet. */
  readonly inFlightMinor: string
}

/** The sums that decide which operations are allowed; a change names the sums it was based on. */
export interface SeenSums {
  readonly authorizedMinor: string
  readonly capturedMinor: string
  readonly voidedMinor: string
  readonly refundedMinor: string
}

export interface OrderCustomer {
  readonly id: string
  readonly reference: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly billing: readonly string[]
  readonly shipping: readonly string[]
}

export interface OrderCard {
  readonly id: string
  readonly brand: string
  /** The first six digits, where the request log still has them. */
  readonly bin: string | null
  readonly last4: string
  /** `04/2031`; '' where none is kept. */
  readonly expiry: string
  /** The card's type as the bank reports it: `Visa Classic, credit`. */
  readonly detail: string
}

export interface CodeInWords {
  readonly code: string
  readonly words: string
}

export interface OrderRefusal extends CodeMeaning {
  readonly transactionId: string
  readonly service: CodeInWords
  readonly processor: CodeInWords | null
  readonly industry: CodeInWords | null
  readonly retry: RetryAdvice
}

/** A code in plain words. */
export interface CodeMeaning {
  /** The event, in words for the merchant's staff. */
  readonly reason: string
  /** The next step to take. */
  readonly advice: string
  readonly retry: RetryAdvice
  /** A text for the customer: it helps them, and gives no help to card testing. */
  readonly customerMessage: string
}

/**
 * Whether the same card may be charged again. `never`: the networks forbid it, or it cannot help.
 * `other_data`: with the wrong data corrected. `later`: unchanged, after a while. `authenticate`:
 * with 3-D Secure. `not_needed`: there is nothing to retry. `set_up`: only after the merchant or
 * the operator has changed the set-up.
 */
export type RetryAdvice =
  | 'never'
  | 'other_data'
  | 'later'
  | 'authenticate'
  | 'not_needed'
  | 'set_up'

export interface OrderLineView {
  readonly id: string
  readonly number: number
  readonly product: string
  readonly merchantProduct: string
  readonly count: number
  readonly amountMinor: string
  readonly capturedMinor: string
  readonly voidedMinor: string
  readonly refundedMinor: string
  readonly leftToCaptureMinor: string
  readonly leftToRefundMinor: string
  readonly membershipId: string | null
}

/** Something that happened to an order. */
export interface TimelineEvent {
  readonly id: string
  readonly at: string
  readonly kind: 'money' | 'bank' | 'inquiry' | 'three_ds' | 'membership' | 'note' | 'portal_user'
  readonly title: string
  readonly state: string | null
  /** Minor units, without sign; null where it is about no amount. */
  readonly amountMinor: string | null
  readonly who: Who | null
  readonly requestId: string | null
  readonly transactionId: string | null
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** The author's text, unchanged. */
  readonly text: string | null
}

export interface Who {
  readonly kind: 'portal_user' | 'api_user' | 'gateway' | 'membership'
  readonly name: string
}

/** A request of a program, and its answer. */
export interface Exchange {
  /** Null for a transaction without a request, and for a request that is kept no longer. */
  readonly request: LoggedRequest | null
  readonly answer: { readonly format: Format; readonly type: string; readonly text: string }
}

/** A request as the request log has it, masked when it came in. */
export interface LoggedRequest {
  readonly requestId: string
  readonly receivedAt: string
  readonly username: string
  readonly address: string
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly httpStatus: number
  readonly tookMs: number
}

export type Format = 'XML' | 'JSON' | 'PIPES'

/** The outcome of an operation. Stored as it is answered, so that a retry gets the same answer. */
export type OperationAnswer =
  | {
      readonly kind: 'done'
      readonly sentence: string
      readonly orderId: string
      readonly transactionId: string
      readonly did: TransactionKind
      readonly state: TransactionState
      /** Without sign. */
      readonly amountMinor: string
      readonly currency: string
      /** Why not, where it was not approved. */
      readonly refusal: CodeMeaning | null
    }
  | OperationRefusal

/** The kind of a transaction, in the field's words. */
export type TransactionKind = 'authorization' | 'sale' | 'capture' | VoidOrRefundStep['does']

export type TransactionState = 'running' | 'pending' | 'approved' | 'declined' | 'failed'

export interface OperationRefusal {
  readonly kind: 'refused'
  /** `forbidden`: above a limit of the portal user. */
  readonly cause: 'invalid' | 'forbidden' | 'missing' | 'conflict'
  readonly code: string
  readonly sentence: string
  readonly field: string | null
  /** The SERVICE_RESPONSE that the payment interface would answer; 0 for none. */
  readonly service: number
}

export type PaymentAnswer =
  | OperationAnswer
  | { readonly kind: 'duplicate'; readonly earlier: EarlierPayment }

/** A payment that looks like the requested one. */
export interface EarlierPayment {
  readonly orderId: string
  readonly at: string
  readonly amountMinor: string
  readonly currency: string
  readonly brand: string
  readonly last4: string
  readonly customer: string
}

/** A site at which payments can be entered by hand. */
export interface TerminalSite {
  readonly id: string
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly defaultCurrency: string
  readonly cvvRequired: boolean
  /** Without one no card can be entered: requests for tokens are signed with it. */
  readonly hasTokenKey: boolean
  /** The preferred one first. */
  readonly accounts: readonly {
    readonly id: string
    readonly name: string
    readonly currencies: readonly string[]
  }[]
}

/** A card that a customer has left. */
export interface SavedCardFound {
  readonly customerId: string
  readonly paymentMethodId: string
  readonly name: string
  readonly email: string
  readonly brand: string
  readonly last4: string
  readonly expiry: string
  readonly lastUsedAt: string
}

/** The signed request with which the card fields ask for a token; valid once, for 300 seconds. */
export interface SignedTokenRequest {
  readonly timestamp: string
  readonly uniqueId: string
  readonly signature: string
}

export type OperationDone = Extract<OperationAnswer, { kind: 'done' }>

/** The outcome of one step of a void or refund; a refusal ends it. */
export type VoidOrRefundResult = OperationAnswer
