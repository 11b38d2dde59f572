import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comingYear, expiryThisMonth, monthBefore, msUntilMidnight } from '../support/dates.ts'

test('a year that has come near is put off by four, so that leap years lie as before', () => {
  const years = ['2026-11-22', '2028-12-31', '2029-01-01', '2033-01-01', '2040-06-01'].map((day) =>
    comingYear(2030, new Date(day)),
  )
  assert.deepEqual(years, [2030, 2030, 2034, 2038, 2042])
})

test('a card that expires this month is good tomorrow, on the last day of a month and of a year too', () => {
  const months = ['2026-11-22', '2026-11-30', '2026-12-31'].map((day) =>
    expiryThisMonth(new Date(`${day}T23:59:59Z`)),
  )
  assert.deepEqual(months, ['112026', '122026', '012027'])
})

test('the month before one with more days ends at its own last day', () => {
  const before = ['2026-03-31', '2028-03-30', '2026-12-31', '2026-01-15'].map((day) =>
    monthBefore(new Date(`${day}T10:00:00Z`)).toISOString(),
  )
  assert.deepEqual(before, [
    '2026-02-28T10:00:00.000Z',
    '2028-02-29T10:00:00.000Z',
    '2026-11-30T10:00:00.000Z',
    '2025-12-15T10:00:00.000Z',
  ])
})

test('a minute before midnight a minute is left', () => {
  assert.equal(msUntilMidnight(new Date('2026-11-22T23:59:00Z')), 60_000)
})
