import type { BankTest } from '../issuer/bank-test.ts'
import type { SentAddress } from '../issuer/verification.ts'

/** The request of a 0100, read from its fields. */
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
  readonly address?: SentAddress
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
  /** Tag CI, as it came. */
  readonly initiation?: string
  readonly isMerchantInitiated: boolean
  /** Tag NO: the network id of the payment that this one follows from. */
  readonly firstReference?: string
  /** Tag EC. */
  readonly eci?: string
  /** Tag AU: the account updater may be asked. */
  readonly requestsAccountUpdate: boolean
  /** Tag BD: the payment's business time, YYYYMMDDhhmmss in UTC, if its site has its own clock. */
  readonly businessTime?: string
  readonly acceptsPartial: boolean
  /** Tag PM, minor units. */
  readonly partialMinimum?: bigint
  /** Tag TT: what a test has decided about this request. */
  readonly test?: BankTest
}
