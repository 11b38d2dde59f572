import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { replay } from '../../../src/domain/card-testing/card-testing-replay.ts'
import {
  CARD_TESTING_COUNTS,
  CARD_TESTING_SUBJECTS,
  count,
  isCardDecline,
  isFull,
  rulesFor,
  subjectValue,
  type CardTestingRule,
  type Counter,
  type PaymentOrigin,
  type SubjectFacts,
} from '../../../src/domain/card-testing/card-testing.ts'

const CUSTOMER: PaymentOrigin = {
  kind: 'sale',
  savedCard: false,
  onFileElsewhere: false,
  knownCard: false,
  securityCode: true,
  initiator: null,
  recurring: 'none',
  rebillType: null,
}

const ORIGINS: readonly (readonly [string, Partial<PaymentOrigin>, 'all' | 'card' | 'none'])[] = [
  ['a new number', {}, 'all'],
  ['a new number without a code', { securityCode: false }, 'all'],
  ['a number to hold or to verify', { kind: 'authorization' }, 'all'],
  ['the first payment of a subscription', { recurring: 'first', initiator: 'customer' }, 'all'],
  ['a trial', { rebillType: 'TRIAL' }, 'all'],
  ['a known number with a code', { knownCard: true }, 'all'],
  ['a known number without a code', { knownCard: true, securityCode: false }, 'card'],
  ['a saved card', { savedCard: true, knownCard: true, securityCode: false }, 'none'],
  ['a saved card with a code', { savedCard: true, knownCard: true }, 'none'],
  ["a number of the merchant's own store", { onFileElsewhere: true }, 'none'],
  ['a charge of the merchant', { initiator: 'merchant' }, 'none'],
  ['a rebill by number', { recurring: 'rebill', securityCode: false }, 'none'],
  ['a rebill by its type', { rebillType: 'REBILL' }, 'none'],
  ['an unreferenced credit', { kind: 'refund' }, 'none'],
]

suite('the rules that apply to a payment', () => {
  for (const [name, origin, expected] of ORIGINS) {
    test(`${name}: ${expected}`, () => {
      assert.equal(rulesFor({ ...CUSTOMER, ...origin }), expected)
    })
  }
})

function rule(changes: Partial<CardTestingRule> = {}): CardTestingRule {
  return {
    name: 'r',
    subject: 'address',
    counts: 'attempts',
    limit: 3,
    windowSeconds: 60,
    code: 601,
    ...changes,
  }
}

const FACTS: SubjectFacts = {
  fingerprint: 'f',
  bin: '411111',
  address: '198.51.100.7',
  currency: 'USD',
  amountMinor: 100n,
}

suite('the subjects of a rule', () => {
  const values = { card: 'f', bin: '411111', address: '198.51.100.7', amount: 'USD 100', site: '' }
  for (const subject of Object.keys(CARD_TESTING_SUBJECTS) as CardTestingRule['subject'][]) {
    test(`${subject}: "${values[subject]}"`, () => {
      assert.equal(subjectValue(rule({ subject }), FACTS, []), values[subject])
    })
  }

  test('an address rule does not apply without an address, nor to one that is left out', () => {
    assert.equal(subjectValue(rule(), { ...FACTS, address: null }, []), null)
    assert.equal(subjectValue(rule(), FACTS, ['198.51.100.7']), null)
    assert.equal(subjectValue(rule({ subject: 'card' }), FACTS, ['198.51.100.7']), 'f')
  })
})

suite('the declines that count', () => {
  for (const code of [600, 601, 605, 620, 621, 623, 624, 630, 635, 650]) {
    const counts = code !== 601
    test(`SERVICE ${code} ${counts ? 'counts' : 'does not count'}`, () => {
      assert.equal(isCardDecline('declined', code), counts)
    })
  }
  const NOT_ABOUT_THE_CARD = [
    215, 216, 221, 500, 502, 503, 518, 519, 520, 522, 530, 560, 564, 565, 580, 640, 670, 680,
  ]
  for (const code of NOT_ABOUT_THE_CARD) {
    test(`SERVICE ${code} says nothing about the card`, () => {
      assert.equal(isCardDecline('declined', code), false)
    })
  }

  test('an approval and a payment without an outcome are no declines', () => {
    assert.equal(isCardDecline('approved', 100), false)
    assert.equal(isCardDecline('failed', 502), false)
  })
})

const countsOf = fc.constantFrom(
  ...(Object.keys(CARD_TESTING_COUNTS) as CardTestingRule['counts'][]),
)

test('in one window no more than the limit pass, and of cards no more than so many different ones', () => {
  const steps = fc.array(
    fc.record({ waitMs: fc.nat(30_000), card: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
  )
  fc.assert(
    fc.property(countsOf, fc.integer({ min: 1, max: 4 }), steps, (counts, limit, payments) => {
      const of = rule({ counts, limit })
      let now = 0
      let counter: Counter | undefined
      const windows = new Map<number, string[]>()
      for (const { waitMs, card } of payments) {
        now += waitMs
        if (isFull(of, counter, card, now)) continue
        counter = count(of, counter, card, now)
        assert.ok(counter.endsAtMs > now && counter.endsAtMs <= now + 60_000)
        windows.set(counter.endsAtMs, [...(windows.get(counter.endsAtMs) ?? []), card])
      }
      for (const cards of windows.values()) {
        assert.ok((counts === 'cards' ? new Set(cards).size : cards.length) <= limit)
      }
    }),
  )
})

test('a payment that is the first of its subject always passes', () => {
  fc.assert(
    fc.property(countsOf, fc.integer({ min: 1, max: 100 }), fc.nat(), (counts, limit, now) => {
      assert.equal(isFull(rule({ counts, limit }), undefined, 'a', now), false)
    }),
  )
})

test('the replay judges past payments in their sequence, and distinguishes those that the bank approved', () => {
  const tried = replay(
    [rule({ limit: 2 }), rule({ name: 'd', subject: 'card', counts: 'declines', limit: 1 })],
    [],
  )
  const add = (
    atMs: number,
    state: string,
    rules: 'all' | 'card' | 'none',
    fingerprint = 'f',
  ): void => tried.add({ atMs, rules, facts: { ...FACTS, fingerprint }, state, serviceCode: 600 })
  add(0, 'declined', 'all')
  add(1, 'approved', 'all') // The card was declined.
  add(2, 'approved', 'all', 'g')
  add(3, 'declined', 'all', 'h') // The third of its address that would have got this far.
  add(4, 'approved', 'none')
  add(5, 'approved', 'card', 'i')
  add(60_000, 'approved', 'all')

  const { byRule, ...total } = tried.result()
  assert.deepEqual(total, { payments: 7, screened: 6, refused: 2, refusedApproved: 1 })
  assert.deepEqual(Object.fromEntries(byRule), {
    r: { refused: 1, refusedApproved: 0 },
    d: { refused: 1, refusedApproved: 1 },
  })
})
