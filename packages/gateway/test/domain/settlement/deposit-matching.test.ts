import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { maskText } from '../../../src/base/card-masking.ts'
import {
  bookGroup,
  bookUnknown,
  type DepositPosting,
} from '../../../src/domain/settlement/deposit-group.ts'
import {
  matchDeposits,
  type OpenPayout,
  type UnmatchedEntry,
} from '../../../src/domain/settlement/deposit-matching.ts'

function entry(id: number, minor: number, more: Partial<UnmatchedEntry> = {}): UnmatchedEntry {
  return {
    id: BigInt(id),
    amountMinor: BigInt(minor),
    isPosted: false,
    bookedOn: '2026-11-23',
    texts: [],
    sources: [1n],
    hasReference: false,
    last4: '3000',
    ...more,
  }
}

function payout(id: number, minor: number, more: Partial<OpenPayout> = {}): OpenPayout {
  return {
    id: BigInt(id),
    netMinor: BigInt(minor),
    trace: `TRACE-${id}`,
    payout: null,
    sourceId: 1n,
    state: 'announced',
    valueDate: '2026-11-20',
    arrives: '2026-11-23',
    last4: null,
    missingMinor: 0n,
    ...more,
  }
}

const named = (...ids: readonly number[]) => ({ texts: [ids.map((id) => `TRACE-${id}`).join('')] })

/** Groups as `kind entries payouts`, and unknown entries with their proposals. */
function say(entries: readonly UnmatchedEntry[], payouts: readonly OpenPayout[]): string[] {
  const { groups, unknown } = matchDeposits(entries, payouts, 'EUR')
  return [
    ...groups.map((group) => {
      const [from, to] = [group.entries, group.payouts].map((each) => each.map(({ id }) => id))
      return `${group.kind} ${from?.join('+')} ${to?.join('+')}`
    }),
    ...unknown.map(({ entry: { id }, proposal }) => `unknown ${id} ${proposal.join('/')}`.trim()),
  ]
}

test('an entry that names a payout is its deposit, with any amount and on any day', () => {
  const late = { bookedOn: '2027-03-01', ...named(1) }
  assert.deepEqual(say([entry(1, 90, late)], [payout(1, 100), payout(2, 90)]), ['deposit 1 1'])
})

test('a trace that was cut down like a card number is the name of a payout of its amount', () => {
  const texts = [maskText('TGB0444485213441')]
  assert.deepEqual(texts, ['TGB*********3441'])
  const before = { bookedOn: '2026-11-01', texts }
  const payouts = [payout(1, 100, { trace: 'TGB0444485213441' }), payout(2, 100)]
  assert.deepEqual(say([entry(1, 100, before)], payouts), ['deposit 1 1'])
  assert.deepEqual(say([entry(1, 99, before)], payouts), ['unknown 1'])
  const deposited = [payout(1, 100, { trace: 'TGB0444485213441', state: 'deposited' })]
  assert.deepEqual(say([entry(1, -100, before)], deposited), ['return 1 1'])
})

test('one entry for several payouts needs exactly their sum', () => {
  const both = entry(1, 160, named(1, 2))
  assert.deepEqual(say([both], [payout(1, 100), payout(2, 60)]), ['deposit 1 1+2'])
  assert.deepEqual(say([both], [payout(1, 100), payout(2, 61)]), ['unknown 1 1/2'])
})

test('an entry of the amount of one of the payouts that it names is the deposit of that one', () => {
  const one = entry(1, 60, named(1, 2))
  assert.deepEqual(say([one], [payout(1, 100), payout(2, 60)]), ['deposit 1 2'])
  assert.deepEqual(say([one], [payout(1, 60), payout(2, 60)]), ['unknown 1 1/2'])
})

test('several entries that name one payout are one deposit, and joined payouts need their sum', () => {
  const parts = [entry(1, 70, named(1)), entry(2, 20, named(1))]
  assert.deepEqual(say(parts, [payout(1, 100)]), ['deposit 1+2 1'])
  const joined = [entry(1, 110, named(1, 2)), entry(2, 60, named(2, 3)), entry(3, 10, named(3))]
  const three = [payout(1, 100), payout(2, 50), payout(3, 30)]
  assert.deepEqual(say(joined, three), ['deposit 1+2+3 1+2+3'])
})

test('an entry without a name is a deposit only if amount, source, account and days fit', () => {
  const fits = (one: Partial<UnmatchedEntry>, other: Partial<OpenPayout> = {}): boolean =>
    say([entry(1, 100, one)], [payout(1, 100, other)])[0] === 'deposit 1 1'
  assert.ok(fits({}))
  assert.ok(!fits({ amountMinor: 101n }))
  assert.ok(!fits({ sources: [2n] }))
  assert.ok(fits({}, { last4: '3000' }))
  assert.ok(!fits({}, { last4: '3001' }))
  assert.ok(!fits({ bookedOn: '2026-11-19' }))
  // Monday the 23rd and five bank days: Monday the 30th.
  assert.ok(fits({ bookedOn: '2026-11-30' }))
  assert.ok(!fits({ bookedOn: '2026-12-01' }))
  assert.ok(fits({ bookedOn: '2026-11-27' }, { arrives: null }))
  assert.ok(!fits({ bookedOn: '2026-11-30' }, { arrives: null }))
})

test('an entry with the reference of another payout is no deposit by its amount', () => {
  const other = { hasReference: true, texts: ['TRACE-999'] }
  assert.deepEqual(say([entry(1, 100, other)], [payout(1, 100)]), ['unknown 1'])
  const nameless = payout(1, 100, { trace: null })
  assert.deepEqual(say([entry(1, 100, other)], [nameless]), ['deposit 1 1'])
})

test('entries and payouts of one amount are left to a person', () => {
  assert.deepEqual(say([entry(1, 100)], [payout(1, 100), payout(2, 100)]), ['unknown 1 1/2'])
  assert.deepEqual(say([entry(1, 100), entry(2, 100)], [payout(1, 100)]), [
    'unknown 1 1',
    'unknown 2 1',
  ])
})

test('a payout that another entry names is no longer there for an entry of its amount', () => {
  const entries = [entry(1, 100), entry(2, 100, named(1))]
  assert.deepEqual(say(entries, [payout(1, 100), payout(2, 100)]), ['deposit 2 1', 'deposit 1 2'])
})

test('a later entry completes a short deposit up to what is missing', () => {
  const short = payout(1, 100, { state: 'deposited', missingMinor: 20n })
  assert.deepEqual(say([entry(1, 20, named(1))], [short]), ['completion 1 1'])
  assert.deepEqual(say([entry(1, 5, named(1))], [short]), ['completion 1 1'])
  assert.deepEqual(say([entry(1, 21, named(1))], [short]), ['unknown 1 1'])
  const two = [entry(1, 20, named(1)), entry(2, 20, named(1))]
  assert.deepEqual(say(two, [short]), ['completion 1 1', 'unknown 2 1'])
})

test('an entry returns a deposit only in full, once, and after the deposit', () => {
  const back = entry(2, -100, named(1))
  const here = payout(1, 100, { state: 'deposited' })
  assert.deepEqual(say([back], [here]), ['return 2 1'])
  assert.deepEqual(say([entry(2, -99, named(1))], [here]), ['unknown 2 1'])
  assert.deepEqual(say([back], [payout(1, 100)]), ['unknown 2 1'])
  assert.deepEqual(say([entry(1, 100, named(1)), back], [payout(1, 100)]), [
    'deposit 1 1',
    'return 2 1',
  ])
  assert.deepEqual(say([back, entry(3, -100, named(1))], [here]), ['return 2 1', 'unknown 3 1'])
})

test('a second deposit of a deposited payout is unknown and names it', () => {
  const here = payout(1, 100, { state: 'deposited' })
  assert.deepEqual(say([entry(1, 100, named(1))], [here]), ['unknown 1 1'])
})

/** The movement of each account by postings: plus is a debit. */
function moved(
  postings: readonly DepositPosting[],
): Record<'bank' | 'transit' | 'suspense', bigint> {
  const accounts = {
    deposit: ['bank', 'transit'],
    deposit_debited: ['transit', 'bank'],
    deposit_short: ['suspense', 'transit'],
    deposit_over: ['bank', 'suspense'],
    deposit_unknown: ['bank', 'suspense'],
    debit_unknown: ['suspense', 'bank'],
  } as const
  const sums = { bank: 0n, transit: 0n, suspense: 0n }
  for (const { kind, minor } of postings) {
    const [debit, credit] = accounts[kind]
    sums[debit] += minor
    sums[credit] -= minor
  }
  return sums
}

const AMOUNT = fc.integer({ min: 1, max: 10_000 })
const SIGN = fc.constantFrom(1, -1)

test('the postings of a deposit move the entries into the bank and the payout out of transit', () => {
  const parts = fc.array(AMOUNT, { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(parts, AMOUNT, SIGN, fc.boolean(), (amounts, net, sign, isPosted) => {
      const entries = amounts.map((minor, at) => entry(at + 1, sign * minor, { isPosted }))
      const paid = payout(1, sign * net)
      const before = entries.flatMap((each) => bookUnknown({ ...each, isPosted: false }) ?? [])
      const group = bookGroup({ kind: 'deposit', entries, payouts: [paid] })
      const all = isPosted ? [...before, ...group.postings] : group.postings
      const bank = entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
      const rest = bank - paid.netMinor
      assert.deepEqual(moved(all), { bank, transit: -paid.netMinor, suspense: -rest })
      const cleared = group.links.reduce((sum, { clearedMinor }) => sum + clearedMinor, 0n)
      assert.equal(cleared, paid.netMinor)
      assert.ok(all.every(({ minor }) => minor > 0n))
      const keys = all.map(({ entryId, kind, n }) => `${entryId} ${n} ${kind}`)
      assert.equal(new Set(keys).size, keys.length)
      const { difference } = group
      const code = rest === 0n ? undefined : rest < 0n ? 'payout_short' : 'payout_over'
      assert.equal(difference?.code, code)
      if (difference !== null) assert.equal(difference.bankMinor - difference.hereMinor, rest)
    }),
  )
})

test('the postings of several payouts take each of them out of transit whole', () => {
  const nets = fc.array(AMOUNT, { minLength: 2, maxLength: 5 })
  fc.assert(
    fc.property(nets, fc.array(AMOUNT, { maxLength: 4 }), SIGN, (amounts, cuts, sign) => {
      const payouts = amounts.map((minor, at) => payout(at + 1, sign * minor))
      const total = amounts.reduce((sum, minor) => sum + minor, 0)
      const edges = [0, ...cuts.filter((cut) => cut < total), total].toSorted((a, b) => a - b)
      const parts = edges.slice(1).map((edge, at) => edge - (edges[at] ?? 0))
      const entries = parts
        .filter((minor) => minor > 0)
        .map((minor, at) => entry(at + 1, sign * minor))
      const { difference, links, postings } = bookGroup({ kind: 'deposit', entries, payouts })
      assert.equal(difference, null)
      const bank = BigInt(sign * total)
      assert.deepEqual(moved(postings), { bank, transit: -bank, suspense: 0n })
      for (const { id, netMinor } of payouts) {
        const own = links.filter(({ payoutId }) => payoutId === id)
        assert.equal(
          own.reduce((sum, { clearedMinor }) => sum + clearedMinor, 0n),
          netMinor,
        )
      }
    }),
  )
})

test('a completion takes money out of suspense, and a return brings the payout into transit', () => {
  const one = { payouts: [payout(1, 100)] }
  const completion = bookGroup({ kind: 'completion', entries: [entry(1, 20)], ...one })
  assert.deepEqual(moved(completion.postings), { bank: 20n, transit: 0n, suspense: -20n })
  assert.deepEqual(
    completion.links.map(({ clearedMinor }) => clearedMinor),
    [0n],
  )
  const back = bookGroup({ kind: 'return', entries: [entry(1, -100)], ...one })
  assert.deepEqual(moved(back.postings), { bank: -100n, transit: 100n, suspense: 0n })
  assert.deepEqual(
    back.links.map(({ clearedMinor }) => clearedMinor),
    [-100n],
  )
  assert.equal(bookUnknown(entry(1, 20, { isPosted: true })), null)
})
