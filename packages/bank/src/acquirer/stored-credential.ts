import type { AuthorizationRequest } from './authorization-request.ts'

/** Faults for which a strict issuer refuses a payment with a card on file. */
export const OBJECTIONS = {
  authentication: 'merchant-initiated, and has a CAVV or the ECI of an authentication',
  no_reference: 'merchant-initiated, and does not name the first payment (`NO`)',
  security_code: 'merchant-initiated, and has a security code, or says that it has one',
  unknown_initiation: 'of none of the five kinds that `CI` can state',
  unknown_reference:
    'merchant-initiated, and names (`NO`) no approved `C101` or `C103` payment of this card',
} as const

export type Objection = keyof typeof OBJECTIONS

const INITIATIONS = ['C101', 'C103', 'M101', 'M103', 'M104']
/** Authenticated and attempted, in Visa's and in Mastercard's numbers. */
const AUTHENTICATED = ['05', '06', '02', '01']

/**
 * The rules that a payment breaks. `isFirst` returns whether a network id belongs to an approved
 * customer-initiated payment that stored the same card.
 */
export function findObjections(
  request: AuthorizationRequest,
  isFirst: (reference: string) => boolean,
): readonly Objection[] {
  const { authentication, codePresence, eci, firstReference, initiation, securityCode } = request
  if (initiation === undefined) return []
  if (!INITIATIONS.includes(initiation)) return ['unknown_initiation']
  if (!request.isMerchantInitiated) return []
  const objections: Objection[] = []
  if (authentication !== undefined || AUTHENTICATED.includes(eci ?? '')) {
    objections.push('authentication')
  }
  if (firstReference === undefined) objections.push('no_reference')
  if (securityCode !== undefined || codePresence === '1') objections.push('security_code')
  if (firstReference !== undefined && !isFirst(firstReference)) objections.push('unknown_reference')
  return objections
}

/**
 * DE 39 of a strict issuer. It treats a payment that names no first payment as a customer-initiated
 * one without authentication, and any other objection as an invalid transaction.
 */
export function strictAnswer(
  objections: readonly Objection[],
  isMastercard: boolean,
): string | null {
  if (objections.length === 0) return null
  const isUnlinked = objections.includes('no_reference') || objections.includes('unknown_reference')
  if (!isUnlinked) return '12'
  return isMastercard ? '65' : '1A'
}
