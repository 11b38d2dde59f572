import { isLuhnValid } from '../../base/check-digit.ts'
import { CardNumber } from '../../domain/payments/card-number.ts'
import { type CardBrand } from '../../domain/payments/card.ts'
import type { CardUpdate, CardUpdateResult } from '../../domain/payments/processor-outcome.ts'

/**
 * The networks' own names for it, as in docs/internals/bank-link.md; the others use Visa's words.
 */
const DESCRIPTIONS: Readonly<
  Record<'Mastercard' | 'Visa', Partial<Record<CardUpdateResult, string>>>
> = {
  Visa: {
    A: 'Account Number Change Message',
    C: 'Closed Account Advise',
    E: 'Expiration Date Change Message',
  },
  Mastercard: {
    A: 'Match Made, Update Data Provided',
    C: 'Match Made, Account Closed',
    E: 'Match Made, Expiration Date Changed',
  },
}

/**
 * Reads tags UR, UX, UN and UD. Contradictory tags are no update: the card stays as it is saved,
 * and the answer itself counts.
 */
export function readCardUpdate(
  tags: Readonly<Record<string, string>>,
  cardBrand: CardBrand | null,
): CardUpdate | null {
  const result = tags['UR']
  if (result === undefined || !isResult(result)) return null
  const expiry = readExpiry(tags['UX'])
  const number = result === 'A' ? readNumber(tags['UN']) : null
  if ((result === 'A' && number === null) || (result === 'E' && expiry === null)) return null
  const brand = cardBrand === 'Mastercard' ? 'Mastercard' : 'Visa'
  return {
    result,
    description: DESCRIPTIONS[brand][result] ?? '',
    on: readDay(tags['UD']),
    expiry: result === 'A' || result === 'E' ? expiry : null,
    number: number === null ? null : new CardNumber(number),
  }
}

function isResult(text: string): text is CardUpdateResult {
  return /^[ACEPQV]$/.test(text)
}

function readNumber(text: string | undefined): string | null {
  return text !== undefined && /^\d{12,19}$/.test(text) && isLuhnValid(text) ? text : null
}

function readExpiry(text: string | undefined): CardUpdate['expiry'] {
  if (text === undefined || !/^\d{2}(0[1-9]|1[0-2])$/.test(text)) return null
  return { month: Number(text.slice(2)), year: 2000 + Number(text.slice(0, 2)) }
}

function readDay(text: string | undefined): string | null {
  const parts = text === undefined ? null : /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  if (parts === null) return null
  const day = `${parts[1]}-${parts[2]}-${parts[3]}`
  return Number.isNaN(Date.parse(day)) ? null : day
}
