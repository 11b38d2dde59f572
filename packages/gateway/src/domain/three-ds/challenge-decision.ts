import type { CardBrand } from '../payments/card.ts'
import { eciScale } from './eci.ts'
import type { ResultStatus } from './trans-status.ts'

/** The consequence of a challenge's result. */
export type ChallengeDecision =
  | { readonly kind: 'authorize'; readonly response: 'Y' | 'A'; readonly eci: string }
  | {
      readonly kind: 'decline'
      readonly response: 'N' | 'R' | 'U'
      readonly eci: string
      /** The browser's message contradicts the issuer's: an operator should check. */
      readonly contradicted: boolean
    }

/**
 * Only the issuer's result authorizes, and only Y or A: a hostile browser can bring about U.
 * `status` null: it never came. A browser that says N where the issuer says Y is believed: better
 * no payment.
 */
export function decideChallenge(
  result: { readonly status: ResultStatus | null; readonly eci: string },
  cresStatus: '' | 'Y' | 'N' | 'erro' | 'unreadable',
  brand: CardBrand | null,
): ChallengeDecision {
  const scale = eciScale(brand)
  const decline = (response: 'N' | 'R' | 'U', contradicted: boolean): ChallengeDecision => ({
    kind: 'decline',
    response,
    eci: scale.none,
    contradicted,
  })
  const { status, eci } = result
  if (status === null) return decline('U', false)
  if (status !== 'Y' && status !== 'A') return decline(status, false)
  if (cresStatus === 'N') return decline('N', true)
  return {
    kind: 'authorize',
    response: status,
    eci: eci || (status === 'Y' ? scale.full : scale.attempted),
  }
}
