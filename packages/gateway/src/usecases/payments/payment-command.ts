import type { Secret } from '../../base/secret.ts'
import type { Currency } from '../../domain/currency.ts'
import type { ProductDefinition } from '../../domain/memberships/product.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { CheckMode } from '../../domain/payments/verification.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { ThreeDsRequest } from '../three-ds/three-ds-request.ts'
import type { RepeatableRequest } from './idempotency-key.ts'
import type { PaymentField } from './payment-field.ts'
import type { TransactionView } from './transaction-view.ts'

/**
 * A request to authorize or sell, or for an unreferenced credit, as read and checked for form.
 */
export interface PaymentCommand {
  readonly kind: 'authorization' | 'sale' | 'refund'
  readonly requestId: bigint
  /** The API user who sent it. */
  readonly userId: bigint
  readonly site: Site
  /** As asked for; null: the site's preferred account that takes the currency. */
  readonly merchantAccountId: bigint | null
  /** Null when the code is no currency; amounts were then read with two decimals. */
  readonly currency: Currency | null
  readonly lines: readonly RequestedLine[]
  /** All lines together, in minor units, added up where they are read. */
  readonly totalMinor: bigint
  /** PROD_*: what one of the lines, counted from 0, sells; null: each sells what it names. */
  readonly definition: { readonly line: number; readonly product: ProductDefinition } | null
  readonly card: CardSelection
  readonly customer: CustomerDetails
  readonly billing: PostalAddress
  readonly shipping: PostalAddress
  /** '' when none was sent; so it is with every text here. */
  readonly orderReference: string
  readonly duplicates: 'allow' | 'refuse' | 'replay'
  /** Null leaves the site's default in force. */
  readonly avsMode: CheckMode | null
  readonly cvvMode: CheckMode | null
  readonly avsMatchSet: string | null
  readonly cvvMatchSet: string | null
  readonly partial: { readonly allowed: boolean; readonly minimumMinor: bigint | null }
  readonly initiation: Initiation
  /** Null: the request says nothing of 3-D Secure, or moves no customer's money. */
  readonly threeDs: ThreeDsRequest | null
  readonly processorUdf1: string
  readonly processorUdf2: string
  /** Seconds the client is willing to wait, 30 to 600. */
  readonly maxWaitS: number | null
  /** The text on the cardholder's statement beside the amount; '' for the account's own. */
  readonly descriptor: { readonly name: string; readonly city: string; readonly phone: string }
  /** Null: a repeat is another payment, unless its order reference forbids it. */
  readonly repeatable: RepeatableRequest | null
  /** The words of a test for the test bank, checked; null: none. */
  readonly bankTest: string | null
  /** Fields that a card payment stores and shows without an effect, by their stored names. */
  readonly extras: Readonly<Record<string, string>>
  /**
   * Reserved in advance for a portal user who may send the same again. Then the payment is intended
   * at most once, and not at all once the operation was cancelled.
   */
  readonly ids?: RenewalIdentity & { readonly operationId: bigint }
  /** Set for the charge of a due membership. */
  readonly renewal?: RenewalIdentity & {
    /**
     * Cancelled before the bank was asked: declined, so that a retry cannot charge it.
     */
    readonly isOver: boolean
  }
}

/**
 * The start of a membership's charge. Its ids were written before, so that it is intended at most
 * once by any process.
 */
export interface RenewalIdentity {
  readonly orderId: bigint
  readonly transactionId: bigint
}

export interface RequestedLine {
  /** '' for the site's default product. */
  readonly product: string
  readonly merchantProduct: string
  readonly count: number
  readonly amountMinor: bigint
  /** The membership that is renewed; merchants have no way to say it. */
  readonly membershipId?: bigint
}

export interface Expiry {
  readonly month: number
  readonly year: number
}

export type CardSelection =
  | {
      readonly kind: 'new'
      readonly pan: CardNumber
      readonly expiry: Expiry
      readonly cvv: Secret | null
      /** An existing customer that the card shall belong to. */
      readonly customerId: bigint | null
      /** The merchant's own id for the card, '' if none. */
      readonly reference: string
      /** The number comes out of the merchant's own card store. */
      readonly onFileElsewhere: boolean
    }
  | {
      readonly kind: 'token'
      /** In upper case. It stands for the number, and maybe for the security code. */
      readonly token: Secret
      readonly expiry: Expiry
      /** As sent with the payment; it wins over one that came with the token. */
      readonly cvv: Secret | null
      /** Whether a code is required, sent now or with the token. */
      readonly cvvRequired: boolean
      readonly customerId: bigint | null
      readonly reference: string
      readonly onFileElsewhere: boolean
    }
  | {
      readonly kind: 'saved'
      readonly customerId: bigint
      readonly selector: SavedCardSelector
      /** Replaces the stored expiry when given. */
      readonly expiry: Expiry | null
      readonly cvv: Secret | null
    }

export type SavedCardSelector =
  | { readonly by: 'latest' }
  | { readonly by: 'id'; readonly id: bigint }
  | { readonly by: 'reference'; readonly reference: string }
  | { readonly by: 'last4'; readonly last4: string }

export interface CustomerDetails {
  readonly reference: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly login: string
  readonly ipAddress: string
  /** Whether these were sent. Nothing keeps the two numbers. */
  readonly stated: {
    readonly birthday: boolean
    readonly ssn: boolean
    readonly taxNumber: boolean
  }
  /** Everything else that was sent about the customer, by the name it is stored under. */
  readonly others: Readonly<Record<string, string>>
}

export interface PostalAddress {
  readonly street: string
  readonly street2: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly district: string
}

/** The initiator of the payment and the reason: decides the values for the networks. */
export interface Initiation {
  readonly initiator: 'customer' | 'merchant' | null
  readonly recurring: 'none' | 'first' | 'rebill'
  readonly instalment: boolean
  readonly rebillType: 'NONE' | 'TRIAL' | 'INITIAL' | 'REBILL' | null
  readonly membershipReference: string
  /** Whether the cardholder's consent to the payments after a trial came with it. */
  readonly trialConsent: boolean
  readonly originalNetworkTransactionId: string
}

/** Refused before anything was stored, in the order of the checks. */
export type PaymentRefusal =
  | 'token_invalid'
  | 'parameter_missing'
  | 'customer_not_found'
  | 'card_not_found'
  | 'card_unreadable'
  | 'product_not_found'
  | 'product_inactive'
  | 'currency_unknown'
  | 'currency_not_configured'
  | 'merchant_account_not_found'
  | 'unreferenced_credit_not_allowed'
  | 'product_misconfigured'
  | 'duplicate_order'
  | 'membership_exists'
  | 'membership_reference_used'
  | 'membership_reference_unknown'
  | 'renewal_without_receipt'
  | 'login_taken'
  | 'ddc_reference_unknown'
  | 'authentication_unknown'
  | 'authentication_mismatch'
  | 'idempotency_key_reused'

export interface RefusedPayment {
  readonly kind: 'refused'
  readonly refusal: PaymentRefusal
  /** Null: nothing that was sent is to blame. */
  readonly field: PaymentField | null
}

export function refusePayment(refusal: PaymentRefusal, field: PaymentField | null): RefusedPayment {
  return { kind: 'refused', refusal, field }
}

export interface PaymentDone {
  readonly kind: 'done'
  readonly transaction: TransactionView
  /** The transaction is an earlier request's of the same idempotency key. */
  readonly replayed?: true
  /** The transaction is an earlier request's of the same order reference or key. */
  readonly repeated?: true
  /** The answer is not the stored one: a final call was about another payment. */
  readonly passing?: true
}

export type PaymentResult = RefusedPayment | PaymentDone

export type TakePayment = (command: PaymentCommand) => Promise<PaymentResult>
