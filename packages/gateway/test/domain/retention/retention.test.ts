import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { SETTINGS } from '../../../src/config/config.ts'
import {
  mayEraseAdvices,
  type AdviceFacts,
} from '../../../src/domain/retention/advice-retention.ts'
import {
  mayEraseCustomer,
  mayEraseGuestCard,
  obstacles,
  type CustomerFacts,
} from '../../../src/domain/retention/customer-retention.ts'
import { RETENTION_KINDS } from '../../../src/domain/retention/retention-kinds.ts'

const GUEST: CustomerFacts = {
  isErased: false,
  hasNumber: true,
  orders: 1,
  quietDays: 180,
  hasLogin: false,
  hasNamedCard: false,
  hadCardBefore: false,
  askedToKeep: false,
  isInMembership: false,
  hasRunningPayment: false,
  hasOpenAuthorization: false,
  hasQueuedAdvice: false,
  hasOpenDifference: false,
  hasSettlementDifference: false,
  hasOpenDispute: false,
}

const NEEDED: readonly Partial<CustomerFacts>[] = [
  { isInMembership: true },
  { hasRunningPayment: true },
  { hasOpenAuthorization: true },
  { hasQueuedAdvice: true },
  { hasOpenDifference: true },
  { hasSettlementDifference: true },
  { hasOpenDispute: true },
]

/** A guest or an old customer with at most two facts that are otherwise. */
const anyFacts: fc.Arbitrary<CustomerFacts> = fc
  .tuple(
    fc.subarray(Object.keys(GUEST), { maxLength: 2 }),
    fc.integer({ min: 0, max: 3 }),
    fc.option(fc.integer({ min: 0, max: 20 }), { freq: 10 }),
  )
  .map(([others, orders, quietDays]) => ({
    ...GUEST,
    ...Object.fromEntries(
      Object.entries(GUEST)
        .filter(([name, value]) => typeof value === 'boolean' && others.includes(name))
        .map(([name, value]) => [name, value === false]),
    ),
    orders,
    quietDays,
  }))
const anyDays = fc.integer({ min: 1, max: 20 })

test('no facts at all let a number or a name go early, twice, or while something needs them', () => {
  fc.assert(
    fc.property(anyFacts, anyDays, (facts, days) => {
      const erased = { card: mayEraseGuestCard(facts, days), name: mayEraseCustomer(facts, days) }
      if (!erased.card && !erased.name) return
      assert.deepEqual(obstacles(facts), [])
      assert.ok(facts.quietDays !== null && facts.quietDays >= days)
      assert.ok(!erased.card || (facts.hasNumber && facts.orders === 1 && !facts.askedToKeep))
      assert.ok(!erased.name || !facts.isErased)
    }),
  )
})

test('more days never erase more', () => {
  fc.assert(
    fc.property(anyFacts, anyDays, anyDays, (facts, days, more) => {
      for (const mayErase of [mayEraseGuestCard, mayEraseCustomer]) {
        assert.ok(mayErase(facts, days) || !mayErase(facts, days + more))
      }
    }),
  )
})

test("a guest's number goes on the last day, and not a moment earlier", () => {
  assert.equal(mayEraseGuestCard(GUEST, 180), true)
  assert.equal(mayEraseGuestCard({ ...GUEST, quietDays: 179.99 }, 180), false)
  assert.equal(mayEraseGuestCard({ ...GUEST, quietDays: null }, 180), false)
})

test('a number stays for a customer who came back, signs in, or whose card was asked to be kept', () => {
  const kept: readonly Partial<CustomerFacts>[] = [
    { orders: 2 },
    { orders: 0 },
    { hasLogin: true },
    { hasNamedCard: true },
    { hadCardBefore: true },
    { askedToKeep: true },
    { hasNumber: false },
  ]
  for (const facts of kept) {
    assert.equal(mayEraseGuestCard({ ...GUEST, ...facts }, 180), false, JSON.stringify(facts))
  }
})

test('nothing of a customer goes while a payment, a message or a membership needs it', () => {
  for (const facts of NEEDED) {
    const customer = { ...GUEST, ...facts }
    assert.equal(mayEraseGuestCard(customer, 1), false, JSON.stringify(facts))
    assert.equal(mayEraseCustomer(customer, 1), false, JSON.stringify(facts))
    assert.equal(obstacles(customer).length, 1, JSON.stringify(facts))
  }
  assert.deepEqual(obstacles(GUEST), [])
})

test('a customer is erased once, with any number of orders, after the days', () => {
  const known = { ...GUEST, orders: 9, hasLogin: true }
  assert.equal(mayEraseCustomer(known, 180), true)
  assert.equal(mayEraseCustomer(known, 181), false)
  assert.equal(mayEraseCustomer({ ...known, isErased: true }, 180), false)
})

test('advices go once the bank agreed to all, their batches are closed and nothing runs', () => {
  const quiet: AdviceFacts = {
    quietDays: 30,
    hasRefused: false,
    hasRunningTransaction: false,
    hasOpenBatch: false,
    hasOpenDifference: false,
    hasSettlementDifference: false,
  }
  assert.equal(mayEraseAdvices(quiet, 30), true)
  const kept: readonly Partial<AdviceFacts>[] = [
    { quietDays: 29.9 },
    { quietDays: null },
    { hasRefused: true },
    { hasRunningTransaction: true },
    { hasOpenBatch: true },
    { hasOpenDifference: true },
    { hasSettlementDifference: true },
  ]
  for (const facts of kept) {
    assert.equal(mayEraseAdvices({ ...quiet, ...facts }, 30), false, JSON.stringify(facts))
  }
})

test('every kind has its setting, and a row in docs/operators/retention.md', () => {
  const kinds = Object.values(RETENTION_KINDS)
  const settings = Object.keys(SETTINGS).filter((name) => name.startsWith('RETENTION_'))
  assert.deepEqual(
    kinds.map(({ setting }) => setting),
    settings,
  )
  const page = readFileSync(
    new URL('../../../../../docs/operators/retention.md', import.meta.url),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| `(RETENTION_[A-Z_]+)` \| (.*) \| (.*) \| (.*) \|$/gm)]
  assert.deepEqual(
    rows.map((row) => row.slice(1)),
    kinds.map(({ setting, days, erases, because }) => [setting, days, erases, because]),
  )
  const limits = [...page.matchAll(/^\| `(RETENTION_[A-Z_]+)` \| (\d+) \| ([^|]*) \|$/gm)]
  assert.deepEqual(
    limits.map((row) => row.slice(1)),
    kinds.flatMap(({ setting, least, breaks }) =>
      breaks === '' ? [] : [[setting, least, breaks]],
    ),
  )
})

test('every default has at least the fewest days, and one day less than these is refused', () => {
  for (const { setting, days, least, breaks } of Object.values(RETENTION_KINDS)) {
    assert.ok(days === '0' || Number(days) >= Number(least), setting)
    const { schema, expected } = SETTINGS[setting]
    assert.equal(schema.parse(least), Number(least))
    assert.equal(schema.parse('0'), 0)
    assert.equal(schema.safeParse('36501').success, false)
    if (breaks === '') continue
    assert.equal(schema.safeParse(String(Number(least) - 1)).success, false, setting)
    assert.ok(expected.endsWith(breaks), setting)
  }
})
