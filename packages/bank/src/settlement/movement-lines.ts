import type { Movement } from '../books/order.ts'
import { inCurrencyOf, lineId, rateOf } from '../books/settled-amounts.ts'
import type { ChainState } from '../books/settlements.ts'
import type { FeePlan } from './fee-plans.ts'
import { refundFees, saleFees } from './fees.ts'
import type { SettlementLine } from './settlement-line.ts'

/** The common facts of all lines of a file. */
export interface FileTerms {
  readonly chain: Pick<ChainState, 'merchant' | 'currency'>
  readonly seq: number
  /** `YYYY-MM-DD`. */
  readonly businessDate: string
  readonly plan: FeePlan
}

/** Of a reject: the networks' refusal of the presentment. */
const REJECTED = 'R07'

/** The line of a capture, a refund or an unreferenced credit. */
export function movementLine(terms: FileTerms, movement: Movement): SettlementLine {
  const { chain, plan, seq } = terms
  const { currency } = chain
  const { kind, order, rejectedInSettlement, settled } = movement
  const rate = rateOf(order?.conversion ?? '')
  const original = { minor: settled, currency: movement.balance.currency }
  const orig = rate === null ? {} : { orig: { ...original, rateMillionths: rate } }
  const brandName = brandOf(movement)
  const texts = {
    id: lineId(chain, seq, movement.line),
    order: shortKey(movement.orderKey),
    ...(movement.rrn === '' ? {} : { rrn: movement.rrn }),
    arn: acquirerReference(movement, terms.businessDate),
    ...(movement.batch === '' ? {} : { batch: Number(movement.batch) }),
    brand: brandName,
    ref: shortKey(movement.key),
  }
  if (rejectedInSettlement) {
    return { ...texts, kind: 'reject', orig: original, reason: REJECTED, gross: 0n }
  }
  const gross = inCurrencyOf(currency, movement, settled)
  if (kind === 'capture') {
    return {
      ...texts,
      kind: 'sale',
      ...orig,
      gross,
      ...feesOf(saleFees(plan, brandName, gross, currency)),
    }
  }
  const fees = refundFees(plan, brandName, gross, currency)
  return { ...texts, kind: 'refund', ...orig, gross: -gross, ...feesOf(fees) }
}

/** The brand of a movement's card as files name it. */
export function brandOf({ brand }: Movement): string {
  return brand === '' ? 'other' : brand.toLowerCase()
}

/** The key of a message without the filling of DE 41. */
export function shortKey(key: string): string {
  return key.replace(/ +(?=\/)/g, '')
}

function feesOf(fees: NonNullable<SettlementLine['fees']>): Pick<SettlementLine, 'fees'> {
  return Object.keys(fees).length === 0 ? {} : { fees }
}

/**
 * The acquirer reference number: 7, six digits of the acquirer, year and day of the year. Eleven
 * digits that no other record has follow, and a check digit.
 */
function acquirerReference({ key, offset }: Movement, day: string): string {
  const acquirer = key.slice(0, key.indexOf('/')).slice(0, 6).padStart(6, '0')
  const start = Date.UTC(Number(day.slice(0, 4)), 0, 0)
  const dayOfYear = Math.floor((Date.parse(day) - start) / 86_400_000)
  const date = `${day.slice(3, 4)}${dayOfYear.toString().padStart(3, '0')}`
  const digits = `7${acquirer}${date}${offset.toString().padStart(11, '0').slice(-11)}`
  return digits + checkDigit(digits)
}

/** Luhn. */
function checkDigit(digits: string): string {
  let sum = 0
  for (let at = digits.length - 1, double = true; at >= 0; at -= 1, double = !double) {
    const digit = Number(digits[at]) * (double ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return String((10 - (sum % 10)) % 10)
}
