import type { Currency } from '../currency.ts'
import type { CardNumber } from './card-number.ts'
import type { CardProduct } from './card-product.ts'

/**
 * The outcome of a message that was handed to the processor. `not_sent`: nothing happened, and a
 * retry is safe. `unknown`: it may have happened, so it is reversed and never counted as refused.
 */
export type AuthorizationOutcome =
  | { readonly kind: 'approved'; readonly approvedMinor: bigint; readonly answer: ProcessorAnswer }
  | { readonly kind: 'declined'; readonly serviceCode: number; readonly answer: ProcessorAnswer }
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

export type NotSentReason = 'link_down' | 'link_busy' | 'message_invalid'
export type UnknownReason = 'timeout' | 'link_lost' | 'reply_unreadable'

/** The outcome of an advice. Every outcome except `acknowledged` is retried. */
export type AdviceOutcome =
  | {
      readonly kind: 'acknowledged'
      readonly responseCode: string
      /** The bank's books match the advice; otherwise an operator has to check. */
      readonly agreed: boolean
    }
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  | {
      readonly kind: 'unknown'
      /** `earlier_copy`: the bank answered a copy that named another batch. */
      readonly reason: UnknownReason | 'earlier_copy'
    }
  /** The bank answered that it could not take it now. */
  | { readonly kind: 'refused'; readonly responseCode: string }

/** The processor's answer in the gateway's words; '' and null where it gave nothing. */
export interface ProcessorAnswer {
  readonly responseCode: string
  readonly processorCode: string
  readonly processorAdvice: string
  readonly industryCode: string
  readonly industryAdvice: string
  readonly authCode: string
  readonly networkTransactionId: string
  readonly avsCode: string
  readonly cvvCode: string
  /** Mastercard's merchant advice code, two digits. */
  readonly merchantAdvice: string
  /** The account updater's report about the card; null if there is none. */
  readonly cardUpdate: CardUpdate | null
  readonly cardProduct: CardProduct
  readonly cardBalanceMinor: bigint | null
  readonly settled: {
    readonly minor: bigint
    readonly currency: Currency
    /** Decimal text, for example 0.812345. */
    readonly rate: string
  } | null
}

/**
 * `A`: another number. `E`: another expiry. `C`: closed. `Q`: ask the cardholder. `V`: still right.
 * `P`: the issuer takes no part.
 */
export type CardUpdateResult = 'A' | 'C' | 'E' | 'P' | 'Q' | 'V'

export interface CardUpdate {
  readonly result: CardUpdateResult
  /** As the card's network calls it; '' where it has no name for it. */
  readonly description: string
  /** YYYY-MM-DD; null where no day was given. */
  readonly on: string | null
  readonly expiry: { readonly month: number; readonly year: number } | null
  readonly number: CardNumber | null
}
