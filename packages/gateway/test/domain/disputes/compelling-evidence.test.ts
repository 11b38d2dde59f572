import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import {
  choosePair,
  takesCompellingEvidence,
  type ComparedSale,
} from '../../../src/domain/disputes/compelling-evidence.ts'

const sale = (facts: Partial<ComparedSale>): ComparedSale => ({
  orderId: 1n,
  at: new Date('2026-05-01T10:00:00Z'),
  amountMinor: 1000n,
  currency: 'EUR',
  user: '',
  address: '',
  ip: '',
  device: '',
  ...facts,
})
const disputed = sale({ user: 'u', address: 'a', ip: 'i', device: 'd' })

test('two earlier sales are a pair with two equal facts, one of them the IP address or the device', () => {
  const both = (facts: Partial<ComparedSale>) =>
    choosePair(disputed, [sale(facts), sale(facts)])?.equal ?? null
  assert.deepEqual(both({ user: 'u', ip: 'i' }), ['user', 'ip'])
  assert.deepEqual(both({ address: 'a', device: 'd' }), ['address', 'device'])
  assert.deepEqual(both({ ip: 'i', device: 'd' }), ['ip', 'device'])
  assert.equal(both({ user: 'u', address: 'a' }), null)
  assert.equal(both({ ip: 'i' }), null)
  assert.equal(both({ user: 'u', ip: 'other' }), null)
  assert.equal(choosePair(disputed, [sale({ user: 'u', ip: 'i' })]), null)
  assert.equal(choosePair(sale({}), [sale({}), sale({})]), null)
})

test('the pair with the most facts in common is chosen in every sequence of the sales', () => {
  const fact = fc.constantFrom('', 'x', 'y')
  const facts = fc.record({ user: fact, address: fact, ip: fact, device: fact })
  const most = (of: ComparedSale, earlier: readonly ComparedSale[]): number =>
    choosePair(of, earlier)?.equal.length ?? 0
  fc.assert(
    fc.property(facts, fc.array(facts, { maxLength: 6 }), (of, earlier) => {
      const sales = earlier.map(sale)
      assert.equal(most(sale(of), sales), most(sale(of), sales.toReversed()))
    }),
  )
})

test('only fraud of Visa with the card absent takes compelling evidence', () => {
  assert.equal(takesCompellingEvidence('visa', '10.4'), true)
  assert.equal(takesCompellingEvidence('visa', '13.1'), false)
  assert.equal(takesCompellingEvidence('mastercard', '4837'), false)
})
