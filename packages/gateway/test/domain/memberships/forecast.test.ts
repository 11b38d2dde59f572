import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency, type Currency } from '../../../src/domain/currency.ts'
import { createForecast, type ForecastDay } from '../../../src/domain/memberships/forecast.ts'
import {
  startMembership,
  type Membership,
  type MembershipProduct,
} from '../../../src/domain/memberships/membership.ts'
import { concludeCharge, decideDue } from '../../../src/domain/memberships/renewal.ts'
import { decideCancel, decideChange } from '../../../src/domain/memberships/requested-changes.ts'

const USD = findCurrency('USD') as Currency
const NOW = new Date('2030-01-31T10:00:00Z')
const UNTIL = new Date('2030-03-02T10:00:00Z')

function product(
  productId: string,
  minor: bigint,
  metric: 'D' | 'M',
  length: number,
  type: 'ends' | 'renews' = 'renews',
): MembershipProduct {
  return { productId, type, period: { metric, length }, price: { minor, currency: USD } }
}

const DAILY = product('daily', 100n, 'D', 1)
const MONTHLY = product('monthly', 1000n, 'M', 1)

function daysOf(...memberships: readonly Membership[]): readonly ForecastDay[] {
  const forecast = createForecast(NOW, UNTIL)
  for (const membership of memberships) forecast.add(membership)
  return forecast.days()
}

function sumOf(days: readonly ForecastDay[]): bigint {
  return days.reduce((sum, { charges }) => sum + (charges.get('USD')?.minor ?? 0n), 0n)
}

test('a daily membership is forecast for every day, a monthly one for the last day of a short month', () => {
  const days = daysOf(startMembership(DAILY, 1n, NOW), startMembership(MONTHLY, 1n, NOW))
  assert.equal(days.length, 30)
  assert.equal(sumOf(days), 4_000n)
  assert.deepEqual(days.find(({ day }) => day === '2030-02-28')?.charges.get('USD'), {
    renewals: 2,
    retries: 0,
    minor: 1_100n,
  })
})

test('another product applies from the renewal that it was set for, and renews by its own period', () => {
  const changed = decideChange(
    startMembership(MONTHLY, 1n, new Date('2030-01-10T10:00:00Z')),
    { product: DAILY, cardId: undefined },
    NOW,
  )
  assert.equal(changed.kind, 'allowed')
  const days = changed.kind === 'allowed' ? daysOf(changed.membership) : []
  assert.deepEqual(
    [days[0]?.day, days.at(-1)?.day, sumOf(days)],
    ['2030-02-10', '2030-03-02', 2_100n],
  )
})

test('one that is to be cancelled, and one that ends, charge nothing and are counted as ends', () => {
  const cancelled = decideCancel(startMembership(MONTHLY, 1n, NOW), 'at_rebill', NOW)
  assert.equal(cancelled.kind, 'allowed')
  const ends = startMembership(product('pass', 500n, 'D', 10, 'ends'), 1n, NOW)
  const days = daysOf(ends, ...(cancelled.kind === 'allowed' ? [cancelled.membership] : []))
  assert.deepEqual(
    days.map(({ day, ends: count, charges }) => [day, count, charges.size]),
    [
      ['2030-02-10', 1, 0],
      ['2030-02-28', 1, 0],
    ],
  )
})

test('a retry is counted as one, and an overdue renewal counts for today', () => {
  const due = decideDue(
    startMembership(MONTHLY, 1n, new Date('2029-12-28T10:00:00Z')),
    new Date('2030-01-28T10:00:00Z'),
    'each',
  )
  assert.equal(due.kind, 'charge')
  if (due.kind !== 'charge') return
  const failed = concludeCharge(
    due.membership,
    {
      kind: 'failed',
      retry: { kind: 'allowed', at: new Date('2030-01-29T10:00:00Z'), reason: '' },
    },
    [1, 3],
  ).membership
  const days = daysOf(failed)
  assert.deepEqual(
    days.map(({ day, charges }) => [day, charges.get('USD')]),
    [
      ['2030-01-31', { renewals: 0, retries: 1, minor: 1_000n }],
      ['2030-02-28', { renewals: 1, retries: 0, minor: 1_000n }],
    ],
  )
  // A charge under way counts as approved, and is not forecast again.
  assert.equal(sumOf(daysOf(due.membership)), 1_000n)
})
