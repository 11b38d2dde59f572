import type { CardProduct } from '../issuer/card-product.ts'
import type { HomeAddress } from '../issuer/verification.ts'

/** Why an account takes no payment, with the code that tells it. */
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

/** One account of the deck. Where a part is absent, nothing is limited or checked by it. */
export interface DeckAccount {
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
  /** Whole major units, in each currency anew, and when the account has them again. */
  readonly funds?: {
    readonly opening: bigint
    readonly restored: 'each_authorization' | 'daily'
  }
  /** Whole major units of whatever currency; days are UTC. */
  readonly limits?: {
    readonly perTransaction?: bigint
    readonly perDay?: bigint
    readonly approvalsPerDay?: number
  }
  /** Refuses what a strict issuer refuses about payments with a kept card. */
  readonly isStrict?: true
  /** What the account updater says, where that is not what any other account would get. */
  readonly updater?:
    | { readonly result: 'A'; readonly number: string; readonly expiry: string }
    | { readonly result: 'E'; readonly expiry: string }
    | { readonly result: 'C' | 'P' | 'Q' }
  /** YYMM; absent means that any expiry is right that is not in the past. */
  readonly expiry?: string
  readonly insistsOn?: 'security_code' | 'address' | 'authentication'
  readonly address?: HomeAddress
  /** The AVS letter of every answer to which an address came. */
  readonly avs?: string
}
