import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDuration, parseIsoDuration } from '../../../src/domain/clocks/iso-duration.ts'

for (const [from, text, to] of [
  ['2026-11-21T12:00:00.000Z', 'P1D', '2026-11-22T12:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', 'P1D', '2027-01-01T23:59:59.999Z'],
  ['2026-01-31T08:00:00.000Z', 'P1M', '2026-02-28T08:00:00.000Z'],
  ['2028-01-31T08:00:00.000Z', 'P1M', '2028-02-29T08:00:00.000Z'],
  ['2028-02-29T00:00:00.000Z', 'P1Y', '2029-02-28T00:00:00.000Z'],
  ['2026-01-31T00:00:00.000Z', 'P1Y2M3DT4H5M6S', '2027-04-03T04:05:06.000Z'],
  ['2026-01-01T00:00:00.000Z', 'P2W', '2026-01-15T00:00:00.000Z'],
  ['2026-01-01T00:00:00.000Z', 'PT36H', '2026-01-02T12:00:00.000Z'],
  ['2026-03-29T00:30:00.000Z', 'PT2H', '2026-03-29T02:30:00.000Z'],
  ['2026-01-01T00:00:00.000Z', 'P10Y', '2036-01-01T00:00:00.000Z'],
  ['9998-12-31T23:59:59.000Z', 'P1Y', '9999-12-31T23:59:59.000Z'],
] as const) {
  test(`${text} after ${from} is ${to}`, () => {
    const duration = parseIsoDuration(text)
    assert.ok(duration !== null)
    assert.equal(addDuration(new Date(from), duration)?.toISOString(), to)
  })
}

for (const text of [
  '',
  'P',
  'PT',
  'P1',
  '1D',
  'P1DT',
  'P-1D',
  '-P1D',
  'P1.5D',
  'p1d',
  'P1D ',
  'P1S',
  'PT1D',
  'P1M1Y',
  'P0D',
  'P9999999D',
]) {
  test(`"${text}" is no length of time`, () => {
    assert.equal(parseIsoDuration(text), null)
  })
}

test('a sum after the year 9999 is invalid', () => {
  assert.equal(
    addDuration(new Date('2026-01-01T00:00:00Z'), { months: 0, days: 999_999 * 4, seconds: 0 }),
    null,
  )
})

test('each part of a length of time counts for itself alone', () => {
  for (const [text, months, days, seconds] of [
    ['P1Y', 12, 0, 0],
    ['P1M', 1, 0, 0],
    ['P1W', 0, 7, 0],
    ['P1D', 0, 1, 0],
    ['PT1H', 0, 0, 3_600],
    ['PT1M', 0, 0, 60],
    ['PT1S', 0, 0, 1],
  ] as const) {
    assert.deepEqual(parseIsoDuration(text), { months, days, seconds }, text)
  }
})

test('the first second of the year 10000 is invalid, and so is an impossible sum', () => {
  const last = new Date('9999-12-31T23:59:59Z')
  assert.equal(addDuration(last, { months: 0, days: 0, seconds: 1 }), null)
  assert.equal(addDuration(last, { months: 0, days: 999_999_999, seconds: 0 }), null)
  assert.equal(addDuration(last, { months: 0, days: 0, seconds: 0 })?.getTime(), last.getTime())
})
