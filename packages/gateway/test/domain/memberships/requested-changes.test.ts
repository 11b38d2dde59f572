import assert from 'node:assert/strict'
import { test } from 'node:test'
import { membershipTimes, startMembership } from '../../../src/domain/memberships/membership.ts'
import type { Membership } from '../../../src/domain/memberships/membership.ts'
import { decideDue } from '../../../src/domain/memberships/renewal.ts'
import {
  decideCancel,
  decideChange,
  stopMembership,
  withNewCardData,
  withRetryNow,
} from '../../../src/domain/memberships/requested-changes.ts'
import type { MembershipChange } from '../../../src/domain/memberships/requested-changes.ts'
import {
  CARD,
  allowed,
  conclude,
  fail,
  monthly,
  nextOf,
  pastDue,
  product,
  underCharge,
  utc,
} from './a-membership.ts'

const AT = utc('2026-03-02 12:00')

const scheduled = allowed(decideCancel(monthly(), 'at_rebill', utc('2026-02-10 12:00')))
const cancelled = allowed(decideCancel(monthly(), 'now', utc('2026-02-10 12:00')))
const single = startMembership(product('1Y', { type: 'ends' }), CARD, utc('2026-01-31 08:00'))
const ended = endOf(single)
const waiting = fail(underCharge(), { kind: 'never', reason: 'No.' }).membership
const notSent = conclude(underCharge(), { kind: 'not_sent' }).membership

const LIVE: readonly (readonly [what: string, membership: Membership])[] = [
  ['active', monthly()],
  ['past due', pastDue()],
  ['past due without a retry', waiting],
  ['to be cancelled', scheduled],
  ['of a single period', single],
  ['being charged', underCharge()],
  ['waiting for a charge that did not leave', notSent],
]

for (const [what, membership] of LIVE) {
  test(`a membership that is ${what} is cancelled at once on request`, () => {
    const over = allowed(decideCancel(membership, 'now', AT))
    assert.equal(over.state, 'cancelled')
    assert.equal(nextOf(over), 'nothing')
    assert.deepEqual(membershipTimes(over), { rebillAt: null, cancelAt: AT })
  })

  test(`a membership that is ${what} is cancelled at once by a stop order`, () => {
    const over = stopMembership(membership, AT)
    assert.equal(over.state, 'cancelled')
    assert.deepEqual(over.overAt, AT)
  })
}

const OVER: readonly (readonly [what: string, membership: Membership])[] = [
  ['cancelled', cancelled],
  ['ended', ended],
]

for (const [what, membership] of OVER) {
  test(`a membership that is ${what} can neither be cancelled nor changed any more`, () => {
    const refused = { kind: 'refused', refusal: 'membership_over' }
    assert.deepEqual(decideCancel(membership, 'now', AT), refused)
    assert.deepEqual(decideCancel(membership, 'at_rebill', AT), refused)
    assert.deepEqual(update(membership, { cardId: 8n }), refused)
    assert.deepEqual(update(membership, { product: null }), refused)
    assert.equal(stopMembership(membership, AT), membership)
    assert.equal(withNewCardData(membership, AT), membership)
    assert.equal(withRetryNow(membership, AT), null)
  })
}

test('a cancellation at the next renewal keeps the paid period and charges nothing more', () => {
  assert.equal(scheduled.state, 'cancel_scheduled')
  assert.deepEqual(membershipTimes(scheduled), {
    rebillAt: null,
    cancelAt: utc('2026-02-28 08:00'),
  })

  const decision = decideDue(scheduled, utc('2026-03-05 00:00'), 'once')

  assert.equal(decision.kind, 'over')
  assert.equal(decision.membership.state, 'cancelled')
  assert.deepEqual(decision.membership.overAt, utc('2026-02-28 08:00'))
})

test('to schedule a cancellation twice changes nothing', () => {
  assert.equal(allowed(decideCancel(scheduled, 'at_rebill', AT)), scheduled)
})

test('an open renewal has no paid period to keep, so cancelling at it is cancelling now', () => {
  for (const membership of [pastDue(), waiting, notSent]) {
    const over = allowed(decideCancel(membership, 'at_rebill', AT))
    assert.equal(over.state, 'cancelled')
    assert.equal(over.renewal, null)
    assert.deepEqual(over.overAt, AT)
  }
})

test('a product that never renews has no renewal to cancel at', () => {
  assert.deepEqual(decideCancel(single, 'at_rebill', AT), {
    kind: 'refused',
    refusal: 'not_set_for_rebill',
  })
})

test('a cancellation drops a scheduled change of product', () => {
  const changed = allowed(update(monthly(), { product: product('1Y') }))
  assert.equal(allowed(decideCancel(changed, 'at_rebill', AT)).nextProduct, null)
  assert.equal(allowed(decideCancel(changed, 'now', AT)).nextProduct, null)
})

const eur = product('1M', { currency: 'EUR', productId: 'P-EUR' })
const yearly = product('1Y')

type Refusal = readonly [string, Membership, Partial<MembershipChange>, refusal: string]

const REFUSALS: readonly Refusal[] = [
  ['nothing is named', monthly(), {}, 'nothing_to_change'],
  ['nothing is named, of one that is over', cancelled, {}, 'nothing_to_change'],
  ['the product is no membership’s', monthly(), { product: null }, 'product_not_rebillable'],
  ['the product has another currency', monthly(), { product: eur }, 'product_not_rebillable'],
  [
    'product and card are wrong',
    monthly(),
    { product: null, cardId: null },
    'product_not_rebillable',
  ],
  ['the card is not the customer’s', monthly(), { cardId: null }, 'card_unknown'],
  [
    'the card is wrong and the product right',
    monthly(),
    { product: yearly, cardId: null },
    'card_unknown',
  ],
  ['there is no renewal to come', single, { product: yearly }, 'not_set_for_rebill'],
  ['the renewal to come was cancelled', scheduled, { product: yearly }, 'not_set_for_rebill'],
]

for (const [what, membership, change, refusal] of REFUSALS) {
  test(`SUB_UPDATE is refused where ${what}: ${refusal}`, () => {
    assert.deepEqual(update(membership, change), { kind: 'refused', refusal })
  })
}

test('another product waits for the next renewal, whose time it does not move', () => {
  const changed = allowed(update(monthly(), { product: yearly }))
  assert.deepEqual(changed.nextProduct, yearly)
  assert.deepEqual(changed.product, product('1M'))
  assert.deepEqual(membershipTimes(changed), membershipTimes(monthly()))
})

test('naming the product in force withdraws a change, and other terms of it are a change', () => {
  const changed = allowed(update(monthly(), { product: yearly }))
  assert.equal(allowed(update(changed, { product: product('1M') })).nextProduct, null)

  const dearer = product('1M', { minor: 1_299n })
  assert.deepEqual(allowed(update(changed, { product: dearer })).nextProduct, dearer)
})

test('the last one of several changes applies', () => {
  const quarterly = product('3M')
  const changed = allowed(update(monthly(), { product: yearly }))
  assert.deepEqual(allowed(update(changed, { product: quarterly })).nextProduct, quarterly)
})

for (const [what, membership] of [
  ['waits for its retry', pastDue()],
  ['waits for another card', waiting],
  ['waits to leave', notSent],
] as const) {
  test(`another card is charged at once where the renewal ${what}`, () => {
    const changed = allowed(update(membership, { cardId: 8n }))
    assert.equal(changed.cardId, 8n)
    assert.equal(nextOf(changed), 'retry 2026-03-02 12:00')
  })

  test(`new data of the card are tried at once where the renewal ${what}`, () => {
    assert.equal(nextOf(withNewCardData(membership, AT)), 'retry 2026-03-02 12:00')
  })

  test(`a user has it tried at once where the renewal ${what}`, () => {
    const retried = withRetryNow(membership, utc('2026-02-28 08:00'))
    assert.equal(retried && nextOf(retried), 'retry 2026-02-28 08:00')
  })
}

test('a retry that is due already keeps its time, whichever user presses again', () => {
  const membership = pastDue()
  const due = membership.next?.at
  assert.ok(due !== undefined)
  const before = new Date(due.getTime() - 1)
  assert.equal(withRetryNow(membership, due), membership)
  assert.equal(withRetryNow(membership, new Date(due.getTime() + 1)), membership)
  assert.deepEqual(withRetryNow(membership, before)?.next?.at, before)
})

test('nothing is tried again while a charge is on its way, or where no renewal failed', () => {
  for (const membership of [monthly(), scheduled, single, underCharge()])
    assert.equal(withRetryNow(membership, AT), null)
})

test('the present card is no reason to retry early', () => {
  assert.equal(nextOf(allowed(update(pastDue(), { cardId: CARD }))), nextOf(pastDue()))
  assert.equal(nextOf(allowed(update(waiting, { cardId: CARD }))), nextOf(waiting))
})

test('another card changes no other time', () => {
  for (const membership of [monthly(), scheduled, single, underCharge()]) {
    const changed = allowed(update(membership, { cardId: 8n }))
    assert.deepEqual(changed, { ...membership, cardId: 8n })
    assert.equal(withNewCardData(membership, AT), membership)
  }
})

test('the attempt with another card takes the place of no retry of the plan', () => {
  const changed = allowed(update(pastDue(), { cardId: 8n }))
  const decision = decideDue(changed, AT, 'once')
  assert.equal(decision.kind, 'charge')
  assert.equal(decision.charge.cardId, 8n)

  const failed = fail(decision.membership, { kind: 'allowed', at: AT, reason: 'Not now.' })
  assert.equal(nextOf(failed.membership), 'retry 2026-03-03 08:00')
})

test('product and card change together', () => {
  const changed = allowed(update(pastDue(), { product: yearly, cardId: 8n }))
  assert.deepEqual(changed.nextProduct, yearly)
  assert.equal(changed.cardId, 8n)
})

function update(membership: Membership, change: Partial<MembershipChange>) {
  return decideChange(membership, { product: undefined, cardId: undefined, ...change }, AT)
}

function endOf(membership: Membership): Membership {
  const decision = decideDue(membership, utc('2030-01-01 00:00'), 'once')
  assert.equal(decision.kind, 'over')
  return decision.membership
}
