import assert from 'node:assert/strict'
import { test } from 'node:test'
import { membershipAgenda } from '../../../src/domain/memberships/agenda.ts'
import { startMembership } from '../../../src/domain/memberships/membership.ts'
import type { Membership } from '../../../src/domain/memberships/membership.ts'
import { decideCancel, decideChange } from '../../../src/domain/memberships/requested-changes.ts'
import { formatMinor } from '../../../src/domain/money.ts'
import {
  CARD,
  allowed,
  fail,
  monthly,
  pastDue,
  product,
  shown,
  underCharge,
  utc,
} from './a-membership.ts'

const AT = utc('2026-02-10 12:00')

test('an active membership is charged each month', () => {
  assert.deepEqual(agenda(monthly()), [
    'renewal 2026-02-28 08:00 9.99 USD',
    'renewal 2026-03-31 08:00 9.99 USD',
    'renewal 2026-04-30 08:00 9.99 USD',
  ])
})

test('a single period ends, and nothing follows', () => {
  const single = startMembership(product('1M', { type: 'ends' }), CARD, utc('2026-01-31 08:00'))
  assert.deepEqual(agenda(single), ['end 2026-02-28 08:00'])
})

test('a scheduled cancellation is the last entry', () => {
  const scheduled = allowed(decideCancel(monthly(), 'at_rebill', AT))
  assert.deepEqual(agenda(scheduled), ['cancel 2026-02-28 08:00'])
})

test('a cancelled membership has no agenda', () => {
  assert.deepEqual(agenda(allowed(decideCancel(monthly(), 'now', AT))), [])
})

test('a retry comes first, and the renewals keep their days', () => {
  assert.deepEqual(agenda(pastDue()), [
    'retry 2026-03-01 08:00 9.99 USD',
    'renewal 2026-03-31 08:00 9.99 USD',
    'renewal 2026-04-30 08:00 9.99 USD',
  ])
})

test('a membership that waits for another card is given up', () => {
  const waiting = fail(underCharge(), { kind: 'never', reason: 'No.' }).membership
  assert.deepEqual(agenda(waiting), ['give_up 2026-03-07 08:00'])
})

test('a charge under way counts as approved', () => {
  assert.deepEqual(agenda(underCharge()).slice(0, 1), ['renewal 2026-03-31 08:00 9.99 USD'])
})

test('a change of product is in the agenda, with its price, its days and its end', () => {
  const change = (to: ReturnType<typeof product>) =>
    allowed(decideChange(monthly(), { product: to, cardId: undefined }, AT))

  assert.deepEqual(agenda(change(product('1Y', { minor: 9_900n }))), [
    'renewal 2026-02-28 08:00 99.00 USD',
    'renewal 2027-02-28 08:00 99.00 USD',
    'renewal 2028-02-28 08:00 99.00 USD',
  ])
  assert.deepEqual(agenda(change(product('1Y', { minor: 9_900n, type: 'ends' }))), [
    'renewal 2026-02-28 08:00 99.00 USD',
    'end 2027-02-28 08:00',
  ])
})

test('an agenda stops with the calendar', () => {
  const rare = startMembership(product('9999Y'), CARD, utc('2026-01-31 08:00'))
  assert.equal(membershipAgenda(rare, 100).length, 27)
})

test('an agenda has no entry beyond its limit', () => {
  assert.deepEqual(membershipAgenda(monthly(), 0), [])
  assert.equal(membershipAgenda(monthly(), 500).length, 500)
})

function agenda(membership: Membership): string[] {
  return membershipAgenda(membership, 3).map(({ kind, at, amount }) => {
    const when = `${kind} ${shown(at)}`
    if (amount === null) return when
    return `${when} ${formatMinor(amount.minor, amount.currency)} ${amount.currency.code}`
  })
}
