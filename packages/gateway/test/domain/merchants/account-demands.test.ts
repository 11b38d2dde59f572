import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideDemands,
  declinedByDemands,
  demandsText,
  NO_DEMANDS,
  relaxesDemands,
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

  test('a change sorts the lists, and is refused with no brand and without a difference', () => {
    const before = { brands: ['Visa'] as const, requiredFields: ['email'] as const }
    assert.deepEqual(
      decideDemands(7n, before, {
        brands: ['JCB', 'Visa', 'JCB'],
        requiredFields: ['email', 'country'],
      }),
      { ok: true, demands: { brands: ['Visa', 'JCB'], requiredFields: ['country', 'email'] } },
    )
    const none = decideDemands(7n, before, { brands: [], requiredFields: [] })
    assert.deepEqual([none.ok, !none.ok && none.field], [false, 'brands'])
    const same = decideDemands(7n, before, { brands: ['Visa'], requiredFields: ['email'] })
    assert.match(same.ok ? '' : String(same.faults), /Account 7 has these demands already/)
    assert.equal(demandsText(before), 'brands Visa; required email')
    assert.equal(demandsText(NO_DEMANDS), 'brands all; required no fields')
  })

  test('a further brand and a field less relax the demands, and nothing else does', () => {
    const before = { brands: ['Visa', 'JCB'] as const, requiredFields: ['email', 'city'] as const }
    for (const relaxed of [
      { ...before, brands: null },
      { ...before, brands: ['Visa', 'Mastercard'] as const },
      { ...before, requiredFields: ['email', 'country'] as const },
    ]) {
      assert.ok(relaxesDemands(before, relaxed), demandsText(relaxed))
    }
    for (const tight of [
      before,
      { ...before, brands: ['JCB'] as const },
      { ...before, requiredFields: ['city', 'country', 'email'] as const },
    ]) {
      assert.ok(!relaxesDemands(before, tight), demandsText(tight))
    }
    assert.ok(!relaxesDemands(NO_DEMANDS, before))
  })
})
