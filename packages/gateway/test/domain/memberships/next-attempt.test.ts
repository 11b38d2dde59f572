import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { findCurrency } from '../../../src/domain/currency.ts'
import {
  decideAttempt,
  decideAttemptByHand,
  decideRetry,
} from '../../../src/domain/memberships/next-attempt.ts'
import type { CardAttempt, NextAttempt } from '../../../src/domain/memberships/next-attempt.ts'
import type { Money } from '../../../src/domain/money.ts'
import type { CardBrand } from '../../../src/domain/payments/card.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = new Date('2026-11-21T12:00:00Z')
const PRICE = usd(999n)

type Kind = NextAttempt['kind'] | `${number} h`
type Row = readonly [CardBrand | null, code: string, advice: string, next: Kind, says: RegExp]

const ANSWERS: readonly Row[] = [
  ['Visa', '51', '', '24 h', /^The issuer answered 51: the next attempt waits for 24 hours\.$/],
  ['Visa', '05', '', '24 h', /answered 05/],
  ['Visa', '91', '', '24 h', /answered 91/],
  ['Visa', 'ZZ', '', '24 h', /answered ZZ/],
  ['Visa', '04', '', 'never', /^The issuer answered 04: this card must not be charged again\.$/],
  ['Visa', '07', '', 'never', /answered 07/],
  ['Visa', '12', '', 'never', /answered 12/],
  ['Visa', '14', '', 'never', /answered 14/],
  ['Visa', '15', '', 'never', /answered 15/],
  ['Visa', '41', '', 'never', /answered 41/],
  ['Visa', '43', '', 'never', /answered 43/],
  ['Visa', '46', '', 'never', /answered 46/],
  ['Visa', '57', '', 'never', /answered 57/],
  ['Visa', '35', '', 'never', /answered 35/],
  ['Visa', '03', '', '24 h', /answered 03/],
  ['Visa', '62', '', '24 h', /answered 62/],
  ['Visa', '54', '', 'after_new_data', /^The issuer answered 54\. Another card is needed, or new/],
  ['Visa', '33', '', 'after_new_data', /answered 33/],
  ['Visa', '82', '', 'after_new_data', /answered 82/],
  ['Visa', 'N7', '', 'after_new_data', /answered N7/],
  ['Visa', '1A', '', 'after_new_data', /answered 1A/],
  ['Visa', '6P', '', 'after_new_data', /answered 6P/],
  ['Visa', 'R0', '', 'stopped', /^The issuer answered R0: the cardholder stopped these p/],
  ['Visa', 'R1', '', 'stopped', /answered R1/],
  ['Visa', 'R3', '', 'stopped', /answered R3/],
  ['Visa', '51', '03', '24 h', /answered 51/],
  ['JCB', '41', '', 'never', /answered 41/],
  ['JCB', '51', '', '24 h', /answered 51/],
  [null, '54', '', 'after_new_data', /answered 54/],
  ['Mastercard', '51', '', '24 h', /answered 51/],
  ['Mastercard', '51', '01', 'after_new_data', /^Mastercard's advice 01: new account data exist\./],
  ['Mastercard', '51', '02', '24 h', /^Mastercard's advice 02: try again later\.$/],
  ['Mastercard', '51', '03', 'never', /^Mastercard's advice 03: do not try again\.$/],
  ['Mastercard', '51', '04', 'after_new_data', /advice 04/],
  ['Mastercard', '51', '21', 'never', /advice 21/],
  ['Mastercard', '51', '24', '1 h', /advice 24: try again after an hour/],
  ['Mastercard', '51', '25', '24 h', /advice 25/],
  ['Mastercard', '51', '26', '48 h', /advice 26/],
  ['Mastercard', '51', '27', '96 h', /advice 27/],
  ['Mastercard', '51', '28', '144 h', /advice 28/],
  ['Mastercard', '51', '29', '192 h', /advice 29/],
  ['Mastercard', '51', '30', '240 h', /advice 30/],
  ['Mastercard', '51', '40', 'never', /advice 40/],
  ['Mastercard', '51', '41', 'never', /advice 41/],
  ['Mastercard', '51', '42', 'never', /advice 42/],
  ['Mastercard', '51', '43', '24 h', /answered 51/],
  ['Mastercard', '41', '24', 'never', /answered 41/],
  ['Mastercard', '54', '25', 'after_new_data', /answered 54/],
  ['Mastercard', '79', '', 'never', /answered 79/],
  ['Mastercard', '82', '', 'never', /answered 82/],
  ['Mastercard', '83', '', 'never', /answered 83/],
  ['Mastercard', '79', '01', 'after_new_data', /advice 01/],
  ['Mastercard', '82', '02', '24 h', /advice 02/],
  ['Mastercard', '83', '03', 'never', /advice 03/],
  ['Mastercard', '83', '30', '240 h', /advice 30/],
  ['Maestro', '51', '21', 'never', /advice 21/],
  ['Mastercard', 'R1', '24', 'stopped', /answered R1/],
]

for (const [brand, code, advice, next, says] of ANSWERS) {
  const answer = advice === '' ? code : `${code} with advice ${advice}`
  test(`after ${answer} on ${brand ?? 'an unknown card'} the next attempt is ${next}`, () => {
    const decided = retry(brand, [], declined({ responseCode: code, merchantAdvice: advice }))
    assert.equal(shown(decided), next)
    assert.match(decided.reason, says)
  })
}

test('a stop order is recognized by the service code too, with any code of the bank', () => {
  for (const serviceCode of [219, 220]) {
    const decided = retry('Visa', [], declined({ responseCode: '05', serviceCode }))
    assert.equal(decided.kind, 'stopped')
  }
})

test("the gateway's own declines are judged by their service code", () => {
  const own = (serviceCode: number) =>
    retry('Visa', [], declined({ responseCode: '', serviceCode }))
  assert.equal(own(624).kind, 'after_new_data')
  assert.equal(own(630).kind, 'never')
  assert.equal(own(675).kind, 'never')
  assert.equal(shown(own(623)), '24 h')
  assert.match(own(624).reason, /^This gateway declined with 624\./)
})

test('a wait that is over by the time of the question is no instant of the past', () => {
  const decided = decideRetry(card('Visa', []), declined({ at: daysAgo(3) }), NOW)
  assert.equal(shown(decided), '0 h')
})

test('an unknown outcome waits a day, so that it is reversed before', () => {
  const decided = retry('Visa', [], { ...declined({}), outcome: 'unknown', responseCode: '' })
  assert.equal(shown(decided), '24 h')
  assert.match(decided.reason, /is not known/)
})

test('an approved charge is no stop order, with any codes', () => {
  const decided = retry('Visa', [], { ...declined({ serviceCode: 220 }), outcome: 'unknown' })
  assert.equal(decided.kind, 'allowed')
})

test('Visa’s 83 is a decline for later since 2026-10-25, and the wait is the same before', () => {
  for (const day of ['2026-10-24', '2026-10-25']) {
    const at = new Date(`${day}T00:00:00Z`)
    const attempt = declined({ responseCode: '83', at })
    assert.equal(decideRetry(card('Visa', []), attempt, at).kind, 'allowed')
  }
})

test('a card that must never be charged again is blocked for all payments to its merchant', () => {
  const history = [declined({ responseCode: '41', at: daysAgo(400) })]
  assert.equal(first('Visa', history).kind, 'never')
  assert.equal(retry('Visa', history, declined({ responseCode: '51' })).kind, 'never')
})

test('an approval lifts a block that came before it', () => {
  const history = [
    declined({ responseCode: '41', at: daysAgo(40) }),
    { ...declined({ at: daysAgo(39) }), outcome: 'approved' as const },
  ]
  assert.equal(shown(first('Visa', history)), '0 h')
})

test('another payment’s R0 leaves the card to this one, and R1 does not', () => {
  assert.equal(first('Visa', [declined({ responseCode: 'R0' })]).kind, 'allowed')
  assert.equal(first('Visa', [declined({ responseCode: 'R1' })]).kind, 'never')
  assert.equal(first('Visa', [declined({ responseCode: '05', serviceCode: 220 })]).kind, 'allowed')
})

test('a decline of another payment an hour ago delays no renewal', () => {
  assert.equal(shown(first('Visa', [declined({ at: hoursAgo(1) })])), '0 h')
})

test('an expired card waits until its data change, and no longer', () => {
  const history = [declined({ responseCode: '54', at: daysAgo(2) })]
  const since = (dataChangedAt: Date | null) =>
    decideAttempt({ ...card('Visa', history), dataChangedAt }, PRICE, NOW)

  assert.equal(since(null).kind, 'after_new_data')
  assert.equal(since(daysAgo(3)).kind, 'after_new_data')
  assert.equal(shown(since(daysAgo(1))), '0 h')
})

test('a customer’s wrong code or missing authentication delays no renewal of the same card', () => {
  for (const responseCode of ['N7', '82', '55', '1A', '6P']) {
    assert.equal(shown(first('Visa', [declined({ responseCode, at: daysAgo(2) })])), '0 h')
  }
  const expired = declined({ responseCode: '54', at: daysAgo(3) })
  const wrongCode = declined({ responseCode: 'N7', at: daysAgo(2) })
  assert.equal(first('Visa', [expired, wrongCode]).kind, 'after_new_data')
})

test('an expired card is not asked about again by a retry of another answer', () => {
  const expired = declined({ responseCode: '54', at: daysAgo(3) })
  assert.equal(retry('Visa', [expired], declined({ responseCode: '91' })).kind, 'after_new_data')
})

test('this gateway’s own finding that a card has expired holds until its data change', () => {
  const own = declined({ responseCode: '', serviceCode: 624, at: daysAgo(2) })
  const advised = declined({ merchantAdvice: '01', at: daysAgo(2) })
  assert.equal(first('Visa', [own]).kind, 'after_new_data')
  assert.equal(first('Mastercard', [advised]).kind, 'after_new_data')
})

test('another expiry does not lift a block', () => {
  const history = { ...card('Visa', [declined({ responseCode: '43' })]), dataChangedAt: NOW }
  assert.equal(decideAttempt(history, PRICE, NOW).kind, 'never')
})

test('data that changed while a charge was under way spare its wait', () => {
  const history = { ...card('Visa', []), dataChangedAt: NOW }
  const attempt = declined({ responseCode: '54', at: hoursAgo(1) })
  assert.equal(shown(decideRetry(history, attempt, NOW)), '0 h')
})

test('an unknown outcome does not hide that the data must change first', () => {
  const history = [
    declined({ responseCode: '54', at: daysAgo(2) }),
    { ...declined({ at: daysAgo(1) }), outcome: 'unknown' as const },
  ]
  assert.equal(first('Visa', history).kind, 'after_new_data')
})

test("a retry by hand skips the gateway's wait of a day, but not a wait that a network set", () => {
  const byHand = (
    brand: CardBrand,
    attempts: readonly CardAttempt[],
    dataChangedAt: Date | null = null,
  ) => decideAttemptByHand({ ...card(brand, attempts), dataChangedAt }, PRICE, NOW)
  const twoDays = declined({ at: hoursAgo(1), merchantAdvice: '26' })

  assert.equal(shown(byHand('Visa', [declined({ at: hoursAgo(1) })])), '0 h')
  assert.equal(shown(byHand('Mastercard', [declined({ at: hoursAgo(1) })])), '0 h')
  assert.equal(shown(byHand('Mastercard', [twoDays])), '47 h')
  assert.equal(shown(byHand('Mastercard', [{ ...twoDays, at: daysAgo(3) }])), '0 h')
  assert.equal(shown(byHand('Mastercard', [twoDays], NOW)), '0 h')
  assert.equal(byHand('Visa', [declined({ responseCode: '41' })]).kind, 'never')
  assert.equal(byHand('Visa', daily(20)).kind, 'allowed')
  assert.notEqual(shown(byHand('Visa', daily(20))), '0 h')
})

test('Visa allows twenty attempts of one amount, and one more when the first is 30 days old', () => {
  const nineteen = daily(19)
  assert.equal(shown(first('Visa', nineteen)), '0 h')

  const twenty = daily(20)
  const decided = first('Visa', twenty)
  assert.equal(decided.kind, 'allowed')
  assert.deepEqual(decided.at, new Date(daysAgo(20).getTime() + 30 * DAY_MS))
  assert.equal(decided.reason, 'Visa allows 20 attempts of 9.99 USD with one card in 30 days.')
})

test('before 2025-05-25 Visa allowed fifteen', () => {
  const at = new Date('2025-05-24T23:59:59Z')
  const fifteen = range(15).map((n) => declined({ at: new Date(at.getTime() - (n + 1) * HOUR_MS) }))
  const kept = decideAttempt(card('Visa', fifteen), PRICE, at)
  const later = decideAttempt(card('Visa', fifteen), PRICE, new Date('2025-05-25T00:00:00Z'))

  assert.ok(kept.kind === 'allowed' && kept.at.getTime() > at.getTime())
  assert.ok(later.kind === 'allowed' && later.at.getTime() === Date.parse('2025-05-25T00:00:00Z'))
})

test('other amounts and currencies have a count of their own at Visa', () => {
  const eur = findCurrency('EUR')
  assert.ok(eur)
  const others = [
    ...daily(30).map((each) => ({ ...each, amount: usd(1_000n) })),
    ...daily(30).map((each) => ({ ...each, amount: { minor: 999n, currency: eur } })),
  ]
  assert.equal(shown(first('Visa', others)), '0 h')
})

test('attempts that are 30 days old, approved, or never reached the network are not counted', () => {
  const old = range(30).map(() => declined({ at: daysAgo(30) }))
  const good = range(30).map(() => ({ ...declined({}), outcome: 'approved' as const }))
  const own = range(30).map(() => declined({ responseCode: '', serviceCode: 623 }))
  assert.equal(shown(first('Visa', [...old, ...good, ...own])), '0 h')
})

test('unknown outcomes are counted, because the network may have seen them', () => {
  const unknown = { outcome: 'unknown' as const, responseCode: '' }
  const decided = first(
    'Visa',
    daily(20).map((each) => ({ ...each, ...unknown })),
  )
  assert.ok(decided.kind === 'allowed' && decided.at.getTime() > NOW.getTime())
})

test('Mastercard allows ten attempts of any amount in 24 hours', () => {
  const ten = range(10).map((n) => declined({ at: hoursAgo(10 - n), amount: usd(BigInt(n + 1)) }))
  const decided = first('Mastercard', ten)

  assert.equal(shown(first('Mastercard', ten.slice(1))), '0 h')
  assert.ok(decided.kind === 'allowed')
  assert.deepEqual(decided.at, new Date(hoursAgo(10).getTime() + DAY_MS))
  assert.equal(decided.reason, 'Mastercard allows 10 attempts with one card in 24 hours.')
})

test('Mastercard allows 35 attempts of one amount in 30 days', () => {
  const spread = (count: number) =>
    range(count).map((n) => declined({ at: hoursAgo(29 * 24 - n * 12) }))
  const decided = first('Mastercard', spread(35))

  assert.equal(shown(first('Mastercard', spread(34))), '0 h')
  assert.ok(decided.kind === 'allowed')
  assert.deepEqual(decided.at, new Date(hoursAgo(29 * 24).getTime() + 30 * DAY_MS))
  assert.match(decided.reason, /35 attempts of 9\.99 USD with one card in 30 days/)
})

test('other networks are asked fifteen times in 30 days at most', () => {
  const decided = first('JCB', daily(15))
  assert.equal(shown(first('JCB', daily(14))), '0 h')
  assert.ok(decided.kind === 'allowed' && decided.at.getTime() > NOW.getTime())
  assert.match(decided.reason, /^This gateway allows 15/)
})

test('the longer one of a wait and a cap holds, and is reported', () => {
  const decided = retry('Visa', daily(19), declined({}))
  assert.ok(decided.kind === 'allowed')
  assert.match(decided.reason, /^Visa allows 20/)

  const advised = retry('Mastercard', [], declined({ merchantAdvice: '30' }))
  assert.match(advised.reason, /advice 30/)
})

const anyCode = fc.constantFrom('05', '51', '54', '41', '91', '83', 'R1', '')
const anyAttempt: fc.Arbitrary<CardAttempt> = fc.record({
  at: fc.integer({ min: 0, max: 60 * 24 }).map(hoursAgo),
  amount: fc.constantFrom(PRICE, usd(500n)),
  outcome: fc.constantFrom('approved' as const, 'declined' as const, 'unknown' as const),
  responseCode: anyCode,
  serviceCode: fc.constantFrom(600, 624, 635),
  merchantAdvice: fc.constantFrom('', '01', '02', '03', '24', '30', '99'),
})
const anyBrand = fc.constantFrom<CardBrand | null>('Visa', 'Mastercard', 'JCB', null)
const anyHistory = fc.array(anyAttempt, { maxLength: 60 })
/** Declines that allow another attempt, and so many of them that a cap is reached. */
const busyHistory = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 12 * 24 }).map(hoursAgo), fc.constantFrom(PRICE, usd(500n)))
    .map(([at, amount]) => declined({ at, amount })),
  { minLength: 75, maxLength: 120 },
)

test('no attempt is ever allowed before now, nor more than 30 days from now', () => {
  fc.assert(
    fc.property(anyBrand, fc.oneof(anyHistory, busyHistory), (brand, attempts) => {
      const decided = first(brand, attempts)
      if (decided.kind !== 'allowed') return
      assert.ok(decided.at.getTime() >= NOW.getTime())
      assert.ok(decided.at.getTime() <= NOW.getTime() + 30 * DAY_MS)
    }),
  )
})

test('the sequence of the given attempts changes nothing', () => {
  fc.assert(
    fc.property(anyBrand, anyHistory, (brand, attempts) => {
      fc.pre(new Set(attempts.map(({ at }) => at.getTime())).size === attempts.length)
      assert.deepEqual(first(brand, attempts.toReversed()), first(brand, attempts))
    }),
  )
})

test('an attempt is allowed at the named instant, and none before it', () => {
  fc.assert(
    fc.property(anyBrand, busyHistory, (brand, attempts) => {
      const decided = first(brand, attempts)
      fc.pre(decided.kind === 'allowed' && decided.at.getTime() > NOW.getTime())
      const { at } = decided
      const before = new Date(at.getTime() - 1)
      const asked = (now: Date) => decideAttempt(card(brand, attempts), PRICE, now)

      assert.deepEqual(instantOf(asked(at)), at)
      assert.deepEqual(instantOf(asked(before)), at)
    }),
  )
})

test('no history makes the gateway pass a cap by following its own advice', () => {
  fc.assert(
    fc.property(fc.constantFrom<CardBrand>('Visa', 'Mastercard', 'JCB'), (brand) => {
      const made: CardAttempt[] = []
      let now = NOW
      while (made.length < 60) {
        const failed = declined({ at: now, merchantAdvice: '24' })
        const next = decideRetry(card(brand, made), failed, now)
        made.push(failed)
        assert.ok(next.kind === 'allowed')
        now = next.at
      }
      const limit = brand === 'Visa' ? 20 : brand === 'Mastercard' ? 35 : 15
      for (const { at } of made) {
        const within = made.filter((each) => {
          const age = at.getTime() - each.at.getTime()
          return age >= 0 && age < 30 * DAY_MS
        })
        assert.ok(within.length <= limit, `${within.length} attempts of ${brand} in 30 days`)
      }
    }),
  )
})

function first(brand: CardBrand | null, attempts: readonly CardAttempt[]): NextAttempt {
  return decideAttempt(card(brand, attempts), PRICE, NOW)
}

function retry(
  brand: CardBrand | null,
  attempts: readonly CardAttempt[],
  failed: CardAttempt,
): NextAttempt {
  return decideRetry(card(brand, attempts), failed, NOW)
}

function card(brand: CardBrand | null, attempts: readonly CardAttempt[]) {
  return { brand, attempts, dataChangedAt: null }
}

function declined(change: Partial<CardAttempt>): CardAttempt {
  return {
    at: NOW,
    amount: PRICE,
    outcome: 'declined',
    responseCode: '51',
    serviceCode: 600,
    merchantAdvice: '',
    ...change,
  }
}

/** One decline a day, the last one yesterday. */
function daily(count: number): CardAttempt[] {
  return range(count).map((n) => declined({ at: daysAgo(count - n) }))
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

function daysAgo(days: number): Date {
  return hoursAgo(days * 24)
}

function hoursAgo(hours: number): Date {
  return new Date(NOW.getTime() - hours * HOUR_MS)
}

function usd(minor: bigint): Money {
  const currency = findCurrency('USD')
  if (currency === null) throw new Error('There is no USD.')
  return { minor, currency }
}

function instantOf(decided: NextAttempt): Date | null {
  return decided.kind === 'allowed' ? decided.at : null
}

function shown(decided: NextAttempt): string {
  if (decided.kind !== 'allowed') return decided.kind
  return `${(decided.at.getTime() - NOW.getTime()) / HOUR_MS} h`
}
