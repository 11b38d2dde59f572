import type { Secret } from '../../base/secret.ts'
import type { Currency } from '../../domain/currency.ts'
import type { AdviceKind } from '../../domain/payments/advice-answers.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type {
  AdviceOutcome,
  AuthorizationOutcome,
} from '../../domain/payments/processor-outcome.ts'
import type { ReversalReason } from '../../domain/payments/reversal-reason.ts'
import type { MerchantAccount } from '../merchants/merchant-directory.ts'
import type { Expiry, Initiation } from '../payments/payment-command.ts'
import type { MessageIdentity } from '../payments/payment-store.ts'
import type { AuthenticationValues } from '../three-ds/three-ds-request.ts'

/** A payment put to the processor, in the field's words; each adapter maps it to its own wire. */
export interface AuthorizationRequest {
  readonly kind: 'authorization' | 'sale' | 'refund'
  readonly message: MessageIdentity
  readonly account: MerchantAccount
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly pan: CardNumber
  readonly expiry: Expiry | null
  /** Null when none was given, or it must not be sent. */
  readonly cvv: Secret | null
  /** Null when the address shall not be checked; empty texts when none is known. */
  readonly address: { readonly street: string; readonly postalCode: string } | null
  readonly cardOnFile: boolean
  /** Whether the account updater may be asked; for what the merchant charges by itself. */
  readonly requestAccountUpdate: boolean
  readonly initiation: Initiation
  readonly partial: { readonly allowed: boolean; readonly minimumMinor: bigint | null }
  readonly orderReference: string
  /** The authentication's values for the acquirer; null without an authentication. */
  readonly authentication: AuthenticationValues | null
  /** When the payment is, for a site with a clock of its own; null: now. */
  readonly businessTime: Date | null
  readonly descriptor: { readonly name: string; readonly city: string; readonly phone: string }
  /**
   * The words of a test, as the test bank reads them; null: none. No other bank may get them, so
   * such a request is not sent to one.
   */
  readonly bankTest: string | null
}

/** A message about money that has moved or been freed already, sent until acknowledged. */
export interface AdviceRequest {
  readonly kind: AdviceKind
  readonly message: MessageIdentity
  /** Sent before, so the bank may know it. */
  readonly repeat: boolean
  readonly original: { readonly mti: string } & MessageIdentity
  /** The order's own authorization message: its retrieval reference stays with the order. */
  readonly order: MessageIdentity
  readonly account: MerchantAccount
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly remainingMinor: bigint | null
  readonly reason: ReversalReason | null
  readonly sequence: number
  readonly authCode: string
  readonly entryMode: string
  /**
   * Of a capture or refund: the batch that counts it, and its brand on the wire. Null where the
   * acquirer agrees on no batches.
   */
  readonly batch: { readonly id: bigint; readonly brand: string } | null
  /** The card's number; refunds only. */
  readonly pan: CardNumber | null
  /** The words of a test for the test bank; null: none. Links to other banks leave them out. */
  readonly bankTest: string | null
}

/** The link to an acquirer. Neither call ever throws for what the network does. */
export interface Processor {
  authorize(request: AuthorizationRequest, timeoutMs: number): Promise<AuthorizationOutcome>
  deliver(advice: AdviceRequest, timeoutMs: number): Promise<AdviceOutcome>
  /** The reference by which merchants and help desks know the order. */
  retrievalReference(order: MessageIdentity): string
  /** How the card got to us, as the network calls it; kept with the order. */
  entryMode(cardOnFile: boolean): string
}
