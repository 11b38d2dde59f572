import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideModeChange, type SiteAccount } from '../../../src/domain/merchants/site-mode.ts'

const account = (
  id: string,
  mode: 'test' | 'live',
  currencies: readonly string[],
): SiteAccount => ({
  id,
  mode,
  currencies,
  link: mode === 'live' ? 'link acme' : 'the bundled bank',
})

const TEST = account('2001', 'test', ['USD', 'EUR'])

suite('a move of a site to the other mode', () => {
  test('a site moves where every currency has an account, and of several accounts the first counts', () => {
    const accounts = [
      TEST,
      account('3001', 'live', ['USD', 'GBP']),
      account('3002', 'live', ['USD', 'EUR']),
    ]
    assert.deepEqual(decideModeChange(1001n, 'test', 'live', accounts), {
      ok: true,
      change: {
        from: 'test',
        routes: [
          {
            currency: 'USD',
            from: 'account 2001, the bundled bank',
            to: 'account 3001, link acme',
          },
          { currency: 'GBP', from: 'refused', to: 'account 3001, link acme' },
          {
            currency: 'EUR',
            from: 'account 2001, the bundled bank',
            to: 'account 3002, link acme',
          },
        ],
      },
    })
  })

  const refusals: readonly (readonly [
    name: string,
    to: 'test' | 'live',
    accounts: readonly SiteAccount[],
    fault: RegExp,
  ])[] = [
    ['it is there already', 'test', [TEST], /Site 1001 is in test mode already/],
    ['no account of the mode', 'live', [TEST], /no live account for USD, EUR/],
    ['a currency would be lost', 'live', [TEST, account('3001', 'live', ['USD'])], /for EUR\./],
    ['a site without any account', 'live', [], /for any currency/],
  ]
  for (const [name, to, accounts, fault] of refusals) {
    test(`it does not move: ${name}`, () => {
      const decided = decideModeChange(1001n, 'test', to, accounts)
      assert.ok(!decided.ok)
      assert.equal(decided.kind, 'conflict')
      assert.match(decided.faults.join(), fault)
    })
  }
})
