import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCursor, writeCursor } from '../../../src/domain/events/feed-cursor.ts'
import { judgeCursor, type FeedBounds } from '../../../src/domain/events/judge-cursor.ts'

const BOUNDS: FeedBounds = {
  epoch: 2,
  last: 120n,
  beforeOldest: 40n,
  firstOfEpoch: new Map([
    [1, 1n],
    [2, 101n],
  ]),
}

for (const [name, epoch, position, verdict] of [
  ['at the end of the feed is good', 2, 120n, { kind: 'good' }],
  ['before the oldest event is good', 2, 40n, { kind: 'good' }],
  ['behind which events were dropped has expired', 2, 39n, { kind: 'expired', position: 40n }],
  ['beyond the end is of another history', 2, 121n, { kind: 'forked', position: 120n }],
  ['of the epoch before, where that ended, is good', 1, 100n, { kind: 'good' }],
  ['of the epoch before, beyond its end, is forked', 1, 101n, { kind: 'forked', position: 100n }],
  ['of an epoch to come is of a lost history', 3, 110n, { kind: 'forked', position: 100n }],
  ['of an epoch to come, before it parted, is good', 3, 99n, { kind: 'good' }],
] as const) {
  test(`a cursor ${name}`, () => {
    assert.deepEqual(judgeCursor({ epoch, position }, BOUNDS), verdict)
  })
}

test('a cursor in front of a feed without events is good', () => {
  const empty = { epoch: 0, last: 0n, beforeOldest: 0n, firstOfEpoch: new Map<number, bigint>() }
  assert.deepEqual(judgeCursor({ epoch: 0, position: 0n }, empty), { kind: 'good' })
})

test('a feed whose first epoch began takes the cursors from before it', () => {
  const begun = { epoch: 1, last: 5n, beforeOldest: 0n, firstOfEpoch: new Map([[1, 1n]]) }
  assert.deepEqual(judgeCursor({ epoch: 0, position: 0n }, begun), { kind: 'good' })
})

test('a cursor reads back as it was written, and every other text is none', () => {
  const cursor = { epoch: 7, position: 123_456_789_012n, filter: 'Ab_9-x' }
  const text = writeCursor(cursor)
  assert.match(text, /^[\w-]+$/)
  assert.deepEqual(readCursor(text), cursor)
  for (const other of [
    '',
    'x',
    `${text}=`,
    ` ${text}`,
    Buffer.from('2.7.1.Ab').toString('base64url'),
    Buffer.from('1.7.-1.Ab').toString('base64url'),
    Buffer.from('1.7.1.').toString('base64url'),
  ]) {
    assert.equal(readCursor(other), null, other)
  }
})
