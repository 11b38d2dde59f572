import { findCurrency } from '../currency.ts'
import { parseAmount } from '../money.ts'
import type { Money } from '../money.ts'
import type { Period, PeriodMetric } from './calendar.ts'

/** `ends` (PROD_TYPE 1) runs for one period and is never charged again; `renews` is 2. */
export type ProductType = 'ends' | 'renews'

/** The price of a membership, and its period. */
export interface ProductTerms {
  readonly type: ProductType
  readonly period: Period
  /** Above zero. */
  readonly price: Money
}

export interface ProductDefinition extends ProductTerms {
  readonly name: string
}

/** The parts of a definition as they were sent; undefined for one that was not. */
export interface ProductParts {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly metric: string | undefined
  readonly period: string | undefined
}

/**
 * Why a definition is invalid. On the wire, 110 stands for the four missing parts, 152 for
 * `type_unknown`, and 113 for the others. A price is another parameter's, and has that parameter's
 * codes.
 */
export type ProductRefusal =
  | 'name_missing'
  | 'type_missing'
  | 'metric_missing'
  | 'period_missing'
  | 'name_invalid'
  | 'metric_invalid'
  | 'period_invalid'
  | 'type_unknown'
  | 'price_not_positive'

export type ProductReading =
  | { readonly kind: 'definition'; readonly definition: ProductDefinition }
  | { readonly kind: 'refused'; readonly reason: ProductRefusal }

/** 1 to 9999, with any number of zeros before it. */
const PERIOD_LENGTH = /^0*[1-9][0-9]{0,3}$/
/** Control characters and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
const MAX_NAME_LENGTH = 255

/** Reads a definition. Reports the first missing part, or else the first invalid one. */
export function readProductDefinition(parts: ProductParts, price: Money): ProductReading {
  const { name, type, metric, period } = parts
  if (name === undefined) return refused('name_missing')
  if (type === undefined) return refused('type_missing')
  if (metric === undefined) return refused('metric_missing')
  if (period === undefined) return refused('period_missing')

  if (!isName(name)) return refused('name_invalid')
  if (!isMetric(metric)) return refused('metric_invalid')
  if (!PERIOD_LENGTH.test(period)) return refused('period_invalid')
  if (type !== '1' && type !== '2') return refused('type_unknown')
  if (price.minor <= 0n) return refused('price_not_positive')
  const definition: ProductDefinition = {
    name,
    type: type === '1' ? 'ends' : 'renews',
    period: { metric, length: Number(period) },
    price,
  }
  return { kind: 'definition', definition }
}

export type PriceReading =
  | { readonly kind: 'price'; readonly price: Money }
  | {
      readonly kind: 'refused'
      readonly reason: 'currency_unknown' | 'price_not_numeric' | 'price_too_long'
    }

/** Reads the price of a product from decimal text and an alphabetic currency code in any case. */
export function readProductPrice(amount: string, currencyCode: string): PriceReading {
  const currency = findCurrency(currencyCode)
  if (currency === null) return { kind: 'refused', reason: 'currency_unknown' }
  const reading = parseAmount(amount, currency)
  if (reading.kind === 'refused') return { kind: 'refused', reason: `price_${reading.reason}` }
  return { kind: 'price', price: { minor: reading.minor, currency } }
}

/**
 * Whether two definitions are the same product, so that the one that is there is used again. Names
 * are compared letter by letter. Twelve months are not one year: each is shown as it was defined.
 */
export function isSameDefinition(left: ProductDefinition, right: ProductDefinition): boolean {
  return left.name === right.name && isSameTerms(left, right)
}

/** Whether two products cost the same, as often. */
export function isSameTerms(left: ProductTerms, right: ProductTerms): boolean {
  return (
    left.type === right.type &&
    left.period.metric === right.period.metric &&
    left.period.length === right.period.length &&
    left.price.minor === right.price.minor &&
    left.price.currency.code === right.price.currency.code
  )
}

function isName(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_NAME_LENGTH && !UNPRINTABLE.test(text)
}

function isMetric(text: string): text is PeriodMetric {
  return text === 'D' || text === 'M' || text === 'Y'
}

function refused(reason: ProductRefusal): ProductReading {
  return { kind: 'refused', reason }
}
