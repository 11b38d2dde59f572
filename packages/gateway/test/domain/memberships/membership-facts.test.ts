import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  beginningOf,
  membershipFacts,
  type ConcludedCharge,
  type MembershipCause,
} from '../../../src/domain/memberships/membership-facts.ts'
import { startMembership, type Membership } from '../../../src/domain/memberships/membership.ts'
import type { NextAttempt } from '../../../src/domain/memberships/next-attempt.ts'
import { decideDue } from '../../../src/domain/memberships/renewal.ts'
import {
  decideCancel,
  decideChange,
  stopMembership,
} from '../../../src/domain/memberships/requested-changes.ts'
import {
  allowed,
  approve,
  begun,
  CARD,
  conclude,
  fail,
  monthly,
  nextOf,
  pastDue,
  product,
  soon,
  underCharge,
  utc,
} from './a-membership.ts'

const NOW = utc('2026-02-28 08:00')
const BY_PROGRAM: MembershipCause = { at: NOW, origin: 'api', actor: null }
const BY_JOB: MembershipCause = { at: NOW, origin: 'rebill', actor: null }
const STOPPED: NextAttempt = { kind: 'stopped', reason: 'The card is closed.' }

function charge(outcome: ConcludedCharge['outcome']): ConcludedCharge {
  return { outcome, attempt: 1, reason: 'why', orderId: 9n, transactionId: 8n }
}

/** Names and, where there is one, the reason. */
function namesOf(
  before: Membership,
  after: Membership,
  cause: MembershipCause,
  concluded: ConcludedCharge | null = null,
): string[] {
  return membershipFacts(before, after, cause, concluded).map(({ details, name }) =>
    name === 'cancelled' || name === 'ended' ? `${name} ${details['reason']}` : name,
  )
}

test('a new membership is started, with its period and its next charge', () => {
  const { details, name } = beginningOf(monthly(), NOW)
  assert.equal(name, 'began')
  assert.deepEqual(
    [details['state'], details['product'], details['price_minor'], details['pmt_id']],
    ['active', 'P-1M', '999', null],
  )
  assert.deepEqual(
    [details['period_start'], details['period_end'], details['next_charge'], details['ends_at']],
    ['2026-01-31T08:00:00.000Z', NOW.toISOString(), NOW.toISOString(), null],
  )
})

test('a charge that only begins is no fact', () => {
  assert.deepEqual(namesOf(monthly(), underCharge(), BY_JOB), [])
})

test('an approved charge is a renewal, and a recovery after a failed attempt', () => {
  const again = begun(pastDue(), new Date('2026-03-01T08:00:00Z'))
  assert.deepEqual(namesOf(underCharge(), approve(underCharge()), BY_JOB, charge('approved')), [
    'renewed',
  ])
  assert.deepEqual(namesOf(again, approve(again), BY_JOB, charge('approved')), [
    'renewed',
    'recovered',
  ])
})

test('a failed charge is a declined renewal with the time of the next attempt, and makes it past due once', () => {
  const failed = fail(underCharge(), soon()).membership
  const [declined, due] = membershipFacts(underCharge(), failed, BY_JOB, charge('declined'))
  assert.deepEqual([declined?.name, due?.name], ['renewal_declined', 'past_due'])
  assert.equal(
    `retry ${declined?.details['next_attempt']}`.slice(0, 16),
    nextOf(failed).slice(0, 16),
  )
  assert.equal(due?.details['since'], NOW.toISOString())
  const again = begun(failed, new Date('2026-03-01T08:00:00Z'))
  assert.deepEqual(namesOf(again, fail(again, soon()).membership, BY_JOB, charge('declined')), [
    'renewal_declined',
  ])
})

test('a charge that did not leave the gateway is reported with its outcome', () => {
  const after = conclude(underCharge(), { kind: 'not_sent' }).membership
  const [fact] = membershipFacts(underCharge(), after, BY_JOB, charge('not_sent'))
  assert.deepEqual([fact?.name, fact?.details['outcome']], ['renewal_declined', 'not_sent'])
})

test('a charge that fails for good cancels, and so does a card that was stopped elsewhere', () => {
  assert.deepEqual(
    namesOf(underCharge(), fail(underCharge(), STOPPED).membership, BY_JOB, charge('declined')),
    ['renewal_declined', 'cancelled renewal_failed'],
  )
  assert.deepEqual(namesOf(monthly(), stopMembership(monthly(), NOW), BY_JOB), [
    'cancelled stop_order',
  ])
})

test('a request cancels at once or plans to, and the plan cancels by itself', () => {
  const planned = allowed(decideCancel(monthly(), 'at_rebill', NOW))
  const atOnce = allowed(decideCancel(monthly(), 'now', NOW))
  const over = decideDue(planned, NOW, 'once')
  assert.equal(over.kind, 'over')
  assert.deepEqual(namesOf(monthly(), planned, BY_PROGRAM), ['cancel_scheduled'])
  assert.deepEqual(namesOf(monthly(), atOnce, BY_PROGRAM), ['cancelled request'])
  assert.deepEqual(namesOf(planned, over.membership, BY_JOB), ['cancelled scheduled'])
})

test('a product that ends after its period has ended', () => {
  const once = startMembership(product('1M', { type: 'ends' }), CARD, utc('2026-01-31 08:00'))
  const over = decideDue(once, NOW, 'once')
  assert.equal(over.kind, 'over')
  assert.deepEqual(namesOf(once, over.membership, BY_JOB), ['ended term'])
})

test('another card and another product are facts of their own, and naming the same ones is none', () => {
  const change = (card: bigint | undefined, next: ReturnType<typeof product> | undefined) =>
    allowed(decideChange(monthly(), { product: next, cardId: card }, NOW))
  const other = product('1Y')
  assert.deepEqual(namesOf(monthly(), change(99n, undefined), BY_PROGRAM), ['card_updated'])
  assert.deepEqual(namesOf(monthly(), change(undefined, other), BY_PROGRAM), ['product_changed'])
  assert.deepEqual(namesOf(monthly(), change(99n, other), BY_PROGRAM), [
    'card_updated',
    'product_changed',
  ])
  assert.deepEqual(namesOf(monthly(), change(CARD, product('1M')), BY_PROGRAM), [])
})

test('a planned product that takes over with its renewal has no fact but the renewal', () => {
  const planned = allowed(
    decideChange(monthly(), { product: product('1Y'), cardId: undefined }, NOW),
  )
  const started = begun(planned, NOW)
  assert.deepEqual(namesOf(planned, started, BY_JOB), [])
  assert.deepEqual(namesOf(started, approve(started), BY_JOB, charge('approved')), ['renewed'])
})

test('an approval of a charge whose membership was cancelled meanwhile renews nothing', () => {
  const cancelled = allowed(decideCancel(underCharge(), 'now', NOW))
  const after = conclude(cancelled, { kind: 'approved' }).membership
  assert.deepEqual(namesOf(cancelled, after, BY_JOB, charge('approved')), [])
})
