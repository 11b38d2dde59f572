import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideDetails,
  detailsText,
  nameAndLocationOf,
  placeOf,
} from '../../../src/domain/merchants/account-details.ts'

const DETAILS = {
  categoryCode: '5999',
  name: 'Day Shop',
  city: 'Berlin',
  country: 'DE',
  currencies: ['EUR', 'USD'],
}
const FREE = { today: '2027-01-10', plans: [], defaultCurrencies: [] }
const EUR_ONLY = {
  startsOn: '2027-01-01',
  rates: [{ kind: 'sale', brand: null, millionths: 0n, fixedMinor: new Map([['EUR', 10n]]) }],
  monthlyMinor: new Map(),
} as const

suite('a change of the details of an account', () => {
  test('the place goes to DE 43 and comes back, however short or long its parts are', () => {
    for (const place of [
      { name: 'Day Shop', city: 'Berlin', country: 'DE' },
      { name: 'A'.repeat(25), city: 'B'.repeat(13), country: 'CH' },
      { name: 'A', city: 'B', country: 'US' },
    ]) {
      const text = nameAndLocationOf(place)
      assert.equal(text.length, 40)
      assert.deepEqual(placeOf(text), place)
    }
    assert.equal(nameAndLocationOf(DETAILS), `${'Day Shop'.padEnd(25)}${'Berlin'.padEnd(13)}DE`)
  })

  test('details that the account has already are refused, and any other one is taken', () => {
    const same = decideDetails(7n, DETAILS, { ...DETAILS }, FREE)
    assert.ok(!same.ok)
    assert.equal(same.kind, 'conflict')
    for (const change of [
      { categoryCode: '5812' },
      { name: 'Night Shop' },
      { city: 'Bonn' },
      { country: 'AT' },
      { currencies: ['EUR'] },
      { currencies: ['EUR', 'USD', 'JPY'] },
    ]) {
      const decided = decideDetails(7n, DETAILS, { ...DETAILS, ...change }, FREE)
      assert.deepEqual(decided, { ok: true }, JSON.stringify(change))
    }
  })

  test('the default currency of a site stays while no other account of the site takes it', () => {
    const facts = { ...FREE, defaultCurrencies: ['EUR', 'JPY'] }
    const without = decideDetails(7n, DETAILS, { ...DETAILS, currencies: ['USD'] }, facts)
    assert.ok(!without.ok)
    assert.deepEqual(without.faults, [
      'EUR is the default currency of a site that has no other account for it.',
    ])
    assert.equal(without.field, 'currencies')
    // The account never took JPY, so the change takes nothing from that site.
    assert.equal(decideDetails(7n, DETAILS, { ...DETAILS, currencies: ['EUR'] }, facts).ok, true)
  })

  test('a currency that the plan of fees has no price for is not added, and may go', () => {
    const facts = { ...FREE, plans: [EUR_ONLY] }
    const added = decideDetails(
      7n,
      { ...DETAILS, currencies: ['EUR'] },
      { ...DETAILS, currencies: ['EUR', 'USD'] },
      facts,
    )
    assert.ok(!added.ok)
    assert.match(added.faults[0] ?? '', /starts on 2027-01-01 has fixed parts, but none in USD/)
    assert.equal(decideDetails(7n, DETAILS, { ...DETAILS, currencies: ['EUR'] }, facts).ok, true)
    assert.equal(decideDetails(7n, DETAILS, { ...DETAILS, city: 'Bonn' }, facts).ok, true)
  })

  test('the text of details names each of them', () => {
    assert.equal(detailsText(DETAILS), 'Day Shop, Berlin, DE; category 5999; EUR, USD')
  })
})
