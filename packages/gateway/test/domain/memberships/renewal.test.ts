import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { InvariantError } from '../../../src/base/invariant.ts'
import { instantOfPeriod } from '../../../src/domain/memberships/calendar.ts'
import { membershipTimes, startMembership } from '../../../src/domain/memberships/membership.ts'
import type { Membership } from '../../../src/domain/memberships/membership.ts'
import { concludeCharge, decideDue } from '../../../src/domain/memberships/renewal.ts'
import type {
  CatchUp,
  ChargeOutcome,
  RenewalCharge,
} from '../../../src/domain/memberships/renewal.ts'
import { decideCancel, decideChange } from '../../../src/domain/memberships/requested-changes.ts'
import {
  CARD,
  DAY_MS,
  RETRY_DAYS,
  allowed,
  approve,
  begun,
  conclude,
  fail,
  monthly,
  nextOf,
  pastDue,
  product,
  shown,
  soon,
  underCharge,
  utc,
} from './a-membership.ts'

test('a membership that renews is charged when its first period is over', () => {
  const membership = monthly()
  assert.equal(membership.state, 'active')
  assert.equal(nextOf(membership), 'renewal 2026-02-28 08:00')
  assert.deepEqual(membershipTimes(membership), {
    rebillAt: utc('2026-02-28 08:00'),
    cancelAt: null,
  })
})

test('a membership that does not renew ends when its period is over, and is never charged', () => {
  const membership = startMembership(product('1M', { type: 'ends' }), CARD, utc('2026-01-31 08:00'))
  assert.deepEqual(membershipTimes(membership), {
    rebillAt: null,
    cancelAt: utc('2026-02-28 08:00'),
  })

  const decision = decideDue(membership, utc('2026-03-15 00:00'), 'once')

  assert.equal(decision.kind, 'over')
  assert.equal(decision.membership.state, 'ended')
  assert.equal(nextOf(decision.membership), 'nothing')
  assert.deepEqual(decision.membership.overAt, utc('2026-02-28 08:00'))
})

test('nothing is due a millisecond before its time', () => {
  const before = new Date(utc('2026-02-28 08:00').getTime() - 1)
  assert.deepEqual(decideDue(monthly(), before, 'once'), { kind: 'nothing' })
})

test('a due renewal is charged to the membership’s card, under an identity of its own', () => {
  const decision = decideDue(monthly(), utc('2026-02-28 08:01'), 'once')

  assert.equal(decision.kind, 'charge')
  assert.deepEqual(decision.charge, {
    dueAt: utc('2026-02-28 08:00'),
    attempt: 1,
    at: utc('2026-02-28 08:01'),
    amount: product('1M').price,
    cardId: CARD,
  })
})

test('a charge under way is not started a second time', () => {
  assert.deepEqual(decideDue(underCharge(), utc('2030-01-01 00:00'), 'each'), { kind: 'nothing' })
  const scheduled = allowed(decideCancel(underCharge(), 'at_rebill', utc('2026-02-28 08:01')))
  assert.deepEqual(decideDue(scheduled, utc('2030-01-01 00:00'), 'each'), { kind: 'nothing' })
})

test('while it is charged, a membership shows that moment as its billing time', () => {
  assert.deepEqual(membershipTimes(underCharge()).rebillAt, utc('2026-02-28 08:00'))
})

test('an approved renewal is followed by the next one, on the anchor’s day', () => {
  const renewed = approve(underCharge())
  assert.equal(renewed.state, 'active')
  assert.equal(renewed.renewal, null)
  assert.equal(nextOf(renewed), 'renewal 2026-03-31 08:00')
})

test('a charge that was not started cannot be concluded', () => {
  for (const membership of [monthly(), pastDue(), approve(underCharge())]) {
    assert.throws(() => approve(membership), InvariantError)
  }
})

test('a declined renewal is retried 1, 3, 5 and 7 days after it, and then cancelled', () => {
  const seen: string[] = []
  let membership = underCharge()
  for (;;) {
    const concluded = fail(membership, soon())
    seen.push(`${concluded.membership.state}: ${nextOf(concluded.membership)}`)
    if (concluded.membership.next === null) break
    membership = begun(concluded.membership, concluded.membership.next.at)
  }

  assert.deepEqual(seen, [
    'past_due: retry 2026-03-01 08:00',
    'past_due: retry 2026-03-03 08:00',
    'past_due: retry 2026-03-05 08:00',
    'past_due: retry 2026-03-07 08:00',
    'cancelled: nothing',
  ])
})

test('each retry is an attempt of the same renewal', () => {
  const decision = decideDue(pastDue(), utc('2026-03-01 08:00'), 'once')
  assert.equal(decision.kind, 'charge')
  assert.deepEqual(decision.charge.dueAt, utc('2026-02-28 08:00'))
  assert.equal(decision.charge.attempt, 2)
})

test('a retry that is approved makes the membership active on its old days', () => {
  const renewed = approve(begun(pastDue(), utc('2026-03-01 08:00')))
  assert.equal(renewed.state, 'active')
  assert.equal(nextOf(renewed), 'renewal 2026-03-31 08:00')
})

test('a site without retries cancels with the first decline', () => {
  const concluded = concludeCharge(underCharge(), { kind: 'failed', retry: soon() }, [])
  assert.equal(concluded.membership.state, 'cancelled')
  assert.deepEqual(concluded.membership.overAt, utc('2026-02-28 08:00'))
  assert.match(concluded.reason, /No retry is left\. The membership is cancelled\.$/)
})

test('a wait that the network asks for moves a retry and passes over those in between', () => {
  const moved = fail(underCharge(), soon(utc('2026-03-04 08:00'))).membership
  assert.equal(nextOf(moved), 'retry 2026-03-04 08:00')
  const then = fail(begun(moved, utc('2026-03-04 08:00')), soon()).membership
  assert.equal(nextOf(then), 'retry 2026-03-05 08:00')
})

test('a wait past the last retry makes one more attempt, and no other', () => {
  const moved = fail(underCharge(), soon(utc('2026-03-10 08:00'))).membership
  assert.equal(nextOf(moved), 'retry 2026-03-10 08:00')
  const then = fail(begun(moved, utc('2026-03-10 08:00')), soon()).membership
  assert.equal(then.state, 'cancelled')
})

test('a wait shorter than the plan’s changes nothing', () => {
  const concluded = fail(underCharge(), soon(utc('2026-02-28 09:00')))
  assert.equal(nextOf(concluded.membership), 'retry 2026-03-01 08:00')
})

for (const kind of ['never', 'after_new_data'] as const) {
  test(`a card under '${kind}' is not charged, and given until the plan’s end`, () => {
    const waiting = fail(underCharge(), { kind, reason: 'No.' }).membership
    assert.equal(waiting.state, 'past_due')
    assert.equal(nextOf(waiting), 'give_up 2026-03-07 08:00')

    const decision = decideDue(waiting, utc('2026-03-08 00:00'), 'once')

    assert.equal(decision.kind, 'over')
    assert.equal(decision.membership.state, 'cancelled')
    assert.equal(decision.membership.renewal, null)
    assert.deepEqual(decision.membership.overAt, utc('2026-03-07 08:00'))
  })
}

test('a stop order cancels at once', () => {
  const concluded = fail(underCharge(), { kind: 'stopped', reason: 'Stopped.' })
  assert.equal(concluded.membership.state, 'cancelled')
  assert.equal(concluded.membership.renewal, null)
  assert.equal(concluded.reverses, false)
  assert.equal(concluded.reason, 'Stopped. The membership is cancelled.')
})

test('an unsent charge costs no retry and makes no membership past due', () => {
  const concluded = conclude(underCharge(), { kind: 'not_sent' })
  assert.equal(concluded.membership.state, 'active')
  assert.equal(nextOf(concluded.membership), 'retry 2026-02-28 09:00')

  const declined = fail(begun(concluded.membership, utc('2026-02-28 09:00')), soon()).membership
  assert.equal(nextOf(declined), 'retry 2026-03-01 09:00')
})

test('a charge that was not sent while the clock waits is made again as of the same moment', () => {
  const concluded = conclude(underCharge(), { kind: 'not_sent', waits: true })
  assert.equal(concluded.membership.state, 'active')
  assert.equal(nextOf(concluded.membership), 'retry 2026-02-28 08:00')
})

test('the last retry is not lost when it was not sent', () => {
  let membership = pastDue()
  for (const day of ['01', '03', '05']) {
    membership = fail(begun(membership, utc(`2026-03-${day} 08:00`)), soon()).membership
  }
  const concluded = conclude(begun(membership, utc('2026-03-07 08:00')), { kind: 'not_sent' })
  assert.equal(concluded.membership.state, 'past_due')
  assert.equal(nextOf(concluded.membership), 'retry 2026-03-07 09:00')
})

test('after a stoppage the missed periods are charged once', () => {
  const decision = decideDue(monthly(), utc('2026-06-15 10:00'), 'once')
  assert.equal(decision.kind, 'charge')
  assert.deepEqual(decision.charge.dueAt, utc('2026-02-28 08:00'))

  assert.equal(nextOf(approve(decision.membership)), 'renewal 2026-06-30 08:00')
})

test('a clock that was moved goes through every due moment, each as of its own time', () => {
  const { charges, membership } = run(monthly(), utc('2026-06-15 10:00'), 'each')
  assert.deepEqual(
    charges.map(({ at }) => shown(at)),
    ['2026-02-28 08:00', '2026-03-31 08:00', '2026-04-30 08:00', '2026-05-31 08:00'],
  )
  assert.equal(nextOf(membership), 'renewal 2026-06-30 08:00')
})

test('retries of a clock that was moved are counted from the moments that it passed', () => {
  const declines: ChargeOutcome = { kind: 'failed', retry: soon() }
  const { charges, membership } = run(monthly(), utc('2027-01-01 00:00'), 'each', () => declines)
  assert.deepEqual(
    charges.map(({ at }) => shown(at)),
    [
      '2026-02-28 08:00',
      '2026-03-01 08:00',
      '2026-03-03 08:00',
      '2026-03-05 08:00',
      '2026-03-07 08:00',
    ],
  )
  assert.deepEqual(membership.overAt, utc('2026-03-07 08:00'))
})

test('a stoppage leaves a renewal one retry, not all that were missed', () => {
  const late = begun(pastDue(), utc('2026-03-20 00:00'))
  const concluded = fail(late, soon())
  assert.equal(concluded.membership.state, 'cancelled')
})

test('a daily renewal that is paid late pays for the day under way, not for those before', () => {
  const daily = startMembership(product('1D'), CARD, utc('2026-01-01 08:00'))
  let membership = fail(begun(daily, utc('2026-01-02 08:00')), soon()).membership
  membership = fail(begun(membership, utc('2026-01-03 08:00')), soon()).membership
  membership = approve(begun(membership, utc('2026-01-05 08:00')))

  assert.equal(membership.state, 'active')
  assert.equal(membership.period, 4)
  assert.equal(nextOf(membership), 'renewal 2026-01-06 08:00')
})

test('another product is charged from the next renewal, and counts its periods from there', () => {
  const yearly = product('1Y', { minor: 9_900n })
  const changed = change(monthly(), yearly)
  assert.equal(nextOf(changed), 'renewal 2026-02-28 08:00')

  const decision = decideDue(changed, utc('2026-02-28 08:05'), 'once')
  assert.equal(decision.kind, 'charge')
  assert.equal(decision.charge.amount.minor, 9_900n)

  const renewed = approve(decision.membership)
  assert.deepEqual(renewed.product, yearly)
  assert.equal(renewed.nextProduct, null)
  assert.deepEqual(renewed.anchorAt, utc('2026-02-28 08:00'))
  assert.equal(nextOf(renewed), 'renewal 2027-02-28 08:00')
})

test('another product’s first renewal is retried at its own price', () => {
  const changed = change(monthly(), product('1Y', { minor: 9_900n }))
  const declined = fail(begun(changed, utc('2026-02-28 08:00')), soon()).membership
  const decision = decideDue(declined, utc('2026-03-01 08:00'), 'once')

  assert.equal(decision.kind, 'charge')
  assert.equal(decision.charge.amount.minor, 9_900n)
  assert.equal(nextOf(approve(decision.membership)), 'renewal 2027-02-28 08:00')
})

test('a product that ends is charged once at the next renewal, and ends', () => {
  const renewed = approve(
    begun(change(monthly(), product('1Y', { type: 'ends' })), utc('2026-02-28 08:00')),
  )
  assert.equal(renewed.state, 'active')
  assert.equal(nextOf(renewed), 'end 2027-02-28 08:00')
})

test('an open renewal keeps its price when the product changes meanwhile', () => {
  const changed = change(pastDue(), product('1Y', { minor: 9_900n }))
  const decision = decideDue(changed, utc('2026-03-01 08:00'), 'once')
  assert.equal(decision.kind, 'charge')
  assert.equal(decision.charge.amount.minor, 999n)

  const next = decideDue(approve(decision.membership), utc('2026-03-31 08:00'), 'once')
  assert.equal(next.kind, 'charge')
  assert.equal(next.charge.amount.minor, 9_900n)
})

test('a charge approved after its membership was cancelled at once is voided', () => {
  const cancelled = allowed(decideCancel(underCharge(), 'now', utc('2026-02-28 08:01')))
  const concluded = conclude(cancelled, { kind: 'approved' })

  assert.equal(concluded.reverses, true)
  assert.equal(concluded.membership.state, 'cancelled')
  assert.equal(concluded.membership.renewal, null)
  assert.deepEqual(concluded.membership.overAt, utc('2026-02-28 08:01'))
})

test('a charge declined after its membership was cancelled leaves nothing to void', () => {
  const cancelled = allowed(decideCancel(underCharge(), 'now', utc('2026-02-28 08:01')))
  for (const outcome of [{ kind: 'failed', retry: soon() }, { kind: 'not_sent' }] as const) {
    const concluded = conclude(cancelled, outcome)
    assert.equal(concluded.reverses, false)
    assert.equal(concluded.membership.state, 'cancelled')
  }
})

test('a cancellation asked for during a charge keeps the period if it is paid', () => {
  const scheduled = allowed(decideCancel(underCharge(), 'at_rebill', utc('2026-02-28 08:01')))
  assert.equal(nextOf(scheduled), 'cancel 2026-03-31 08:00')

  const kept = approve(scheduled)
  assert.equal(kept.state, 'cancel_scheduled')
  assert.equal(nextOf(kept), 'cancel 2026-03-31 08:00')
})

test('a cancellation asked for during a charge cancels at once if it is not paid', () => {
  const scheduled = allowed(decideCancel(underCharge(), 'at_rebill', utc('2026-02-28 08:01')))
  for (const outcome of [{ kind: 'failed', retry: soon() }, { kind: 'not_sent' }] as const) {
    const concluded = conclude(scheduled, outcome)
    assert.equal(concluded.membership.state, 'cancelled')
    assert.equal(concluded.membership.renewal, null)
    assert.equal(nextOf(concluded.membership), 'nothing')
  }
})

test('a new card is charged as soon as the charge of the old one is declined', () => {
  const decision = decideChange(
    underCharge(),
    { product: undefined, cardId: 8n },
    utc('2026-02-28 08:01'),
  )
  const concluded = fail(allowed(decision), { kind: 'never', reason: 'No.' })
  assert.equal(nextOf(concluded.membership), 'retry 2026-02-28 08:00')

  const again = begun(concluded.membership, utc('2026-02-28 08:02'))
  assert.equal(again.renewal?.charge?.cardId, 8n)
  assert.equal(nextOf(fail(again, soon()).membership), 'retry 2026-03-01 08:00')
})

const anyStart = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const anyProduct = fc.constantFrom('1D', '30D', '1M', '3M', '1Y').map((period) => product(period))
const anyOutcome: fc.Arbitrary<ChargeOutcome> = fc.constantFrom<ChargeOutcome>(
  { kind: 'approved' },
  { kind: 'failed', retry: soon() },
  { kind: 'failed', retry: { kind: 'after_new_data', reason: 'Expired.' } },
  { kind: 'not_sent' },
)

test('n renewals from the anchor are charged at the calendar’s n instants', () => {
  fc.assert(
    fc.property(anyStart, anyProduct, fc.integer({ min: 1, max: 40 }), (anchor, sold, n) => {
      const until = instantOfPeriod(anchor, sold.period, n)
      assert.ok(until)
      const { charges } = run(startMembership(sold, CARD, anchor), until, 'each')
      assert.deepEqual(
        charges.map(({ at }) => at),
        Array.from({ length: n }, (_, k) => instantOfPeriod(anchor, sold.period, k + 1)),
      )
    }),
  )
})

test('one jump and many steps of a moved clock make the same charges', () => {
  fc.assert(
    fc.property(
      anyStart,
      anyProduct,
      fc.array(anyOutcome, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 20 * 24 }), { minLength: 1, maxLength: 25 }),
      (anchor, sold, outcomes, hours) => {
        const membership = startMembership(sold, CARD, anchor)
        const ends = hours.reduce((ms, each) => ms + each * 3_600_000, anchor.getTime())
        const outcomeOf = ({ at }: RenewalCharge) =>
          outcomes[Math.floor(at.getTime() / DAY_MS) % outcomes.length] ?? { kind: 'approved' }

        const jump = run(membership, new Date(ends), 'each', outcomeOf)
        const steps: RenewalCharge[] = []
        let stepped = membership
        let now = anchor.getTime()
        for (const each of hours) {
          now += each * 3_600_000
          const step = run(stepped, new Date(now), 'each', outcomeOf)
          steps.push(...step.charges)
          stepped = step.membership
        }

        assert.deepEqual(steps, jump.charges)
        assert.deepEqual(stepped, jump.membership)
      },
    ),
  )
})

test('no charge has the identity of another, after any outcomes and stoppages', () => {
  fc.assert(
    fc.property(
      anyStart,
      anyProduct,
      fc.array(fc.tuple(anyOutcome, fc.integer({ min: 0, max: 90 * 24 })), { maxLength: 40 }),
      (anchor, sold, steps) => {
        const identities: string[] = []
        const paidFor: number[] = []
        let membership = startMembership(sold, CARD, anchor)
        let now = anchor.getTime()
        for (const [outcome, hours] of steps) {
          now += hours * 3_600_000
          const decision = decideDue(membership, new Date(now), 'once')
          if (decision.kind === 'nothing') continue
          membership = decision.membership
          if (decision.kind === 'over') break
          identities.push(`${decision.charge.dueAt.toISOString()} ${decision.charge.attempt}`)
          membership = concludeCharge(membership, outcome, RETRY_DAYS).membership
          if (outcome.kind === 'approved') paidFor.push(membership.period)
        }

        assert.equal(new Set(identities).size, identities.length)
        // Strictly later each time, so that no period is paid twice.
        assert.ok(paidFor.every((period, index) => period > (paidFor[index - 1] ?? 0)))
      },
    ),
  )
})

test('every membership that is not over has something to wait for', () => {
  fc.assert(
    fc.property(anyStart, anyProduct, fc.array(anyOutcome, { maxLength: 30 }), (at, sold, all) => {
      let membership = startMembership(sold, CARD, at)
      for (const outcome of all) {
        if (membership.next === null) break
        const decision = decideDue(membership, membership.next.at, 'once')
        assert.notEqual(decision.kind, 'nothing')
        if (decision.kind === 'nothing') return
        membership = decision.membership
        if (decision.kind === 'charge') {
          membership = concludeCharge(membership, outcome, RETRY_DAYS).membership
        }
      }
      const over = membership.state === 'cancelled' || membership.state === 'ended'
      assert.equal(membership.next === null, over)
      assert.equal(membership.overAt !== null, over)
    }),
  )
})

/** Does all that is due up to `until`. */
function run(
  start: Membership,
  until: Date,
  catchUp: CatchUp,
  outcomeOf: (charge: RenewalCharge) => ChargeOutcome = () => ({ kind: 'approved' }),
) {
  const charges: RenewalCharge[] = []
  let membership = start
  for (;;) {
    const decision = decideDue(membership, until, catchUp)
    if (decision.kind === 'nothing') return { charges, membership }
    membership = decision.membership
    if (decision.kind === 'over') continue
    charges.push(decision.charge)
    membership = concludeCharge(membership, outcomeOf(decision.charge), RETRY_DAYS).membership
  }
}

function change(membership: Membership, to: ReturnType<typeof product>): Membership {
  return allowed(
    decideChange(membership, { product: to, cardId: undefined }, utc('2026-02-15 12:00')),
  )
}
