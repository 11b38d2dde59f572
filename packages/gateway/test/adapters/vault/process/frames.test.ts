import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/properties.ts'
import {
  OPERATIONS,
  createFrameReader,
  FRAME_BYTES_MAX,
  MalformedFrameError,
  readAnswers,
  readRequests,
  STATUSES,
  writeAnswers,
  writeRequests,
} from '../../../../src/adapters/vault/process/frames.ts'

const UINT32 = fc.nat(0xffff_ffff)
const ID = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const PLAIN = { noNullPrototype: true }
const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each))
const request = fc.record(
  {
    sequence: UINT32,
    operation: fc.constantFrom(...OPERATIONS),
    kind: fc.nat(255),
    id: ID,
    merchantId: ID,
    name: fc.string({ unit: 'grapheme', maxLength: 50 }),
    content: bytes,
  },
  PLAIN,
)
const answer = fc.record(
  {
    sequence: UINT32,
    status: fc.constantFrom(...STATUSES),
    dataKeyId: UINT32,
    content: bytes,
  },
  PLAIN,
)

/** The bodies that a reader finds in a stream cut at these places. */
function bodiesOf(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const found: Buffer[] = []
  const read = createFrameReader(
    () => FRAME_BYTES_MAX,
    (body) => found.push(Buffer.from(body)),
  )
  const places = [0, ...cuts.map((cut) => cut % stream.length), stream.length].toSorted(
    (left, right) => left - right,
  )
  for (const [index, from] of places.entries()) read(stream.subarray(from, places[index + 1]))
  return found
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 8 })

test('requests and answers come out as they went in, wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 5 }), cuts, (sent, at) => {
      assert.deepEqual(bodiesOf(writeRequests(sent), at).flatMap(readRequests), sent)
    }),
  )
  fc.assert(
    fc.property(fc.array(answer, { minLength: 1, maxLength: 5 }), cuts, (sent, at) => {
      assert.deepEqual(bodiesOf(writeAnswers(sent), at).flatMap(readAnswers), sent)
    }),
  )
})

test('any other bytes are read as messages or refused, and nothing else happens', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      for (const read of [readRequests, readAnswers]) {
        try {
          read(Buffer.from(random))
        } catch (error) {
          assert.ok(error instanceof MalformedFrameError)
        }
      }
    }),
  )
})

test('more requests than a frame may hold travel in several frames', () => {
  const content = Buffer.alloc(100_000)
  const one = { operation: 'seal', kind: 0, id: 1n, merchantId: 1n, name: 'x', content } as const
  const sent = Array.from({ length: 25 }, (_, sequence) => ({ ...one, sequence }))
  const bodies = bodiesOf(writeRequests(sent), [])
  assert.equal(bodies.length, 3)
  assert.deepEqual(bodies.flatMap(readRequests), sent)
})
