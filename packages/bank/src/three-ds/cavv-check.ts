import { hasMastercardScale } from './cards.ts'
import { isCavvOf } from './cavv.ts'
import type { Transactions } from './transactions.ts'

/**
 * DE 44 position 4, in the codes of the widest scale of the field:
 * - `2` the CAVV of a full authentication is right, `1` it is not
 * - `3` that of an attempt is right, `4` it is not
 * - `6` not checked, `0` there was none.
 */
export type CavvResult = '0' | '1' | '2' | '3' | '4' | '6'

/** The claims of a 0100 about the authentication. */
export interface AuthenticationClaim {
  readonly pan: string
  /** Minor units of `currency`, ISO 4217 numeric. */
  readonly amount: bigint
  readonly currency: string
  /** Tag EC. */
  readonly eci: string
  /** Tag CA, 40 hexadecimal digits. */
  readonly cavv: string
  /** Tag DS. */
  readonly dsTransId: string
}

export type CavvCheck = (claim: AuthenticationClaim) => CavvResult

/** The scale of the link is Visa's; Mastercard's own numbers are the other ones. */
const MASTERCARD: Readonly<Record<string, string>> = { '05': '02', '06': '01' }

/**
 * Compares a CAVV with its payment. The cardholder also agreed to less than the authenticated
 * amount; the simulator must still know the transaction then.
 */
export function checkCavv(key: Buffer, transactions: Transactions): CavvCheck {
  return (claim) => {
    const { amount, cavv, currency, dsTransId, pan } = claim
    const isMastercard = hasMastercardScale(pan)
    const eci = isMastercard ? (MASTERCARD[claim.eci] ?? claim.eci) : claim.eci
    const isAttempt = eci === (isMastercard ? '01' : '06')
    const authenticated = transactions.byDs(dsTransId)?.amount ?? amount
    const amounts = authenticated > amount ? [amount, authenticated] : [amount]
    const fits = amounts.some((known) =>
      isCavvOf(key, cavv, { dsTransId, pan, amount: known, currency, eci }),
    )
    if (isAttempt) return fits ? '3' : '4'
    return fits ? '2' : '1'
  }
}

/** Whether a result confirms an authentication of the cardholder, or an attempt. */
export function isProof(result: CavvResult): boolean {
  return result === '2' || result === '3'
}

/** Whether a result says that the CAVV belongs to another payment. */
export function isForgery(result: CavvResult): boolean {
  return result === '1' || result === '4'
}
