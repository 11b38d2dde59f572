import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { readListCursor, writeListCursor } from '../../../src/domain/queries/list-cursor.ts'

const micros = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n })
const cursors = fc.record({
  filter: fc.stringMatching(/^[\w-]{1,32}$/),
  watermark: micros,
  completeMicros: fc.option(micros),
  atMicros: micros,
  id: fc.bigInt({ min: 0n, max: 10n ** 17n }),
})

test('every cursor is read as it was written', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      assert.deepEqual(readListCursor(writeListCursor(cursor)), { ...cursor })
    }),
  )
})

test('a text that was changed at one place is another cursor or none', () => {
  fc.assert(
    fc.property(cursors, fc.nat(), fc.constantFrom('A', 'z', '9', '='), (cursor, at, letter) => {
      const text = writeListCursor(cursor)
      const place = at % text.length
      const changed = text.slice(0, place) + letter + text.slice(place + 1)
      const read = readListCursor(changed)
      if (read !== null) assert.equal(writeListCursor(read), changed)
    }),
  )
})

test('a cursor of the feed is no cursor of a list', () => {
  assert.equal(readListCursor(Buffer.from('1.1.25.filter').toString('base64url')), null)
})
