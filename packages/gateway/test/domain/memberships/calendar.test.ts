import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { InvariantError } from '../../../src/base/invariant.ts'
import { instantOfPeriod, periodAt } from '../../../src/domain/memberships/calendar.ts'
import type { Period, PeriodMetric } from '../../../src/domain/memberships/calendar.ts'

type Case = readonly [name: string, anchor: string, period: string, n: number, instant: string]

const CASES: readonly Case[] = [
  ['period 0 is the anchor', '2026-01-31T10:20:30.400Z', '1M', 0, '2026-01-31T10:20:30.400Z'],
  ['a day later', '2026-11-21T13:00:00Z', '1D', 1, '2026-11-22T13:00:00Z'],
  ['thirty days are no month', '2026-01-31T00:00:00Z', '30D', 1, '2026-03-02T00:00:00Z'],
  ['days pass a leap day', '2028-02-28T00:00:00Z', '1D', 2, '2028-03-01T00:00:00Z'],
  ['days pass the end of a year', '2026-12-31T23:59:59.999Z', '1D', 1, '2027-01-01T23:59:59.999Z'],
  ['31 January comes to 28 February', '2026-01-31T08:00:00Z', '1M', 1, '2026-02-28T08:00:00Z'],
  ['and to 31 March after that', '2026-01-31T08:00:00Z', '1M', 2, '2026-03-31T08:00:00Z'],
  ['and to 30 April after that', '2026-01-31T08:00:00Z', '1M', 3, '2026-04-30T08:00:00Z'],
  ['31 January comes to the 29th in 2028', '2028-01-31T08:00:00Z', '1M', 1, '2028-02-29T08:00:00Z'],
  ['30 January comes to 28 February', '2026-01-30T08:00:00Z', '1M', 1, '2026-02-28T08:00:00Z'],
  ['and to 30 March again', '2026-01-30T08:00:00Z', '1M', 2, '2026-03-30T08:00:00Z'],
  ['29 January comes to 28 February', '2026-01-29T08:00:00Z', '1M', 1, '2026-02-28T08:00:00Z'],
  ['28 February stays on the 28th', '2026-02-28T08:00:00Z', '1M', 1, '2026-03-28T08:00:00Z'],
  ['the end of June is no end of month', '2026-06-30T08:00:00Z', '1M', 1, '2026-07-30T08:00:00Z'],
  ['31 December comes to 31 January', '2026-12-31T08:00:00Z', '1M', 1, '2027-01-31T08:00:00Z'],
  ['quarters clamp', '2026-11-30T08:00:00Z', '3M', 1, '2027-02-28T08:00:00Z'],
  ['quarters keep their day', '2026-11-30T08:00:00Z', '3M', 2, '2027-05-30T08:00:00Z'],
  ['half a year from 31 August', '2026-08-31T08:00:00Z', '6M', 1, '2027-02-28T08:00:00Z'],
  ['twelve months are a year', '2026-05-31T08:00:00Z', '12M', 1, '2027-05-31T08:00:00Z'],
  ['29 February comes to 28 February', '2024-02-29T08:00:00Z', '1Y', 1, '2025-02-28T08:00:00Z'],
  ['and to the 29th four years later', '2024-02-29T08:00:00Z', '1Y', 4, '2028-02-29T08:00:00Z'],
  ['four years from 29 February', '2024-02-29T08:00:00Z', '4Y', 1, '2028-02-29T08:00:00Z'],
  ['2100 has no leap day', '2096-02-29T08:00:00Z', '4Y', 1, '2100-02-28T08:00:00Z'],
  ['and 2104 has one', '2096-02-29T08:00:00Z', '4Y', 2, '2104-02-29T08:00:00Z'],
  ['2400 has a leap day', '2396-02-29T08:00:00Z', '4Y', 1, '2400-02-29T08:00:00Z'],
  ['2000 had a leap day', '2000-01-31T00:00:00Z', '1M', 1, '2000-02-29T00:00:00Z'],
  ['1900 had none', '1900-01-31T00:00:00Z', '1M', 1, '1900-02-28T00:00:00Z'],
  ['days over 2100 count no leap day', '2100-02-28T08:00:00Z', '1D', 1, '2100-03-01T08:00:00Z'],
  ['the first instant of a year', '2026-01-01T00:00:00Z', '1Y', 1, '2027-01-01T00:00:00Z'],
  ['the last of one', '2026-12-31T23:59:59.999Z', '1Y', 1, '2027-12-31T23:59:59.999Z'],
  // The night of each change, at an hour that the zone's clocks leave out or show twice.
  ['New York leaves out an hour', '2026-03-07T07:30:00Z', '1D', 1, '2026-03-08T07:30:00Z'],
  ['New York has one twice', '2026-10-31T05:30:00Z', '1D', 1, '2026-11-01T05:30:00Z'],
  ['Berlin leaves out an hour', '2026-03-28T01:30:00Z', '1D', 1, '2026-03-29T01:30:00Z'],
  ['Berlin has one twice', '2026-10-24T00:30:00Z', '1D', 1, '2026-10-25T00:30:00Z'],
  ['a month over Sydney’s change', '2026-09-15T16:30:00Z', '1M', 1, '2026-10-15T16:30:00Z'],
  ['Apia left out 30 December 2011', '2011-12-29T12:00:00Z', '1D', 1, '2011-12-30T12:00:00Z'],
  ['a day of a second inserted', '2016-12-31T12:00:00Z', '1D', 1, '2017-01-01T12:00:00Z'],
  ['ten thousand years of days', '2026-11-21T13:00:00Z', '1D', 3_652_425, '12026-11-21T13:00:00Z'],
  ['ten thousand years of months', '2026-01-31T13:00:00Z', '1M', 120_001, '12026-02-28T13:00:00Z'],
  ['ten thousand years of years', '2024-02-29T13:00:00Z', '1Y', 10_000, '12024-02-29T13:00:00Z'],
  ['the longest period', '2026-02-28T13:00:00Z', '9999Y', 1, '12025-02-28T13:00:00Z'],
  ['9999 days', '2026-11-21T13:00:00Z', '9999D', 1, '2054-04-07T13:00:00Z'],
  ['before 1970', '1969-10-31T06:00:00Z', '1M', 4, '1970-02-28T06:00:00Z'],
]

for (const [name, anchor, period, n, instant] of CASES) {
  test(`the calendar: ${name}`, () => {
    assert.equal(show(instantOfPeriod(new Date(anchor), read(period), n)), show(readYear(instant)))
  })
}

const ZONES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC']

test('the machine’s time zone moves no instant', () => {
  const before = process.env['TZ']
  try {
    const seen = ZONES.map((zone) => {
      process.env['TZ'] = zone
      return CASES.map(([, anchor, period, n]) =>
        show(instantOfPeriod(new Date(anchor), read(period), n)),
      )
    })
    for (const instants of seen) assert.deepEqual(instants, seen[0])
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})

test('after the end of the calendar there is no instant, and never a wrong one', () => {
  const anchor = new Date('2026-11-21T00:00:00Z')
  assert.notEqual(instantOfPeriod(anchor, read('9999Y'), 27), null)
  for (const period of ['9999Y', '9999M', '9999D']) {
    assert.equal(instantOfPeriod(anchor, read(period), 100_000_000), null)
    assert.equal(instantOfPeriod(anchor, read(period), Number.MAX_SAFE_INTEGER), null)
  }
  assert.equal(instantOfPeriod(new Date(8.64e15), read('1D'), 1), null)
  assert.equal(instantOfPeriod(new Date(8.64e15), read('1M'), 1), null)
  assert.equal(periodAt(anchor, read('9999Y'), new Date(8.64e15)), 27)
})

const MISTAKES: readonly (readonly [what: string, length: number, n: number])[] = [
  ['no length', 0, 1],
  ['a length below zero', -1, 1],
  ['a length past the longest', 10_000, 1],
  ['part of a unit', 1.5, 1],
  ['part of a period', 1, 0.5],
  ['a period before the first', 1, -1],
]

for (const [what, length, n] of MISTAKES) {
  test(`the calendar does not go on with ${what}`, () => {
    assert.throws(
      () => instantOfPeriod(new Date('2026-01-01T00:00:00Z'), { metric: 'D', length }, n),
      InvariantError,
    )
  })
}

const anyAnchor = fc.date({
  min: new Date('1990-01-01T00:00:00Z'),
  max: new Date('2999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const anyPeriod: fc.Arbitrary<Period> = fc.record({
  metric: fc.constantFrom<PeriodMetric>('D', 'M', 'Y'),
  length: fc.integer({ min: 1, max: 400 }),
})
const anyCount = fc.integer({ min: 0, max: 120 })

test('each period begins after the one before it', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, anyCount, (anchor, period, n) => {
      assert.ok(at(anchor, period, n + 1).getTime() > at(anchor, period, n).getTime())
    }),
  )
})

test('months and years keep the anchor’s day and time, or take the last day of the month', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, anyCount, (anchor, period, n) => {
      fc.pre(period.metric !== 'D')
      const instant = at(anchor, period, n)
      const dayAfter = new Date(instant.getTime() + 86_400_000)

      assert.equal(instant.toISOString().slice(-13), anchor.toISOString().slice(-13))
      if (instant.getUTCDate() === anchor.getUTCDate()) return
      assert.ok(instant.getUTCDate() < anchor.getUTCDate())
      assert.equal(dayAfter.getUTCDate(), 1)
    }),
  )
})

test('months and years count months, with none left out and none twice', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, anyCount, (anchor, period, n) => {
      fc.pre(period.metric !== 'D')
      const months = n * period.length * (period.metric === 'Y' ? 12 : 1)
      assert.equal(monthNumber(at(anchor, period, n)) - monthNumber(anchor), months)
    }),
  )
})

test('days are 24 hours each', () => {
  fc.assert(
    fc.property(anyAnchor, fc.integer({ min: 1, max: 9_999 }), anyCount, (anchor, length, n) => {
      const instant = at(anchor, { metric: 'D', length }, n)
      assert.equal(instant.getTime() - anchor.getTime(), n * length * 86_400_000)
    }),
  )
})

test('n periods are n steps of one, counted from the anchor', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, fc.integer({ min: 1, max: 24 }), (anchor, period, n) => {
      const atOnce = { metric: period.metric, length: period.length * n }
      assert.deepEqual(at(anchor, atOnce, 1), at(anchor, period, n))
    }),
  )
})

test('up to the 28th, a step from an instant is a step from the anchor', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, anyCount, (anchor, period, n) => {
      fc.pre(anchor.getUTCDate() <= 28)
      assert.deepEqual(at(at(anchor, period, n), period, 1), at(anchor, period, n + 1))
    }),
  )
})

test('the period under way has started, and the next one has not', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, anyAnchor, (anchor, period, instant) => {
      fc.pre(instant.getTime() >= anchor.getTime())
      const n = periodAt(anchor, period, instant)

      assert.ok(at(anchor, period, n).getTime() <= instant.getTime())
      assert.ok(at(anchor, period, n + 1).getTime() > instant.getTime())
    }),
  )
})

test('a period is under way from its first millisecond', () => {
  fc.assert(
    fc.property(anyAnchor, anyPeriod, fc.integer({ min: 1, max: 120 }), (anchor, period, n) => {
      const begins = at(anchor, period, n)
      assert.equal(periodAt(anchor, period, begins), n)
      assert.equal(periodAt(anchor, period, new Date(begins.getTime() - 1)), n - 1)
    }),
  )
})

test('before the anchor the first period is under way', () => {
  const anchor = new Date('2026-11-21T00:00:00Z')
  assert.equal(periodAt(anchor, read('1D'), new Date('2020-01-01T00:00:00Z')), 0)
})

function at(anchor: Date, period: Period, n: number): Date {
  const instant = instantOfPeriod(anchor, period, n)
  assert.ok(instant)
  return instant
}

function monthNumber(instant: Date): number {
  return instant.getUTCFullYear() * 12 + instant.getUTCMonth()
}

function read(text: string): Period {
  const match = /^(\d+)([DMY])$/.exec(text)
  assert.ok(match)
  return { metric: match[2] as PeriodMetric, length: Number(match[1]) }
}

/** A year of five digits needs a sign and six in what a Date reads. */
function readYear(text: string): Date {
  return new Date(/^\d{5}-/.test(text) ? `+0${text}` : text)
}

function show(instant: Date | null): string {
  return instant === null ? 'none' : instant.toISOString()
}
