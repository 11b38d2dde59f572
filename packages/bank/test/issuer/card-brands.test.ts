import valid from 'card-validator'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBrand, hasValidCheckDigit } from '../../src/issuer/card-brands.ts'
import { TEST_CARDS } from '../../src/test-data/test-cards.ts'

const BRAND_NAMES: Readonly<Record<string, string>> = {
  'american-express': 'amex',
  'diners-club': 'diners',
  discover: 'discover',
  jcb: 'jcb',
  maestro: 'maestro',
  mastercard: 'mastercard',
  mir: 'mir',
  unionpay: 'unionpay',
  visa: 'visa',
}

test('an independent table of brands agrees on every test card', () => {
  for (const { pan } of TEST_CARDS) {
    const { card, isValid } = valid.number(pan)

    assert.equal(isValid, true, `…${pan.slice(-6)} is no valid number`)
    assert.equal(findBrand(pan), BRAND_NAMES[card?.type ?? ''], `…${pan.slice(-6)}`)
    assert.equal(hasValidCheckDigit(pan), true)
  }
})

test('an independent table of brands agrees at the edges of the ranges', () => {
  const edges = ['2221000000000009', '2720999999999996', '2200000000000004', '2204999999999990']
  edges.push('3528000000000007', '3589999999999995', '6440000000000005', '30000000000004')
  edges.push('6221260000000000', '6229259999999994', '6200000000000005', '8100000000000009')
  edges.push('36000000000008', '39000000000005', '340000000000009', '370000000000002')
  for (const number of edges) {
    const found = findBrand(number)
    const { card } = valid.number(number)

    assert.ok(found !== null, number)
    if (number.startsWith('62')) continue // Shared by two brands; the narrower range is Discover's.
    assert.equal(found, BRAND_NAMES[card?.type ?? ''], number)
  }
})

test('a number of no brand, or too short for its brand, has none', () => {
  for (const number of ['1111111111111117', '9999999999999995', '411111111111', '']) {
    assert.equal(findBrand(number), null, number)
  }
})

test('one wrong digit or two swapped ones fail the check digit', () => {
  assert.equal(hasValidCheckDigit('4111111111111111'), true)
  assert.equal(hasValidCheckDigit('4111111111111112'), false)
  assert.equal(hasValidCheckDigit('5105105105105100'), true)
  assert.equal(hasValidCheckDigit('1505105105105100'), false)
  assert.equal(hasValidCheckDigit('41111111a1111111'), false)
  assert.equal(hasValidCheckDigit(''), false)
})
