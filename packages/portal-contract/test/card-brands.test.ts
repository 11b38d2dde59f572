import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brandName, CARD_BRANDS } from '../src/card-brands.ts'

suite('names of card brands', () => {
  test('a brand of a file has the name that lists show, however the file writes it', () => {
    const written = [
      'AMERICANEXPRESS',
      'americanexpress',
      'amex',
      'American Express',
      'diners_club',
    ]
    assert.deepEqual(written.map(brandName), [
      'American Express',
      'American Express',
      'American Express',
      'American Express',
      'Diners Club',
    ])
    for (const brand of CARD_BRANDS) assert.equal(brandName(brand.toLowerCase()), brand)
  })

  test('an unknown brand keeps the name of the file', () => {
    assert.equal(brandName('girocard'), 'girocard')
  })
})
