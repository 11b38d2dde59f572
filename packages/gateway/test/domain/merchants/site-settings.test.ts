import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { settingFaults, type SiteSettings } from '../../../src/domain/merchants/site-settings.ts'

/** The only fault of the changes: its field and sentence; null for none. */
function faultOf(changes: Partial<SiteSettings>): string | null {
  const faults = settingFaults(changes)
  assert.ok(faults.length <= 1)
  const [fault] = faults
  return fault === undefined ? null : `${fault.field}: ${fault.fault}`
}

suite('the settings of a site', () => {
  test('without a change have no fault', () => {
    assert.deepEqual(settingFaults({}), [])
    assert.deepEqual(settingFaults({ renewalRetryDays: null, cvvRequired: true }), [])
  })

  test('accept a name of 1 to 100 characters without a blank at its ends', () => {
    for (const name of ['Shop', 'ß', 'A shop of 3', 'x'.repeat(100)]) {
      assert.equal(faultOf({ name }), null, name)
    }
    for (const name of ['', ' Shop', 'Shop ', 'x'.repeat(101), 'a\nb', 'a\u0000', '\u0007a']) {
      assert.match(faultOf({ name }) ?? '', /^name: The name must have 1 to 100 /, name)
    }
  })

  test('accept a currency by its upper-case code alone', () => {
    assert.equal(faultOf({ defaultCurrency: 'EUR' }), null)
    for (const code of ['eur', 'EURO', 'XXQ', '']) {
      assert.match(faultOf({ defaultCurrency: code }) ?? '', /^defaultCurrency: .*is no currency/)
    }
  })

  test('accept a product of 1 to 64 characters of ASCII', () => {
    for (const id of ['p', 'gold-1', 'a b', '~'.repeat(64)]) {
      assert.equal(faultOf({ defaultProduct: id }), null, id)
    }
    for (const id of ['', ' p', 'p ', '~'.repeat(65), 'größe', 'a\nb']) {
      assert.match(faultOf({ defaultProduct: id }) ?? '', /^defaultProduct: The default product /)
    }
  })

  test('refuse a card number as a name and as a product', () => {
    const number = '4111111111111111'
    assert.match(faultOf({ name: number }) ?? '', /^name: It has 12 digits in a row/)
    assert.match(faultOf({ defaultProduct: number }) ?? '', /^defaultProduct: It has 12 digits/)
  })

  test('accept results of the checks, each once', () => {
    assert.equal(faultOf({ avsMatchSet: 'YX' }), null)
    assert.equal(faultOf({ cvvMatchSet: 'M' }), null)
    assert.equal(faultOf({ avsMatchSet: '' }), null)
    assert.equal(faultOf({ avsMatchSet: 'Y!' }), 'avsMatchSet: ! is no AVS result.')
    assert.equal(faultOf({ cvvMatchSet: 'M!' }), 'cvvMatchSet: ! is no CVV result.')
    assert.equal(faultOf({ avsMatchSet: 'YXY' }), 'avsMatchSet: The result Y is listed twice.')
    assert.equal(faultOf({ cvvMatchSet: 'MM' }), 'cvvMatchSet: The result M is listed twice.')
  })

  test('accept days of retries that rise, and report all faults at once', () => {
    assert.equal(faultOf({ renewalRetryDays: [1, 3] }), null)
    assert.match(faultOf({ renewalRetryDays: [3, 1] }) ?? '', /^renewalRetryDays: /)
    const faults = settingFaults({ name: '', defaultCurrency: '?', defaultProduct: '' })
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['name', 'defaultCurrency', 'defaultProduct'],
    )
  })
})
