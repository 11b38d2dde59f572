import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import {
  dayAfter,
  dayIn,
  isoIn,
  isTimeZone,
  momentIn,
  offsetIn,
  startOfDay,
  startOfMonth,
  timeIn,
  timeWithZone,
  timeZones,
} from '../src/time-zone.ts'

const HOUR_MS = 3_600_000
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]

/** How long a day is, in hours. */
function hoursOf(zone: string, day: string): number {
  return (startOfDay(zone, dayAfter(day, 1)).getTime() - startOfDay(zone, day).getTime()) / HOUR_MS
}

suite('days and times of a time zone', () => {
  test('a day of a change to or from daylight saving time has 23 or 25 hours', () => {
    assert.equal(hoursOf('Europe/Berlin', '2026-03-29'), 23)
    assert.equal(hoursOf('Europe/Berlin', '2026-10-25'), 25)
    assert.equal(hoursOf('America/Los_Angeles', '2026-03-08'), 23)
    assert.equal(hoursOf('America/Los_Angeles', '2026-11-01'), 25)
    assert.equal(hoursOf('Australia/Lord_Howe', '2026-04-05'), 24.5)
    assert.equal(hoursOf('UTC', '2026-03-29'), 24)
  })

  test('a day begins at its midnight, or when the clocks reach it', () => {
    const starts = (zone: string, day: string): string => startOfDay(zone, day).toISOString()

    assert.equal(starts('UTC', '2026-11-21'), '2026-11-21T00:00:00.000Z')
    assert.equal(starts('Europe/Berlin', '2026-03-29'), '2026-03-28T23:00:00.000Z')
    assert.equal(starts('Europe/Berlin', '2026-03-30'), '2026-03-29T22:00:00.000Z')
    assert.equal(starts('Asia/Kathmandu', '2026-11-21'), '2026-11-20T18:15:00.000Z')
    // Midnight is left out: the clocks go from 23:59:59 to 01:00.
    assert.equal(starts('Africa/Cairo', '2026-04-24'), '2026-04-23T22:00:00.000Z')
    assert.equal(
      timeIn('Africa/Cairo', startOfDay('Africa/Cairo', '2026-04-24')).slice(11),
      '01:00:00',
    )
    // The day is left out.
    assert.equal(starts('Pacific/Apia', '2011-12-30'), starts('Pacific/Apia', '2011-12-31'))
  })

  test('every moment is in the day that its start and the next start enclose', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.date({ min: new Date('2012-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
        (zone, at) => {
          const day = dayIn(zone, at)
          assert.ok(startOfDay(zone, day) <= at, `${zone} ${at.toISOString()}`)
          assert.ok(at < startOfDay(zone, dayAfter(day, 1)), `${zone} ${at.toISOString()}`)
          assert.equal(new Date(isoIn(zone, at)).getTime(), at.getTime())
        },
      ),
    )
  })

  test('a month begins with its first day, in any year', () => {
    const zone = 'Europe/Berlin'
    assert.equal(startOfMonth(zone, '2026-01-31', -1).toISOString(), '2025-11-30T23:00:00.000Z')
    assert.equal(startOfMonth(zone, '2026-10-31', 0).toISOString(), '2026-09-30T22:00:00.000Z')
  })

  test('a time has its offset, which differs between the two passes of a repeated hour', () => {
    const zone = 'Europe/Berlin'
    const first = new Date('2026-10-25T00:30:00.125Z')
    const second = new Date('2026-10-25T01:30:00.125Z')

    assert.equal(isoIn(zone, first), '2026-10-25T02:30:00.125+02:00')
    assert.equal(isoIn(zone, second), '2026-10-25T02:30:00.125+01:00')
    assert.equal(isoIn('UTC', first), '2026-10-25T00:30:00.125Z')
    assert.equal(timeIn(zone, first), timeIn(zone, second))
    assert.equal(offsetIn('America/Los_Angeles', first), '-07:00')
    assert.equal(offsetIn('Asia/Kathmandu', first), '+05:45')
  })

  test('a time of the clocks is a moment, and one that they leave out is the next that they show', () => {
    const of = (wall: string): string => momentIn('Europe/Berlin', wall).toISOString()

    assert.equal(of('2026-11-21T16:03'), '2026-11-21T15:03:00.000Z')
    assert.equal(of('2026-03-29T02:30'), '2026-03-29T01:00:00.000Z')
    assert.match(of('2026-10-25T02:30'), /^2026-10-25T0[01]:30:00.000Z$/)
  })

  test('names of zones are accepted, and offsets, abbreviations of POSIX and inventions are not', () => {
    for (const name of [...ZONES, 'Etc/GMT+3']) assert.ok(isTimeZone(name), name)
    for (const name of ['', '+01:00', 'europe/berlin', 'Mars/Olympus', 'FOO3BAR', "UTC'; select 1"])
      assert.ok(!isTimeZone(name), name)
    assert.ok(timeZones().every(isTimeZone))
    assert.equal(timeZones()[0], 'UTC')
  })

  test('a time with its zone names UTC, and has the offset of every other zone', () => {
    const at = new Date('2026-11-21T15:03:12.999Z')
    assert.equal(timeWithZone('UTC', at), '2026-11-21 15:03:12 UTC')
    assert.equal(timeWithZone('Europe/Berlin', at), '2026-11-21 16:03:12 +01:00')
    assert.equal(timeWithZone('America/St_Johns', at), '2026-11-21 11:33:12 -03:30')
  })

  test('the list of zones has UTC first, and each zone once', () => {
    const zones = timeZones()
    assert.equal(zones.indexOf('UTC'), 0)
    assert.equal(new Set(zones).size, zones.length)
    assert.ok(zones.includes('Europe/Berlin'))
  })

  test('names with a blank or a line end around them are no zones', () => {
    for (const name of [' Europe/Berlin', 'Europe/Berlin ', 'Europe/Berlin\n', '/Europe/Berlin']) {
      assert.ok(!isTimeZone(name), name)
    }
  })
})
