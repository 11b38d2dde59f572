import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import {
  isSameDefinition,
  readProductDefinition,
  readProductPrice,
} from '../../../src/domain/memberships/product.ts'
import type { ProductDefinition, ProductParts } from '../../../src/domain/memberships/product.ts'
import type { Money } from '../../../src/domain/money.ts'

const PARTS: ProductParts = { name: 'Gold', type: '2', metric: 'D', period: '30' }
const PRICE = money('9.99', 'USD')
const GOLD: ProductDefinition = {
  name: 'Gold',
  type: 'renews',
  period: { metric: 'D', length: 30 },
  price: PRICE,
}

const READ: readonly (readonly [string, Partial<ProductParts>, Partial<ProductDefinition>])[] = [
  ['type 2 renews', {}, {}],
  ['type 1 ends', { type: '1' }, { type: 'ends' }],
  ['months', { metric: 'M', period: '1' }, { period: { metric: 'M', length: 1 } }],
  ['years', { metric: 'Y', period: '9999' }, { period: { metric: 'Y', length: 9_999 } }],
  ['a length with zeros before it', { period: '0030' }, {}],
  ['a name of 255 characters', { name: 'é'.repeat(255) }, { name: 'é'.repeat(255) }],
]

for (const [name, change, expected] of READ) {
  test(`a product definition is read: ${name}`, () => {
    assert.deepEqual(readProductDefinition({ ...PARTS, ...change }, PRICE), {
      kind: 'definition',
      definition: { ...GOLD, ...expected },
    })
  })
}

const NONE: ProductParts = {
  name: undefined,
  type: undefined,
  metric: undefined,
  period: undefined,
}

const REFUSED: readonly (readonly [parts: ProductParts, reason: string])[] = [
  [NONE, 'name_missing'],
  [{ ...PARTS, name: undefined, type: '3' }, 'name_missing'],
  [{ ...PARTS, type: undefined, metric: 'W' }, 'type_missing'],
  [{ ...PARTS, metric: undefined, type: '3' }, 'metric_missing'],
  [{ ...PARTS, period: undefined, type: '3' }, 'period_missing'],
  [{ ...PARTS, name: '' }, 'name_invalid'],
  [{ ...PARTS, name: ' ' }, 'name_invalid'],
  [{ ...PARTS, name: 'a\nb' }, 'name_invalid'],
  [{ ...PARTS, name: 'x'.repeat(256) }, 'name_invalid'],
  [{ ...PARTS, metric: 'W' }, 'metric_invalid'],
  [{ ...PARTS, metric: 'd' }, 'metric_invalid'],
  [{ ...PARTS, metric: '' }, 'metric_invalid'],
  [{ ...PARTS, period: '' }, 'period_invalid'],
  [{ ...PARTS, period: '0' }, 'period_invalid'],
  [{ ...PARTS, period: '000' }, 'period_invalid'],
  [{ ...PARTS, period: '10000' }, 'period_invalid'],
  [{ ...PARTS, period: '-1' }, 'period_invalid'],
  [{ ...PARTS, period: '1.5' }, 'period_invalid'],
  [{ ...PARTS, period: '1e3' }, 'period_invalid'],
  [{ ...PARTS, period: '١' }, 'period_invalid'],
  [{ ...PARTS, type: '0' }, 'type_unknown'],
  [{ ...PARTS, type: '3' }, 'type_unknown'],
  [{ ...PARTS, type: '01' }, 'type_unknown'],
  [{ ...PARTS, type: '' }, 'type_unknown'],
  [{ ...PARTS, type: '3', period: '0' }, 'period_invalid'],
]

for (const [parts, reason] of REFUSED) {
  test(`${JSON.stringify(parts).slice(0, 80)} is refused as ${reason}`, () => {
    assert.deepEqual(readProductDefinition(parts, PRICE), { kind: 'refused', reason })
  })
}

test('a product that costs nothing is refused, because every renewal of it would be', () => {
  for (const minor of [0n, -1n]) {
    assert.deepEqual(readProductDefinition(PARTS, { ...PRICE, minor }), {
      kind: 'refused',
      reason: 'price_not_positive',
    })
  }
})

test('a price is read in its currency’s decimals', () => {
  assert.deepEqual(readProductPrice('9.99', 'usd'), { kind: 'price', price: PRICE })
  assert.deepEqual(readProductPrice('1000', 'JPY'), { kind: 'price', price: money('1000', 'JPY') })
  const refused = (reason: string) => ({ kind: 'refused', reason })
  assert.deepEqual(readProductPrice('9.99', 'XYZ'), refused('currency_unknown'))
  assert.deepEqual(readProductPrice('9.99', 'JPY'), refused('price_not_numeric'))
  assert.deepEqual(readProductPrice('-1', 'USD'), refused('price_not_numeric'))
  assert.deepEqual(readProductPrice('99999999999.00', 'USD'), refused('price_too_long'))
})

const DIFFERENT: readonly (readonly [what: string, change: Partial<ProductDefinition>])[] = [
  ['name', { name: 'gold' }],
  ['type', { type: 'ends' }],
  ['metric', { period: { metric: 'M', length: 30 } }],
  ['length', { period: { metric: 'D', length: 31 } }],
  ['price', { price: money('10.00', 'USD') }],
  ['currency', { price: money('9.99', 'EUR') }],
]

for (const [what, change] of DIFFERENT) {
  test(`a definition with another ${what} is another product`, () => {
    assert.equal(isSameDefinition(GOLD, { ...GOLD, ...change }), false)
  })
}

test('an equal definition is the same product', () => {
  const again = readProductDefinition({ ...PARTS, period: '030' }, money('9.99', 'USD'))
  assert.equal(again.kind, 'definition')
  assert.equal(isSameDefinition(GOLD, again.definition), true)
})

test('twelve months and one year are two products', () => {
  const year: ProductDefinition = { ...GOLD, period: { metric: 'Y', length: 1 } }
  assert.equal(isSameDefinition(year, { ...GOLD, period: { metric: 'M', length: 12 } }), false)
})

function money(amount: string, code: string): Money {
  const currency = findCurrency(code)
  assert.ok(currency)
  const reading = readProductPrice(amount, code)
  assert.equal(reading.kind, 'price')
  return reading.price
}
