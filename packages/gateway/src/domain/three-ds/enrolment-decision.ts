import type { CardBrand } from '../payments/card.ts'
import { eciScale } from './eci.ts'
import { findInconsistency, type AnswerFault, type IssuerAnswer } from './issuer-answer.ts'
import type { ThreeDsPolicy } from './policy.ts'

/** The consequence of the answer to an AReq. */
export type EnrolmentDecision =
  | {
      readonly kind: 'authorize'
      /** P3DS_RESPONSE. */
      readonly response: 'Y' | 'A' | 'I' | 'U'
      readonly eci: string
      /**
       * Whether the bank gets the issuer's values; otherwise the message carries no authentication.
       */
      readonly authenticated: boolean
    }
  | {
      readonly kind: 'decline'
      readonly response: 'N' | 'R' | 'U'
      readonly eci: string
      readonly serviceCode: number
    }
  | { readonly kind: 'challenge' }

export interface JudgedAnswer {
  readonly decision: EnrolmentDecision
  /** Set for an invalid answer, which is reported to the Directory Server. */
  readonly fault: AnswerFault | null
}

/** SERVICE codes of what 3-D Secure declines. */
export const THREE_DS_SERVICE = {
  notAuthenticated: 600,
  /** The site wants an authentication, and there was none to be had. */
  authenticationNeeded: 670,
} as const

/** ChallengeInd values with which an issuer may answer for information only. */
const INFORMATION_ASKED: ReadonlySet<string | null> = new Set(['05', '06', '07'])
const DATA_SHARE_ONLY = '06'

/** `answer` null: the card takes no part, or there was no usable answer. */
export function decideEnrolment(
  answer: IssuerAnswer | null,
  { brand, isPayment }: { readonly brand: CardBrand | null; readonly isPayment: boolean },
  {
    whenUnavailable,
    challengePreference,
  }: Pick<ThreeDsPolicy, 'whenUnavailable' | 'challengePreference'>,
): JudgedAnswer {
  const scale = eciScale(brand)
  const unavailable: EnrolmentDecision =
    whenUnavailable === 'authorize'
      ? { kind: 'authorize', response: 'U', eci: scale.none, authenticated: false }
      : {
          kind: 'decline',
          response: 'U',
          eci: scale.none,
          serviceCode: THREE_DS_SERVICE.authenticationNeeded,
        }
  if (answer === null) return { decision: unavailable, fault: null }
  const fault =
    findInconsistency(answer, brand, isPayment) ?? unrequestedAnswer(answer, challengePreference)
  if (fault !== null) return { decision: unavailable, fault }
  return { decision: decideByStatus(answer, unavailable), fault: null }

  function decideByStatus(
    { status, eci }: IssuerAnswer,
    otherwise: EnrolmentDecision,
  ): EnrolmentDecision {
    switch (status) {
      case 'Y':
        return { kind: 'authorize', response: 'Y', eci: eci || scale.full, authenticated: true }
      case 'A':
        return {
          kind: 'authorize',
          response: 'A',
          eci: eci || scale.attempted,
          authenticated: true,
        }
      case 'I':
        return { kind: 'authorize', response: 'I', eci: eci || scale.exempt, authenticated: true }
      case 'N':
      case 'R':
        return {
          kind: 'decline',
          response: status,
          eci: scale.none,
          serviceCode: THREE_DS_SERVICE.notAuthenticated,
        }
      case 'U':
        return otherwise
      case 'C':
        return { kind: 'challenge' }
    }
  }
}

function unrequestedAnswer(
  { status }: IssuerAnswer,
  preference: string | null,
): AnswerFault | null {
  const refused =
    (status === 'I' && !INFORMATION_ASKED.has(preference)) ||
    (status === 'C' && preference === DATA_SHARE_ONLY)
  return refused ? { errorCode: '203', element: 'transStatus' } : null
}
