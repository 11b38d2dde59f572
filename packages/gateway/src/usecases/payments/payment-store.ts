import type { Membership } from '../../domain/memberships/membership.ts'
import type { IdempotencyKey } from '../../domain/payments/idempotency-key.ts'
import type { CardUpdateResult, ProcessorAnswer } from '../../domain/payments/processor-outcome.ts'
import type { NewClaim, ReferenceClaim } from '../../domain/payments/reference-claim.ts'
import type { ReversalReason } from '../../domain/payments/reversal-reason.ts'
import type { MembershipClaim } from '../memberships/membership-claim.ts'
import type { Mode, SiteInMode } from '../merchants/merchant-directory.ts'
import type { SavedCardSelector } from './payment-command.ts'
import type { TransactionKind, TransactionOrigin } from './transaction-view.ts'

/** Names one message to the processor for ever; the terminal, STAN and time follow from it. */
export interface MessageIdentity {
  readonly number: bigint
  readonly at: Date
}

/** Everything that is written before the processor is asked, in one durable write. */
export interface PaymentIntent {
  readonly transactionId: bigint
  readonly orderId: bigint
  readonly requestId: bigint
  readonly origin: TransactionOrigin
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly merchantAccountId: bigint
  readonly mode: Mode
  readonly kind: TransactionKind
  readonly currency: string
  readonly amountMinor: bigint
  readonly reference: string
  readonly message: MessageIdentity
  readonly entryMode: string
  readonly membershipReference: string
  readonly processorUdf1: string
  readonly processorUdf2: string
  /** JSON object text. */
  readonly extras: string
  readonly customer: NewCustomer | KnownCustomer
  readonly card: NewPaymentMethod | KnownPaymentMethod
  readonly lines: readonly NewLine[]
  /** Set when the reference must be unique. */
  readonly claim: NewClaim | null
  /** The memberships that it sells, if the bank is asked now; null for most payments. */
  readonly membershipClaim: MembershipClaim | null
  /** The idempotency key that is written with it; null for most. */
  readonly key: IdempotencyKey | null
  /** The issuer is asked for an authentication first; the bank's turn may come. */
  readonly pending: boolean
  /** Its ids were given before, for the first writer: it is no error if they are there. */
  readonly idsGiven: boolean
  /** The operation of a portal user that it comes of; null for most. */
  readonly operationId: bigint | null
  /** Set when the gateway declines by itself and sends nothing. */
  readonly declinedServiceCode: number | null
  /** Until when it may be captured, if the bank approves it; null for other than authorizations. */
  readonly expiresAt: Date | null
  readonly at: Date
}

export interface NewCustomer {
  readonly known: false
  readonly id: bigint
  readonly reference: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly login: string
  /** JSON object texts. */
  readonly billing: string
  readonly shipping: string
  readonly others: string
}

export interface KnownCustomer {
  readonly known: true
  readonly id: bigint
  /** JSON object text; null leaves the address on file. */
  readonly billing: string | null
}

export interface NewPaymentMethod {
  readonly known: false
  readonly id: bigint
  readonly sealed: SealedPan
  readonly fingerprint: string
  readonly brand: string
  readonly last4: string
  readonly expiryMonth: number | null
  readonly expiryYear: number | null
  readonly reference: string
}

export interface KnownPaymentMethod {
  readonly known: true
  readonly id: bigint
  /** A new expiry to keep; null leaves the stored one. */
  readonly expiryMonth: number | null
  readonly expiryYear: number | null
  /** The merchant's id for it, when a new one was sent. */
  readonly reference: string | null
}

/** A card number as it is stored: hexadecimal texts of ciphertext and fingerprint. */
export interface SealedPan {
  readonly ciphertext: string
  readonly dataKeyId: number
}

export interface NewLine {
  readonly id: bigint
  readonly product: string
  readonly merchantProduct: string
  readonly count: number
  readonly amountMinor: bigint
  /** The membership that it renews; null: none. */
  readonly membershipId: bigint | null
}

/** The record of a payment's outcome once it is known, with everything that follows from it. */
export interface PaymentConclusion {
  readonly transactionId: bigint
  readonly orderId: bigint
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly kind: TransactionKind
  readonly state: 'approved' | 'declined' | 'failed'
  readonly valueMinor: bigint
  readonly serviceCode: number
  readonly bank: BankFacts
  readonly expiresAt: Date | null
  /** Amounts of the lines after a partial approval; null leaves them. */
  readonly lineAmounts: readonly { readonly id: bigint; readonly amountMinor: bigint }[] | null
  readonly advice: NewAdvice | null
  /** Data beside the bank's answer; null for most payments. */
  readonly accountUpdate: AccountUpdate | null
  /** The memberships that the approval begins; empty for most payments. */
  readonly memberships: readonly NewMembership[]
  readonly claim: {
    readonly reference: string
    /** The state of the reference that it held; null: it held none. */
    readonly after: 'approved' | 'declined' | 'free' | null
    readonly content: string
  } | null
  /** Null: the intent's. `resolver`: another process ends what its own left running. */
  readonly origin: 'resolver' | null
  readonly at: Date
}

/** A membership that begins with its payment, by customer, account and card of the order. */
export interface NewMembership {
  readonly id: bigint
  readonly lineId: bigint
  readonly membership: Omit<Membership, 'cardId'>
}

/** Data beside an answer's code: how to go on, and account updates of the saved card. */
export interface AccountUpdate {
  /** '' if none came. */
  readonly merchantAdvice: string
  readonly update: {
    readonly cardId: bigint
    readonly result: CardUpdateResult
    readonly description: string
    /** YYYY-MM-DD. */
    readonly on: string | null
    /** A new one to keep. */
    readonly expiry: { readonly month: number; readonly year: number } | null
    /** A new one to keep in place of the old. */
    readonly number: Pick<NewPaymentMethod, 'sealed' | 'fingerprint' | 'last4'> | null
  } | null
}

/** The bank's answer, as it is kept; '' and null for parts that it lacks. */
export interface BankFacts extends Omit<ProcessorAnswer, 'settled'> {
  readonly settled: {
    readonly minor: bigint
    readonly currency: string
    readonly rate: string
  } | null
}

/** A message that must reach the bank in every case. */
export interface NewAdvice {
  readonly id: bigint
  readonly kind: 'capture' | 'refund' | 'reversal'
  readonly amountMinor: bigint
  /** Reversals: what remains of the original; null reverses all of it. */
  readonly remainingMinor: bigint | null
  readonly reason: ReversalReason | null
  readonly original: { readonly mti: string } & MessageIdentity
  readonly message: MessageIdentity
}

export interface SavedCard {
  readonly customerId: bigint
  readonly customerReference: string
  readonly billing: Readonly<Record<string, string>>
  readonly paymentMethodId: bigint
  readonly brand: string
  readonly last4: string
  readonly expiryMonth: number | null
  readonly expiryYear: number | null
  readonly reference: string
  readonly fingerprint: string
  readonly ciphertext: Uint8Array
  /** The account updater's last change: YYYY-MM-DD or '', and its name; null: none. */
  readonly update: { readonly on: string; readonly description: string } | null
}

/** The answer of the portal user's operation said that nothing happened, so nothing may happen. */
export class GivenUpError extends Error {
  constructor() {
    super('The operation that the payment comes of was given up')
    this.name = 'GivenUpError'
  }
}

/** The store of payments that are taken. */
export interface PaymentStore {
  /**
   * False: another payment has the reference or the idempotency key, or another started the charge
   * of a membership, and nothing was written. May be repeated: an intent that is there is accepted.
   * Throws CommitUnknownError when it may have been written. Any other error means that it was not.
   */
  intend(intent: PaymentIntent): Promise<boolean>
  /** Null: it was concluded before, possibly by an earlier try; else its batch. Repeatable. */
  conclude(conclusion: PaymentConclusion): Promise<{ readonly batchId: bigint | null } | null>
  findClaim(site: SiteInMode, reference: string): Promise<ReferenceClaim | null>
  /** The customer's card, `null` for no such customer, `'no_card'` for none that fits. */
  findSavedCard(
    merchantId: bigint,
    mode: Mode,
    customerId: bigint,
    by: SavedCardSelector | { readonly by: 'fingerprint'; readonly fingerprint: string },
  ): Promise<
    | SavedCard
    | (Pick<SavedCard, 'customerId' | 'customerReference' | 'billing'> & { paymentMethodId: null })
    | null
  >
  /** Null: no customer with this reference of the merchant has the login name. */
  findCustomerOfLogin(site: SiteInMode, login: string, reference: string): Promise<bigint | null>
  /** False: another customer of the site has the login name. */
  claimLogin(site: SiteInMode, login: string, customerId: bigint, at: Date): Promise<boolean>
  releaseLogin(site: SiteInMode, login: string, customerId: bigint): Promise<void>
}
