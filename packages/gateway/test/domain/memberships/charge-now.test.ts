import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import { withChargeNow } from '../../../src/domain/memberships/charge-now.ts'
import { overAsOf, startMembership } from '../../../src/domain/memberships/membership.ts'
import { concludeCharge, decideDue } from '../../../src/domain/memberships/renewal.ts'

const AT = new Date('2026-01-31T12:00:00Z')
const NOW = new Date('2026-02-10T12:00:00Z')
const currency = findCurrency('USD')
assert.ok(currency !== null)
const MONTHLY = {
  productId: 'gold',
  type: 'renews',
  period: { metric: 'M', length: 1 },
  price: { currency, minor: 1000n },
} as const

test('a membership that is made due is charged now, and its next period ends a month later', () => {
  const due = withChargeNow(startMembership(MONTHLY, 1n, AT), NOW)
  assert.ok(due !== null)
  // None of the periods that are counted from now is paid yet.
  assert.equal(due.period, -1)
  const charge = decideDue(due, NOW, 'once')
  assert.equal(charge.kind, 'charge')
  const { membership } = concludeCharge(charge.membership, { kind: 'approved' }, [])
  assert.deepEqual(membership.next, { kind: 'renewal', at: new Date('2026-03-10T12:00:00Z') })
  assert.equal(membership.period, 0)
})

test('nothing is made due where no charge follows', () => {
  const membership = startMembership(MONTHLY, 1n, AT)
  assert.equal(withChargeNow(overAsOf(membership, 'cancelled', AT), NOW), null)
  assert.equal(withChargeNow(startMembership({ ...MONTHLY, type: 'ends' }, 1n, AT), NOW), null)
  const charging = decideDue(membership, new Date('2026-02-28T12:00:00Z'), 'each')
  assert.equal(charging.kind, 'charge')
  assert.equal(withChargeNow(charging.membership, NOW), null)
})

test('a membership that is due already keeps the period that it is due for', () => {
  const membership = startMembership(MONTHLY, 1n, AT)
  const later = new Date('2026-03-05T12:00:00Z')
  assert.equal(withChargeNow(membership, later), membership)
})
