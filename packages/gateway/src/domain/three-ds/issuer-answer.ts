import type { CardBrand } from '../payments/card.ts'
import { inconsistencyOf } from './consistency.ts'
import type { TransStatus } from './trans-status.ts'

/** An issuer's answer: its status, and the values that have to fit it. */
export interface IssuerAnswer {
  readonly status: TransStatus
  /** '' if none was given. */
  readonly eci: string
  /** How many bytes the authentication value has; null: there is none. */
  readonly valueBytes: number | null
}

/** Why an answer cannot be used: the protocol's error code, and the element to blame. */
export interface AnswerFault {
  readonly errorCode: '201' | '203'
  readonly element: string
}

const VALUE_BYTES = 20

/**
 * Whether an answer is consistent: status, ECI and authentication value fit each other, and the
 * value has the one valid length. Null when they do.
 */
export function findInconsistency(
  { status, eci, valueBytes }: IssuerAnswer,
  brand: CardBrand | null,
  isPayment: boolean,
): AnswerFault | null {
  if (valueBytes !== null && valueBytes !== VALUE_BYTES) {
    return { errorCode: '203', element: 'authenticationValue' }
  }
  return inconsistencyOf({ brand, status, eci, hasCavv: valueBytes !== null, isPayment })
}

/** How many bytes a base64 text stands for; -1 for what is none. */
export function valueByteCount(base64: string): number {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return -1
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
