import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideTimeZone } from '../../../src/domain/merchants/time-zone-change.ts'

const FACTS = { before: 'UTC', seen: 'UTC', wanted: 'Europe/Berlin', isKnown: true }

test('a merchant gets a known time zone', () => {
  assert.deepEqual(decideTimeZone(FACTS), { ok: true, changed: true })
})

test('the time zone that a merchant has already is no change', () => {
  assert.deepEqual(decideTimeZone({ ...FACTS, wanted: 'UTC' }), { ok: true, changed: false })
})

test('an unknown time zone is refused at its field', () => {
  const decided = decideTimeZone({ ...FACTS, isKnown: false })
  assert.ok(!decided.ok)
  assert.match(JSON.stringify(decided), /"timeZone"/)
  assert.match(JSON.stringify(decided), /not known/)
})

test('a change by an outdated page is refused with the zone of now', () => {
  const decided = decideTimeZone({ ...FACTS, before: 'Asia/Tokyo' })
  assert.ok(!decided.ok)
  assert.match(JSON.stringify(decided), /changed to Asia\/Tokyo meanwhile/)
})
