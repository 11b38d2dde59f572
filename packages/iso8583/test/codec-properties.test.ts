import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import { Iso8583Error } from '../src/index.ts'
import type { Codec } from '../src/index.ts'
import { anyMessage } from './message-arbitraries.ts'
import { CODECS, anAuthorization, between, seededRandom } from './support.ts'

const MUTATIONS = 100_000

for (const codec of CODECS) {
  const { name } = codec.profile

  test(`${name}: decoding an encoded message returns the same message`, () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        assert.deepEqual(codec.decode(codec.encode(message)), message)
      }),
      { numRuns: 500 },
    )
  })

  test(`${name}: a message cut off at any byte is refused`, () => {
    const bytes = codec.encode(anAuthorization('1', { 38: 'A1B2C3', 90: '0'.repeat(42) }))
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => codec.decode(bytes.subarray(0, length)), truncated, `at ${length} bytes`)
    }
  })

  test(`${name}: a message cut off anywhere is refused, whichever fields it has`, () => {
    fc.assert(
      fc.property(anyMessage, fc.double({ min: 0, max: 1, noNaN: true }), (message, part) => {
        const bytes = codec.encode(message)
        const length = Math.min(bytes.length - 1, Math.floor(bytes.length * part))
        assert.throws(() => codec.decode(bytes.subarray(0, length)), truncated)
      }),
      { numRuns: 500 },
    )
  })

  test(`${name}: bytes after the last field are refused`, () => {
    fc.assert(
      fc.property(anyMessage, fc.uint8Array({ minLength: 1, maxLength: 4 }), (message, more) => {
        const bytes = Buffer.concat([codec.encode(message), more])
        assert.throws(() => codec.decode(bytes), { code: 'message_trailing_bytes' })
      }),
      { numRuns: 300 },
    )
  })

  test(`${name}: damaged bytes are refused by the codec's own error or have one spelling`, () => {
    const accepted = damageMessages(codec)
    // Most damage changes one digit into another, which no codec can notice.
    assert.ok(accepted > MUTATIONS / 100, `only ${accepted} damaged messages were accepted`)
    assert.ok(accepted < MUTATIONS, 'no damaged message was refused')
  })
}

function truncated(error: unknown): boolean {
  return error instanceof Iso8583Error && error.code === 'message_truncated'
}

/** How many of the damaged messages were accepted. Each of those must encode to itself. */
function damageMessages(codec: Codec): number {
  const random = seededRandom(8583)
  const samples = fc.sample(anyMessage, { numRuns: 200, seed: 8583 }).map(codec.encode)
  let accepted = 0
  for (let count = 0; count < MUTATIONS; count++) {
    const sample = samples[count % samples.length]
    assert.ok(sample)
    const bytes = damaged(sample, random)
    try {
      const message = codec.decode(bytes)
      accepted += 1
      assert.ok(codec.encode(message).equals(bytes), 'an accepted message has two spellings')
    } catch (error) {
      if (!(error instanceof Iso8583Error)) throw error
    }
  }
  return accepted
}

function damaged(sample: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(sample)
  for (let change = between(random, 1, 3); change > 0; change--) {
    // Half of the changes hit the front, where the type, the bitmaps and the lengths are.
    const end = random() < 0.5 ? Math.min(40, bytes.length) : bytes.length
    const at = between(random, 0, end - 1)
    const byte = bytes[at] ?? 0
    bytes[at] = random() < 0.5 ? byte ^ (1 << between(random, 0, 7)) : between(random, 0, 255)
  }
  if (random() < 0.1) return bytes.subarray(0, between(random, 0, bytes.length))
  return bytes
}
