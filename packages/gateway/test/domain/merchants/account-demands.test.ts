import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  declinedByDemands,
  NO_DEMANDS,
  REQUIRED_FIELDS,
  type DemandedPayment,
} from '../../../src/domain/merchants/account-demands.ts'

const ALL = new Set(REQUIRED_FIELDS)
const PAYMENT: DemandedPayment = { brand: 'Visa', stated: new Set(), asksForFields: true }
const STRICT = { brands: null, requiredFields: REQUIRED_FIELDS }

suite('demands of a merchant account', () => {
  test('an account without demands takes a payment that states nothing', () => {
    assert.equal(declinedByDemands(NO_DEMANDS, PAYMENT), null)
  })

  test('each required field has its own code, from 200 to 213, and the others are not asked for', () => {
    const codes = REQUIRED_FIELDS.map((missing) => {
      const stated = new Set(REQUIRED_FIELDS.filter((field) => field !== missing))
      const others = { brands: null, requiredFields: [...stated] }
      assert.equal(declinedByDemands(others, { ...PAYMENT, stated }), null)
      return declinedByDemands(STRICT, { ...PAYMENT, stated })
    })
    assert.deepEqual(
      codes,
      Array.from({ length: 14 }, (_, at) => 200 + at),
    )
  })

  test('the missing field with the lowest code is the answer, however the account lists them', () => {
    const demands = { ...NO_DEMANDS, requiredFields: ['last_name', 'country'] as const }
    assert.equal(declinedByDemands(demands, PAYMENT), 201)
    assert.equal(declinedByDemands(STRICT, { ...PAYMENT, stated: ALL }), null)
  })

  test('a saved card needs no fields, but it needs an accepted brand', () => {
    const saved = { ...PAYMENT, asksForFields: false }
    assert.equal(declinedByDemands(STRICT, saved), null)
    assert.equal(declinedByDemands({ ...STRICT, brands: ['Mastercard'] }, saved), 522)
  })

  test('a brand that is not listed is declined before its missing fields, and an unknown one is not', () => {
    const demands = { ...STRICT, brands: ['Visa', 'JCB'] as const }
    assert.equal(declinedByDemands(demands, { ...PAYMENT, brand: 'Mastercard' }), 522)
    assert.equal(declinedByDemands(demands, { ...PAYMENT, brand: 'JCB', stated: ALL }), null)
    assert.equal(declinedByDemands(demands, { ...PAYMENT, brand: null, stated: ALL }), null)
  })
})
