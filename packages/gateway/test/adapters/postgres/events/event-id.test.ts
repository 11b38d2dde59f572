import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventId } from '../../../../src/adapters/postgres/events/feed-reader.ts'
import { maskText } from '../../../../src/base/card-masking.ts'

test('no event has an id that is cut down as a possible card number', () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => eventId({ position: `${at}`, salt: 'salt' }))
  assert.equal(new Set(ids).size, 5_000)
  for (const id of ids) assert.equal(maskText(id), id)
})
