import type { CardBrand } from '../card.ts'
import { eciScale } from './eci.ts'
import type { TransStatus } from './trans-status.ts'

/** What an issuer said: its status, and what has to fit it. */
export interface IssuerAnswer {
  readonly status: TransStatus
  /** '' where none was given. */
  readonly eci: string
  /** How many bytes the authentication value has; null: there is none. */
  readonly valueBytes: number | null
}

/** Why an answer can't be used: the protocol's error code, and the element to blame. */
export interface AnswerFault {
  readonly errorCode: '201' | '203'
  readonly element: string
}

const VALUE_BYTES = 20

/** Whether status, ECI and authentication value say the same; null when they do. */
export function findInconsistency(answer: IssuerAnswer, brand: CardBrand | null): AnswerFault | null {
  const { status, eci, valueBytes } = answer
  const authenticated = status === 'Y' || status === 'A'
  if (authenticated && valueBytes === null) return { errorCode: '201', element: 'authenticationValue' }
  if (valueBytes !== null && valueBytes !== VALUE_BYTES) return wrong('authenticationValue')
  if ((status === 'N' || status === 'R' || status === 'U') && valueBytes !== null) {
    return wrong('authenticationValue')
  }
  if (eci === '') return null
  const scale = eciScale(brand)
  if (!scale.known.includes(eci)) return wrong('eci')
  if (status === 'Y' && eci === scale.none) return wrong('eci')
  if (status === 'A' && eci === scale.full) return wrong('eci')
  return null
}

function wrong(element: string): AnswerFault {
  return { errorCode: '203', element }
}

/** How many bytes a base64 text stands for; -1 for what is none. */
export function valueByteCount(base64: string): number {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return -1
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
