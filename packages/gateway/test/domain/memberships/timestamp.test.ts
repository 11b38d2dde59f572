import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMembershipTimestamp } from '../../../src/domain/memberships/timestamp.ts'

const SHOWN: readonly (readonly [instant: string, text: string])[] = [
  ['2024-06-28T22:00:59Z', 'June, 28 2024 22:00:59'],
  ['2026-01-01T00:00:00Z', 'January, 01 2026 00:00:00'],
  ['2026-02-09T09:08:07Z', 'February, 09 2026 09:08:07'],
  ['2026-03-31T10:00:00Z', 'March, 31 2026 10:00:00'],
  ['2026-04-30T10:00:00Z', 'April, 30 2026 10:00:00'],
  ['2026-05-10T10:00:00Z', 'May, 10 2026 10:00:00'],
  ['2026-07-04T10:00:00Z', 'July, 04 2026 10:00:00'],
  ['2026-08-15T10:00:00Z', 'August, 15 2026 10:00:00'],
  ['2026-09-15T10:00:00Z', 'September, 15 2026 10:00:00'],
  ['2026-10-25T01:30:00Z', 'October, 25 2026 01:30:00'],
  ['2026-11-21T13:22:35Z', 'November, 21 2026 13:22:35'],
  ['2026-12-31T23:59:59.999Z', 'December, 31 2026 23:59:59'],
  ['+012026-11-21T13:00:00Z', 'November, 21 12026 13:00:00'],
]

for (const [instant, text] of SHOWN) {
  test(`${instant} is shown as ${text}`, () => {
    assert.equal(formatMembershipTimestamp(new Date(instant)), text)
  })
}
