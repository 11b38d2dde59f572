import type { CardBrand } from '../../domain/payments/card.ts'
import type { AuthenticationValues } from '../../usecases/three-ds/three-ds-request.ts'
import type { RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, type SentRequest } from './sent-request.ts'

/** Results of another provider's 3DS Server; each of them implies that there was one. */
export const OUTSIDE_RESULT = ['P3DS_ECI', 'P3DS_CAVV', 'P3DS_XID', 'P3DS_TRANSID'] as const

/** Indicators that stand for an authentication or an attempt, and those that stand for none. */
const SCALES = {
  mastercard: { proved: ['02', '01'], none: '00' },
  others: { proved: ['05', '06'], none: '07' },
}
const MASTERCARD: ReadonlySet<CardBrand | null> = new Set(['Mastercard', 'Maestro'])
/** Without its last part it names a generation of the protocol, which is not sent to the bank. */
const VERSION = /^(?:[12]|[1-9]\.[0-9]\.[0-9])$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The first part that an outside result lacks. */
export function missingOutsidePart(sent: SentRequest): RefusedReading | null {
  const { P3DS_ECI: eci } = sent
  if (eci === undefined) return missing('P3DS_ECI')
  if (!isProof(eci)) return null
  if (!isSent(sent, 'P3DS_CAVV')) return missing('P3DS_CAVV')
  if (!isMastercard(sent, eci)) return null
  const absent = (['P3DS_TRANSID', 'P3DS_VERSION'] as const).find((name) => !isSent(sent, name))
  return absent === undefined ? null : missing(absent)
}

/** The result, or the parameter that contradicts the card or the others. */
export function readOutsideResult(sent: SentRequest): AuthenticationValues | RefusedReading {
  const { P3DS_ECI: eci = '', P3DS_CAVV: cavv, P3DS_VERSION: version = '' } = sent
  const { P3DS_TRANSID: dsTransId = '' } = sent
  const { proved, none } = SCALES[isMastercard(sent, eci) ? 'mastercard' : 'others']
  if (eci !== none && !proved.includes(eci)) return refused('value_invalid', 'P3DS_ECI')
  if (eci === none && cavv !== undefined) return refused('value_invalid', 'P3DS_CAVV')
  if (dsTransId !== '' && !UUID.test(dsTransId)) return refused('value_invalid', 'P3DS_TRANSID')
  if (version !== '' && !VERSION.test(version)) return refused('value_invalid', 'P3DS_VERSION')
  return {
    eci,
    cavv: cavv ?? null,
    dsTransId,
    version: version.length === 1 ? '' : version,
  }
}

function isProof(eci: string): boolean {
  return [...SCALES.mastercard.proved, ...SCALES.others.proved].includes(eci)
}

/**
 * By the number; of a token or a saved card, which is not known yet, by the scale of the indicator.
 */
function isMastercard(sent: SentRequest, eci: string): boolean {
  const { PMT_NUMB: number } = sent
  if (number !== undefined) return MASTERCARD.has(number.brand)
  const { proved, none } = SCALES.mastercard
  return eci === none || proved.includes(eci)
}
