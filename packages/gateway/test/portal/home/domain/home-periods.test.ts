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
  const [today, yesterday, month] = periodsAt(new Date('2026-11-21T16:30Z'))

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
  const month = periodsAt(new Date('2027-03-31T10:00Z'))[2]

  assert.equal(month && text(month.before), '2027-02-01T00:00 2027-03-01T00:00')
})

test('the points of a chart are in sequence, and now is in the last one', () => {
  for (const now of [
    new Date('2026-11-21T16:30Z'),
    new Date('2024-02-29T23:59:59.999Z'),
    new Date('2027-01-01T00:00Z'),
  ]) {
    for (const range of CHART_RANGES) {
      const { starts, unit } = chartPoints(range, now)
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
