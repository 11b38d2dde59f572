import { CHART_RANGES } from '@tollgate/portal-contract/chart-ranges'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chartPoints,
  periodsAt,
  type HomePeriod,
} from '../../../../src/portal/home/domain/home-periods.ts'

const text = ({ from, to }: HomePeriod): string =>
  `${from.toISOString().slice(0, 16)} ${to.toISOString().slice(0, 16)}`

test('today until now is beside yesterday until the same time, and the month beside as much of the last', () => {
  const [today, yesterday, month] = periodsAt(new Date('2026-11-21T16:30Z'), 'UTC')

  assert.ok(today && yesterday && month)
  assert.deepEqual(
    [
      text(today),
      text(today.before),
      text(yesterday),
      text(yesterday.before),
      text(month),
      text(month.before),
    ],
    [
      '2026-11-21T00:00 2026-11-21T16:30',
      '2026-11-20T00:00 2026-11-20T16:30',
      '2026-11-20T00:00 2026-11-21T00:00',
      '2026-11-19T00:00 2026-11-20T00:00',
      '2026-11-01T00:00 2026-11-21T16:30',
      '2026-10-01T00:00 2026-10-21T16:30',
    ],
  )
})

test('on the last day of March the month is beside all of February, and no day of March', () => {
  const month = periodsAt(new Date('2027-03-31T10:00Z'), 'UTC')[2]

  assert.equal(month && text(month.before), '2027-02-01T00:00 2027-03-01T00:00')
})

test('the points of a chart are in sequence, and now is in the last one', () => {
  for (const now of [
    new Date('2026-11-21T16:30Z'),
    new Date('2024-02-29T23:59:59.999Z'),
    new Date('2027-01-01T00:00Z'),
  ]) {
    for (const range of CHART_RANGES) {
      const { starts, unit } = chartPoints(range, now, 'UTC')
      assert.equal(
        new Set(starts.map(Number)).size,
        { '24h': 24, '7d': 168, '30d': 30, '12m': 12 }[range],
      )
      assert.deepEqual(
        starts.toSorted((left, right) => Number(left) - Number(right)),
        starts,
      )
      const last = starts.at(-1)
      assert.ok(last !== undefined && last <= now)
      const length = { hour: 3_600_000, day: 86_400_000, month: 31 * 86_400_000 }[unit]
      assert.ok(now.getTime() - last.getTime() < length, `${range} at ${now.toISOString()}`)
    }
  }
})

test('days of a zone are compared as long as they are, where the clocks change', () => {
  const [today, yesterday] = periodsAt(new Date('2026-10-26T22:30Z'), 'Europe/Berlin')
  const [late] = periodsAt(new Date('2026-03-30T21:30Z'), 'Europe/Berlin')

  assert.ok(today && yesterday && late)
  assert.deepEqual(
    [text(today), text(today.before), text(yesterday)],
    [
      '2026-10-25T23:00 2026-10-26T22:30',
      '2026-10-24T22:00 2026-10-25T21:30',
      '2026-10-24T22:00 2026-10-25T23:00',
    ],
  )
  // The day before had 23 hours: as much of it as there was.
  assert.equal(text(late.before), '2026-03-28T23:00 2026-03-29T22:00')
})

test('the days and months of a chart begin at midnight of the zone, on both sides of a change', () => {
  const days = chartPoints('30d', new Date('2026-11-10T12:00Z'), 'America/New_York').starts
  const months = chartPoints('12m', new Date('2026-11-10T12:00Z'), 'Asia/Kathmandu').starts

  assert.equal(days[0]?.toISOString(), '2026-10-12T04:00:00.000Z')
  assert.equal(days.at(-1)?.toISOString(), '2026-11-10T05:00:00.000Z')
  assert.equal(months.at(-1)?.toISOString(), '2026-10-31T18:15:00.000Z')
})
