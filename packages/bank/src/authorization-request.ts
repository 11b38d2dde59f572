import type { GivenAddress } from './verification.ts'

/** What a 0100 asks, read from its fields. */
export interface AuthorizationRequest {
  /** The card number. Never written down; only `account` and the last four digits are. */
  readonly pan: string
  /** Minor units of `currency`, an ISO 4217 numeric code. Zero in a card check. */
  readonly amount: bigint
  readonly currency: string
  readonly isCardCheck: boolean
  /** YYMM. */
  readonly expiry?: string
  /** Absent when no address check is wanted. */
  readonly address?: GivenAddress
  /** Tags CP and CV. */
  readonly codePresence?: string
  readonly securityCode?: string
  /** Tags EC, CA and DS; absent without a CAVV, which is what an authentication is known by. */
  readonly authentication?: {
    readonly eci: string
    /** 40 hexadecimal digits. */
    readonly cavv: string
    readonly dsTransId: string
  }
  readonly isMerchantInitiated: boolean
  readonly partialWelcome: boolean
  /** Tag PM, minor units. */
  readonly partialMinimum?: bigint
}
