import type { CardProduct } from '../issuer/card-product.ts'
import type { HomeAddress } from '../issuer/verification.ts'

/** States in which an account refuses payments, with the code of the refusal. */
export const ACCOUNT_STATES = {
  closed: '46',
  expired: '54',
  lost: '41',
  no_internet: '57',
  not_activated: '78',
  restricted: '62',
  stolen: '43',
} as const

export type AccountState = keyof typeof ACCOUNT_STATES

/** One test card. An absent part limits or checks nothing. */
export interface TestCard {
  readonly pan: string
  readonly meaning: string
  readonly product: CardProduct
  readonly state?: AccountState
  /** DE 39 of every answer. */
  readonly answers?: string
  /** DE 39 of answers to merchant-initiated payments. */
  readonly merchantInitiated?: string
  /** Tag MA with every decline of the account itself. */
  readonly merchantAdvice?: string
  /** Whole major units, separate in each currency, and when the account is reset to them. */
  readonly funds?: {
    readonly opening: bigint
    readonly restored: 'each_authorization' | 'daily'
  }
  /** Whole major units of any currency; days are UTC. */
  readonly limits?: {
    readonly perTransaction?: bigint
    readonly perDay?: bigint
    readonly approvalsPerDay?: number
  }
  /** Refuses what a strict issuer refuses about payments with a card on file. */
  readonly isStrict?: true
  /** The account updater's result, where it differs from that of any other account. */
  readonly updater?:
    | { readonly result: 'A'; readonly number: string; readonly expiry: string }
    | { readonly result: 'E'; readonly expiry: string }
    | { readonly result: 'C' | 'P' | 'Q' }
  /** YYMM; absent means that any expiry is right that is not in the past. */
  readonly expiry?: string
  readonly insistsOn?: 'security_code' | 'address' | 'authentication'
  readonly address?: HomeAddress
  /** The AVS result of every answer to a request with an address. */
  readonly avs?: string
  /** The row of DISPUTE_AMOUNTS, by its amount, that holds for each capture of this card. */
  readonly disputedAs?: string
}
