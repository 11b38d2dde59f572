import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import {
  bankDaysBetween,
  isBankDay,
  latestDayBefore,
} from '../../../src/domain/settlement/bank-days.ts'
import { daysOfReferences } from '../../../src/domain/settlement/reference-days.ts'

test('euros are settled on no closing day of TARGET, and dollars on some of them', () => {
  // The closing days of 2026 and 2027 as the European Central Bank publishes them.
  const closed = [
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-12-25',
    '2027-03-26',
  ]
  assert.deepEqual(
    closed.filter((day) => isBankDay(day, 'EUR')),
    [],
  )
  assert.deepEqual(
    closed.filter((day) => isBankDay(day, 'USD')),
    closed,
  )
  assert.equal(isBankDay('2027-03-29', 'EUR'), false)
  assert.equal(isBankDay('2026-11-21', 'USD'), false)
  assert.equal(isBankDay('2028-02-29', 'EUR'), true)
})

test('a weekend adds no bank day to an age', () => {
  assert.equal(bankDaysBetween('2026-11-19', '2026-11-19', 'EUR'), 0)
  assert.equal(bankDaysBetween('2026-11-20', '2026-11-23', 'EUR'), 1)
  assert.equal(bankDaysBetween('2026-12-24', '2026-12-28', 'EUR'), 1)
  assert.equal(bankDaysBetween('2026-11-23', '2026-11-20', 'EUR'), 0)
})

test('the latest day before a deadline is older than the deadline by one bank day, and no more', () => {
  const day = fc
    .integer({ min: 0, max: 4000 })
    .map((count) => new Date(Date.UTC(2026, 0, 1 + count)).toISOString().slice(0, 10))
  fc.assert(
    fc.property(
      day,
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom('EUR', 'USD'),
      (to, days, currency) => {
        const latest = latestDayBefore(to, days, currency)
        const next = new Date(Date.parse(latest) + 86_400_000).toISOString().slice(0, 10)
        assert.equal(bankDaysBetween(latest, to, currency), days + 1)
        assert.equal(bankDaysBetween(next, to, currency), days)
      },
    ),
  )
})

test('a reference number of the last ten years names its day, with the days around it', () => {
  assert.deepEqual(daysOfReferences(['6323'], '2026-11-20'), [
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
  ])
  assert.deepEqual(daysOfReferences(['5365'], '2026-01-02'), [
    '2025-12-30',
    '2025-12-31',
    '2026-01-01',
  ])
  assert.deepEqual(daysOfReferences(['7001'], '2026-11-20'), [
    '2016-12-31',
    '2017-01-01',
    '2017-01-02',
  ])
})
