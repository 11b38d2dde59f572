import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NO_LIMITS, type AmountLimit } from '../../../src/domain/merchants/account-limits.ts'
import { decideAmounts, decideCountries } from '../../../src/domain/merchants/limits-change.ts'

const ACCOUNT = { id: 2001n, currencies: ['USD', 'EUR'], limits: NO_LIMITS }

function withAmounts(paymentMinor: bigint | null, dayMinor: bigint | null) {
  const amounts = new Map([['USD', { paymentMinor, dayMinor }]])
  return { ...ACCOUNT, limits: { ...NO_LIMITS, amounts } }
}

function amountsAfter(account: typeof ACCOUNT, change: Partial<AmountLimit>) {
  const decided = decideAmounts(account, 'USD', change)
  return decided.ok ? (decided.limits.amounts.get('USD') ?? 'none') : decided.faults.join(' ')
}

suite('a change of the limits of an account', () => {
  test('an amount that is not named stays, and null takes one away', () => {
    assert.deepEqual(amountsAfter(ACCOUNT, { dayMinor: 500n }), {
      paymentMinor: null,
      dayMinor: 500n,
    })
    assert.deepEqual(amountsAfter(withAmounts(100n, 500n), { paymentMinor: 200n }), {
      paymentMinor: 200n,
      dayMinor: 500n,
    })
    assert.deepEqual(amountsAfter(withAmounts(100n, 500n), { paymentMinor: null }), {
      paymentMinor: null,
      dayMinor: 500n,
    })
    assert.deepEqual(amountsAfter(withAmounts(100n, 500n), { dayMinor: null }), {
      paymentMinor: 100n,
      dayMinor: null,
    })
    assert.equal(amountsAfter(withAmounts(100n, null), { paymentMinor: null }), 'none')
  })

  test('a limit is above zero, and one minor unit is enough', () => {
    assert.match(String(amountsAfter(ACCOUNT, { paymentMinor: 0n })), /above zero/)
    assert.match(String(amountsAfter(ACCOUNT, { dayMinor: 0n })), /above zero/)
    assert.deepEqual(amountsAfter(ACCOUNT, { paymentMinor: 1n, dayMinor: 1n }), {
      paymentMinor: 1n,
      dayMinor: 1n,
    })
  })

  test('the limit for one payment is at most the limit for a day, where both are set', () => {
    const above = /The limit for one payment is above the limit for a day/
    assert.match(String(amountsAfter(withAmounts(null, 500n), { paymentMinor: 501n })), above)
    assert.match(String(amountsAfter(withAmounts(500n, null), { dayMinor: 499n })), above)
    assert.notEqual(amountsAfter(ACCOUNT, { paymentMinor: 501n }), 'none')
  })

  test('limits that are there already, and other currencies, are refused', () => {
    const same = decideAmounts(withAmounts(100n, null), 'USD', { paymentMinor: 100n })
    assert.equal(same.ok ? '' : same.kind, 'conflict')
    const other = decideAmounts(ACCOUNT, 'JPY', { paymentMinor: 100n })
    assert.deepEqual(other.ok ? [] : other.faults, [
      'Account 2001 does not take JPY. It takes USD, EUR.',
    ])
  })

  test('countries are two capital letters, each once and sorted', () => {
    const decided = decideCountries(ACCOUNT, { rule: 'allow', codes: ['DE', 'AT', 'DE'] })
    assert.deepEqual(decided.ok && decided.limits.countries?.codes, ['AT', 'DE'])
    for (const code of ['de', 'DEU', 'D', 'xDE', 'DEx', '']) {
      const wrong = decideCountries(ACCOUNT, { rule: 'refuse', codes: ['AT', code] })
      assert.equal(wrong.ok ? '' : wrong.kind, 'invalid', code)
    }
  })
})
