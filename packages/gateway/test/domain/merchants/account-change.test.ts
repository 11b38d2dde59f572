import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideAccount,
  type AccountClaim,
  type AccountPlace,
} from '../../../src/domain/merchants/account-change.ts'

const CLAIM: AccountClaim = {
  id: 501,
  merchantId: 7,
  mode: 'live',
  link: 'acme-live',
  acquirerId: null,
  acquirerMerchantId: 'SHOP0001',
  currencies: ['EUR', 'USD'],
  standsFor: 500,
  sites: [1001, 1002],
}
const LINK = { id: 3n, mode: 'live', institutionId: '424242' } as const
const OWNER = {
  exists: true,
  sites: [1001n, 1002n],
  hasTestAccount: true,
  standIn: null,
  defaultCurrencies: [],
}
const EUR_ONLY = {
  startsOn: '2027-01-01',
  rates: [{ kind: 'sale', brand: null, millionths: 0n, fixedMinor: new Map([['EUR', 10n]]) }],
  monthlyMinor: new Map(),
} as const
const PLANS = { today: '2027-01-10', plans: [EUR_ONLY] }
const NEW: AccountPlace = {
  link: LINK,
  before: null,
  owner: OWNER,
  plans: { ...PLANS, plans: [] },
}
const STORED = {
  merchantId: 7n,
  mode: 'live',
  linkId: 3n,
  acquirerId: '424242',
  acquirerMerchantId: 'SHOP0001',
  currencies: ['EUR'],
} as const

function faultsOf(claim: Partial<AccountClaim>, place: Partial<AccountPlace>): readonly string[] {
  const decided = decideAccount({ ...CLAIM, ...claim }, { ...NEW, ...place })
  assert.ok(!decided.ok)
  assert.equal(decided.kind, 'invalid')
  return decided.faults
}

suite('creations and changes of merchant accounts', () => {
  test('an account takes the institution id of its link where it names none', () => {
    const bank = { ok: true, linkId: 3n, acquirerId: '424242' }
    assert.deepEqual(decideAccount(CLAIM, NEW), bank)
    assert.deepEqual(decideAccount(CLAIM, { ...NEW, before: STORED }), bank)
    const named = decideAccount({ ...CLAIM, acquirerId: '99' }, NEW)
    assert.deepEqual(named, { ...bank, acquirerId: '99' })
  })

  test('an account of the bundled bank has no link', () => {
    const claim = { ...CLAIM, mode: 'test', link: null, acquirerId: '42', standsFor: null } as const
    const decided = decideAccount(claim, { ...NEW, link: null })
    assert.deepEqual(decided, { ok: true, linkId: null, acquirerId: '42' })
  })

  test('a link that does not exist is refused by its name', () => {
    assert.deepEqual(faultsOf({}, { link: null }), [
      'link is "acme-live", but there is none of that name; "tollgate links" lists those there are.',
    ])
  })

  test('a link of the other mode is refused', () => {
    assert.deepEqual(faultsOf({}, { link: { ...LINK, mode: 'test' } }), [
      'link is "acme-live", a test link; a live account needs a live one.',
    ])
  })

  const fixed: readonly (readonly [name: string, claim: Partial<AccountClaim>])[] = [
    ['merchantId', { merchantId: 8 }],
    ['acquirerId', { acquirerId: '99' }],
    ['acquirerMerchantId', { acquirerMerchantId: 'SHOP0002' }],
  ]
  for (const [name, claim] of fixed) {
    test(`another ${name} than the stored one is refused`, () => {
      assert.deepEqual(faultsOf(claim, { before: STORED }), [
        `${name} differs from what account 501 has, and an account stays with its bank: describe another account under another id.`,
      ])
    })
  }

  test('another link and another mode than the stored ones are refused', () => {
    const before = { ...STORED, linkId: 4n, mode: 'test' } as const
    const names = faultsOf({}, { before }).map((fault) => fault.split(' ')[0])
    assert.deepEqual(names, ['mode', 'link'])
  })

  test('a merchant that does not exist is the only fault of the owner', () => {
    const owner = { ...OWNER, exists: false, sites: [], hasTestAccount: false }
    assert.deepEqual(faultsOf({}, { owner }), ['merchantId is 7, but there is no such merchant.'])
  })

  test('a currency without a price in the plan of fees is refused, unless the account takes it already', () => {
    const sentence =
      'The fee plan that starts on 2027-01-01 has fixed parts, but none in USD. Set a plan with ' +
      'them first. The currency can be added from the day on which it starts.'
    assert.deepEqual(faultsOf({}, { plans: PLANS }), [sentence])
    assert.deepEqual(faultsOf({}, { plans: PLANS, before: STORED }), [sentence])
    const before = { ...STORED, currencies: ['USD'] }
    assert.equal(decideAccount(CLAIM, { ...NEW, plans: PLANS, before }).ok, true)
  })

  test('the default currency of a site stays while no other account of the site takes it', () => {
    const owner = { ...OWNER, defaultCurrencies: ['EUR', 'JPY'] }
    const without = { currencies: ['USD'] }
    assert.deepEqual(faultsOf(without, { owner, before: STORED }), [
      'EUR is the default currency of a site that has no other account for it.',
    ])
    assert.equal(decideAccount(CLAIM, { ...NEW, owner, before: STORED }).ok, true)
    assert.equal(decideAccount({ ...CLAIM, ...without }, { ...NEW, owner }).ok, true)
    const unused = { ...NEW, before: STORED }
    assert.equal(decideAccount({ ...CLAIM, ...without }, unused).ok, true)
  })

  test('each site of another merchant is refused by its id', () => {
    assert.deepEqual(faultsOf({}, { owner: { ...OWNER, sites: [1002n] } }), [
      'sites names 1001, which is no site of merchant 7.',
    ])
  })

  test('an account stands for a test account of its merchant only', () => {
    assert.deepEqual(faultsOf({}, { owner: { ...OWNER, hasTestAccount: false } }), [
      'standsFor is 500, which is no test account of merchant 7.',
    ])
  })

  test('an account does not stand for a test account that has a stand-in', () => {
    assert.deepEqual(faultsOf({}, { owner: { ...OWNER, standIn: 502n } }), [
      'standsFor is 500, but account 502 stands for that already.',
    ])
  })

  test('an account that stands for none needs no test account', () => {
    const owner = { ...OWNER, hasTestAccount: false }
    assert.equal(decideAccount({ ...CLAIM, standsFor: null }, { ...NEW, owner }).ok, true)
  })
})
