import { z } from 'zod'
import { holdsCardNumber } from '../../base/card-number-text.ts'
import { readJson } from '../../base/json-faults.ts'
import { refused, type Result } from '../../base/refusal.ts'
import {
  readProductDefinition,
  readProductPrice,
  type ProductRefusal,
} from '../../domain/memberships/product.ts'
import type { ProductDraft } from '../../usecases/memberships/product-operator.ts'

const TEXT = z.string({ error: 'text' })
const TEXT_OR_NUMBER = z
  .union([z.string(), z.number()], { error: 'text or a number' })
  .transform(String)

const SCHEMA = z
  .array(
    z.strictObject({
      id: TEXT_OR_NUMBER,
      name: TEXT.optional(),
      type: TEXT_OR_NUMBER.optional(),
      metric: TEXT.optional(),
      period: TEXT_OR_NUMBER.optional(),
      price: TEXT.optional(),
      currency: TEXT.optional(),
    }),
    { error: 'a list of products' },
  )
  .min(1, { error: 'a list of one product or more' })

/** A product as it was typed or written; only a membership's has more than id and name. */
export type ProductText = z.infer<typeof SCHEMA>[number]

/** Reads a file of products; reports every fault. */
export function readProductFile(
  text: string,
): Result<{ readonly products: readonly ProductDraft[] }> {
  const read = readJson(text, SCHEMA)
  return read.ok ? readProducts(read.value) : read
}

function readProducts(
  texts: readonly ProductText[],
): Result<{ readonly products: readonly ProductDraft[] }> {
  const products: ProductDraft[] = []
  const faults: string[] = []
  for (const text of texts) {
    const read = readProduct(text)
    if ('fault' in read) faults.push(`Product ${text.id}: ${read.fault}`)
    else products.push(read)
  }
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, products }
}

/** The fault of a product, as a sentence, and the faulty part. */
export interface ProductFault {
  readonly field: keyof ProductText
  readonly fault: string
}

/** The product, or what is wrong with it. */
export function readProduct(text: ProductText): ProductDraft | ProductFault {
  const { id, name = '', type, metric, period, price, currency } = text
  if (id.length > 64 || !/^[^\p{Cc}\p{Cs}]*\S[^\p{Cc}\p{Cs}]*$/u.test(id)) {
    return { field: 'id', fault: 'the id must be 1 to 64 printable characters.' }
  }
  if (holdsCardNumber(`${id} ${name}`, 'digits')) {
    const field = holdsCardNumber(name, 'digits') ? 'name' : 'id'
    return { field, fault: 'id or name could be a card number; take the digits out.' }
  }
  const terms = { type, metric, period, price, currency }
  const absent = Object.keys(terms).filter((key) => terms[key as keyof typeof terms] === undefined)
  const [first] = absent
  if (absent.length === 5) {
    if (name.length > 255)
      return { field: 'name', fault: 'the name must have 255 characters at most.' }
    return { productId: id, name, definition: null }
  }
  if (first !== undefined) {
    const fault = `${absent.join(', ')} missing; a membership has all of type, metric, period, price and currency.`
    return { field: first as keyof typeof terms, fault }
  }
  const cost = readProductPrice(price ?? '', currency ?? '')
  if (cost.kind === 'refused') {
    return cost.reason === 'currency_unknown'
      ? {
          field: 'currency',
          fault: `currency is ${currency}; expected an ISO 4217 code such as USD.`,
        }
      : {
          field: 'price',
          fault: `price is ${price}; expected an amount of ${currency} such as 19.95.`,
        }
  }
  const reading = readProductDefinition({ name, type, metric, period }, cost.price)
  if (reading.kind === 'refused') return FAULTS[reading.reason]
  return { productId: id, name, definition: reading.definition }
}

const NAME: ProductFault = {
  field: 'name',
  fault: 'the name must be 1 to 255 printable characters.',
}
const TYPE: ProductFault = {
  field: 'type',
  fault: 'type must be 1 (ends after its period) or 2 (renews).',
}
const METRIC: ProductFault = { field: 'metric', fault: 'metric must be D, M or Y.' }
const PERIOD: ProductFault = {
  field: 'period',
  fault: 'period must be a whole number from 1 to 9999.',
}

const FAULTS: Readonly<Record<ProductRefusal, ProductFault>> = {
  name_missing: NAME,
  name_invalid: NAME,
  type_missing: TYPE,
  type_unknown: TYPE,
  metric_missing: METRIC,
  metric_invalid: METRIC,
  period_missing: PERIOD,
  period_invalid: PERIOD,
  price_not_positive: { field: 'price', fault: 'price must be above zero.' },
}
