import { compileProfile, HOUSE_BCD_PROFILE, HOUSE_PROFILE, Iso8583Error } from '@tollgate/iso8583'
import type { Codec } from '@tollgate/iso8583'
import { anyMessage } from '../../../packages/iso8583/test/message-arbitraries.ts'
import { fc } from '../../../test/support/properties.ts'
import type { Chance } from '../../torture/chance.ts'
import { tryInputs, type Target } from '../target.ts'

const CODECS: readonly Codec[] = [HOUSE_PROFILE, HOUSE_BCD_PROFILE].map(compileProfile)
const SAMPLES = 200
/** After so many inputs the event loop gets a turn. */
const AT_ONCE = 200

interface Bytes {
  readonly codec: Codec
  readonly all: readonly Buffer[]
}

/** The codec: bytes that are nearly a message, or nothing like one. */
export const target: Target = {
  name: 'iso8583',
  what: 'bytes that are nearly an ISO 8583 message, or nothing like one, through both profiles',
  needs: 'nothing',
  fuzz(run) {
    const seed = run.chance.between(1, 0x7fffffff)
    const samples = CODECS.map((codec) =>
      fc.sample(anyMessage, { numRuns: SAMPLES, seed }).map((message) => codec.encode(message)),
    )
    return tryInputs<Bytes>(run, {
      make(chance) {
        const at = chance.between(0, CODECS.length - 1)
        const codec = CODECS[at]
        const from = samples[at]
        if (codec === undefined || from === undefined) throw new Error('There is no such codec.')
        return { codec, all: Array.from({ length: AT_ONCE }, () => damaged(from, chance)) }
      },
      async check({ codec, all }) {
        for (const bytes of all) {
          const wrong = wrongInDecoding(codec, bytes)
          if (wrong !== null) return wrong
        }
        await new Promise((next) => setImmediate(next))
        return null
      },
      *smaller({ codec, all }) {
        if (all.length > 1) for (const bytes of all) yield { codec, all: [bytes] }
        const [bytes = Buffer.alloc(0)] = all
        for (let size = bytes.length >> 1; size >= 1; size >>= 1) {
          for (let at = 0; at < bytes.length; at += size) {
            yield {
              codec,
              all: [Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)])],
            }
          }
        }
      },
      show: ({ codec, all }) =>
        `${codec.profile.name}: ${all.map((bytes) => bytes.toString('hex')).join('\n')}`,
    })
  },
}

/**
 * Bytes are refused by the codec's own error, or are the one spelling of the message in them. The
 * buffer is in the middle of a larger one, so that reading past its end would find something.
 */
export function wrongInDecoding(codec: Codec, bytes: Buffer): string | null {
  const surrounded = Buffer.concat([Buffer.alloc(64, '0'), bytes, Buffer.alloc(64, '0')])
  try {
    const message = codec.decode(surrounded.subarray(64, 64 + bytes.length))
    if (codec.encode(message).equals(bytes)) return null
    return 'The bytes were taken for a message that is spelled in another way.'
  } catch (error) {
    if (error instanceof Iso8583Error) return null
    return `Decoding threw ${error instanceof Error ? error.stack : String(error)}.`
  }
}

function damaged(samples: readonly Buffer[], chance: Chance): Buffer {
  if (chance.happens(0.1)) return noise(chance, chance.between(0, 300))
  let bytes = Buffer.from(chance.pick(samples))
  for (let change = chance.between(1, 4); change > 0; change -= 1) {
    // The type, the bitmaps and most lengths are in front.
    const end = chance.happens(0.5) ? Math.min(40, bytes.length) : bytes.length
    const at = chance.between(0, Math.max(end - 1, 0))
    const kind = chance.between(0, 5)
    if (kind === 0)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + chance.between(1, 20))])
    else if (kind === 1)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        noise(chance, chance.between(1, 20)),
        bytes.subarray(at),
      ])
    else if (kind === 2) bytes = Buffer.concat([bytes, chance.pick(samples).subarray(at)])
    else if (kind === 3)
      bytes.fill(
        chance.pick([0x00, 0x30, 0x39, 0x46, 0xff]),
        at,
        Math.min(at + chance.between(1, 16), bytes.length),
      )
    else if (bytes.length > 0) bytes[at] = chance.between(0, 255)
  }
  return bytes
}

function noise(chance: Chance, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => chance.between(0, 255)))
}
