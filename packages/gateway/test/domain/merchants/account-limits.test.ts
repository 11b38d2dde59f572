import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  declinedByLimits,
  limitOfDay,
  NO_LIMITS,
  type AccountLimits,
} from '../../../src/domain/merchants/account-limits.ts'
import { decideAmounts, decideCountries } from '../../../src/domain/merchants/limits-change.ts'

const PAYMENT = { currency: 'EUR', amountMinor: 5_000n, country: 'DE', asksForCountry: true }
const EUR: AccountLimits = {
  ...NO_LIMITS,
  amounts: new Map([['EUR', { paymentMinor: 5_000n, dayMinor: 90_000n }]]),
}
const ACCOUNT = { id: 7n, currencies: ['EUR', 'USD'], limits: EUR }

suite('limits of a merchant account', () => {
  test('a payment may have exactly the amount of the limit of its currency', () => {
    assert.equal(declinedByLimits(EUR, PAYMENT), null)
    assert.equal(declinedByLimits(EUR, { ...PAYMENT, amountMinor: 5_001n }), 540)
    assert.equal(declinedByLimits(EUR, { ...PAYMENT, currency: 'USD', amountMinor: 9_999n }), null)
    assert.equal(limitOfDay(EUR, 'EUR'), 90_000n)
    assert.equal(limitOfDay(EUR, 'USD'), null)
  })

  test('countries are allowed or refused, and a missing one is asked for where it can be sent', () => {
    const allow = { ...NO_LIMITS, countries: { rule: 'allow', codes: ['AT', 'DE'] } as const }
    const refuse = { ...NO_LIMITS, countries: { rule: 'refuse', codes: ['DE'] } as const }
    assert.equal(declinedByLimits(allow, PAYMENT), null)
    assert.equal(declinedByLimits(allow, { ...PAYMENT, country: 'US' }), 601)
    assert.equal(declinedByLimits(refuse, PAYMENT), 601)
    assert.equal(declinedByLimits(refuse, { ...PAYMENT, country: 'US' }), null)
    for (const limits of [allow, refuse]) {
      const unsaid = { ...PAYMENT, country: '' }
      assert.equal(declinedByLimits(limits, unsaid), 201)
      assert.equal(declinedByLimits(limits, { ...unsaid, asksForCountry: false }), null)
    }
  })

  test('a change sets the named limit and leaves the other', () => {
    const less = decideAmounts(ACCOUNT, 'EUR', { paymentMinor: 100n })
    assert.deepEqual(less.ok && less.limits.amounts.get('EUR'), {
      paymentMinor: 100n,
      dayMinor: 90_000n,
    })
    const gone = decideAmounts(ACCOUNT, 'EUR', { paymentMinor: null, dayMinor: null })
    assert.deepEqual(gone.ok && gone.limits, NO_LIMITS)
  })

  test('limits are refused in another currency, of zero, upside down, or as they are already', () => {
    const kindOf = (
      ...[currency, change]: [string, Parameters<typeof decideAmounts>[2]]
    ): unknown => {
      const decided = decideAmounts(ACCOUNT, currency, change)
      return decided.ok ? 'ok' : decided.kind
    }
    assert.equal(kindOf('JPY', { dayMinor: 1n }), 'invalid')
    assert.equal(kindOf('EUR', { dayMinor: 0n }), 'invalid')
    assert.equal(kindOf('EUR', { dayMinor: 4_999n }), 'invalid')
    assert.equal(kindOf('EUR', { dayMinor: 5_000n }), 'ok')
    assert.equal(kindOf('EUR', { dayMinor: 90_000n }), 'conflict')
  })

  test('countries are stored once each, sorted, and only as two capital letters', () => {
    const set = decideCountries(ACCOUNT, { rule: 'allow', codes: ['DE', 'AT', 'DE'] })
    assert.deepEqual(set.ok && set.limits.countries, { rule: 'allow', codes: ['AT', 'DE'] })
    assert.equal(decideCountries(ACCOUNT, { rule: 'allow', codes: ['deu'] }).ok, false)
    assert.equal(decideCountries(ACCOUNT, null).ok, false, 'it takes every country already')
  })
})
