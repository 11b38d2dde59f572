import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decidePlace,
  decideSettings,
  type SettingPlace,
} from '../../../src/domain/merchants/settings-change.ts'
import type { SiteSettings } from '../../../src/domain/merchants/site-settings.ts'

const BEFORE: SiteSettings = {
  name: 'Shop',
  defaultCurrency: 'EUR',
  tolerance: 'strict',
  defaultProduct: 'sale',
  cvvRequired: false,
  avsMode: 'T',
  cvvMode: 'T',
  avsMatchSet: 'Y',
  cvvMatchSet: 'M',
  renewalRetryDays: [1, 3],
}

suite('a change of settings', () => {
  test('the named settings are changed, and the rest stays', () => {
    assert.deepEqual(decideSettings(1001n, BEFORE, { renewalRetryDays: null, name: 'Other' }, {}), {
      ok: true,
      settings: { ...BEFORE, name: 'Other', renewalRetryDays: null },
      changed: ['name', 'renewalRetryDays'],
    })
  })

  test('a value that is set already is no change', () => {
    const decided = decideSettings(1001n, BEFORE, { name: 'Shop', renewalRetryDays: [1, 3] }, {})
    assert.deepEqual(decided.ok && decided.changed, [])
  })

  test('nothing is changed where anything that was seen is another value meanwhile', () => {
    const change = { name: 'Other' }
    assert.equal(decideSettings(1001n, BEFORE, change, { renewalRetryDays: [1, 3] }).ok, true)
    for (const seen of [{ name: 'Old' }, { cvvRequired: true }, { renewalRetryDays: [1] }]) {
      const decided = decideSettings(1001n, BEFORE, change, seen)
      assert.ok(!decided.ok)
      assert.deepEqual([decided.kind, decided.code], ['conflict', 'changed_meanwhile'])
    }
  })
})

suite('settings and the rest of the site', () => {
  const PLACE: SettingPlace = { catalogue: 'strict', takesCurrency: false, hasProduct: false }
  const fieldAtFault = (changed: readonly (keyof SiteSettings)[], place: Partial<SettingPlace>) =>
    decidePlace({ settings: BEFORE, changed }, { ...PLACE, ...place })?.field ?? null

  test('a default currency that no account takes is refused', () => {
    assert.equal(fieldAtFault(['defaultCurrency'], {}), 'defaultCurrency')
    assert.equal(fieldAtFault(['defaultCurrency'], { takesCurrency: true }), null)
  })

  test('a default product has to be in the catalogue where that is strict', () => {
    assert.equal(fieldAtFault(['defaultProduct'], {}), 'defaultProduct')
    assert.equal(fieldAtFault(['defaultProduct'], { hasProduct: true }), null)
    assert.equal(fieldAtFault(['defaultProduct'], { catalogue: 'open' }), null)
  })

  test('defaults that stay as they are need not go with the rest of the site', () => {
    assert.equal(fieldAtFault(['name'], {}), null)
  })
})
