import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideDisabling,
  decideEnabling,
  decideNewMerchant,
  decideNewName,
} from '../../../src/domain/merchants/merchant-change.ts'
import { decideNewSite } from '../../../src/domain/merchants/new-site.ts'

const NEW = { id: 7n, name: 'Shop', isTaken: false, timeZone: 'UTC', knowsTimeZone: true }
const DISABLED = {
  name: 'Shop',
  disabled: { at: new Date('2026-11-01T10:00:00Z'), by: 'operator:anna@node', reason: 'fraud' },
}
const ENABLED = { name: 'Shop', disabled: null }

suite('administration of a merchant', () => {
  test('a merchant is created under a free id, with a plain name and a known time zone', () => {
    assert.equal(decideNewMerchant(NEW), null)
    assert.equal(decideNewMerchant({ ...NEW, knowsTimeZone: false })?.kind, 'invalid')
    assert.deepEqual(decideNewMerchant({ ...NEW, isTaken: true })?.faults, [
      'Merchant 7 exists already. Choose another id, or none.',
    ])
    assert.deepEqual(
      decideNewMerchant({ ...NEW, name: ' Shop', timeZone: 'Moon', knowsTimeZone: false })?.faults,
      [
        'The name must have 1 to 100 characters, without a blank at either end.',
        'The time zone Moon is not known. Expected an IANA name such as Europe/Berlin.',
      ],
    )
  })

  test('an id of a merchant or a site has 11 digits at most, so no card number is one', () => {
    const settings = { name: 'shop.example', defaultCurrency: 'EUR', tolerance: 'strict' } as const
    for (const [id, kind] of [
      [99_999_999_999n, undefined],
      [100_000_000_000n, 'invalid'],
      [378_282_246_310_005n, 'invalid'],
      [0n, 'invalid'],
    ] as const) {
      assert.equal(decideNewMerchant({ ...NEW, id })?.kind, kind, `${id}`)
      assert.equal(decideNewSite({ id, settings, isTaken: false })?.kind, kind, `${id}`)
    }
  })

  test('a merchant gets another name, unless it has it already or it could be a card number', () => {
    assert.equal(decideNewName(7n, 'Shop', 'Store'), null)
    assert.equal(decideNewName(7n, 'Shop', 'Shop')?.kind, 'conflict')
    assert.equal(decideNewName(7n, 'Shop', '4111111111111111')?.kind, 'invalid')
  })

  test('a merchant is disabled once, for a reason of one line', () => {
    for (const reason of ['stolen cards', 'abc', 'x'.repeat(200)])
      assert.equal(decideDisabling(7n, ENABLED, reason), null)
    for (const reason of ['', 'no', ' fraud', 'a\nb c', 'x'.repeat(201), 'card 4111111111111111'])
      assert.equal(decideDisabling(7n, ENABLED, reason)?.kind, 'invalid', reason)
    assert.deepEqual(decideDisabling(7n, DISABLED, 'again')?.faults, [
      'Merchant 7 is disabled already: by operator:anna@node at 2026-11-01T10:00:00.000Z, "fraud".',
    ])
  })

  test('only a disabled merchant is enabled', () => {
    assert.equal(decideEnabling(7n, DISABLED), null)
    assert.equal(decideEnabling(7n, ENABLED)?.kind, 'conflict')
  })

  test('a site is created under a free id, with a plain name and a known currency', () => {
    const settings = { name: 'shop.example', defaultCurrency: 'EUR', tolerance: 'strict' } as const
    assert.equal(decideNewSite({ id: 9n, settings, isTaken: false }), null)
    assert.equal(decideNewSite({ id: 9n, settings, isTaken: true })?.kind, 'conflict')
    const odd = { ...settings, name: '', defaultCurrency: 'EURO' }
    assert.equal(decideNewSite({ id: 9n, settings: odd, isTaken: false })?.faults.length, 2)
    const unnamed = { ...settings, name: '' }
    assert.equal(decideNewSite({ id: 9n, settings: unnamed, isTaken: false })?.kind, 'invalid')
  })
})
