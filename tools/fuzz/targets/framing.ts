import { compileProfile, frame, FrameReader, HOUSE_PROFILE, Iso8583Error } from '@tollgate/iso8583'
import { MessageReader } from '../../../packages/iso8583/src/message-reader.ts'
import type { Chance } from '../../torture/chance.ts'
import { tryInputs, type Target } from '../target.ts'

const HOUSE = compileProfile(HOUSE_PROFILE)
const MIN = 12
const MAX = 8_192

interface Stream {
  /** Bodies of frames, and lengths that are not so in between. */
  readonly parts: readonly (Buffer | { readonly length: number })[]
  /** The places at which the stream is cut into chunks. */
  readonly cuts: readonly number[]
}

/** Frames on a byte stream, cut anywhere, with lengths that lie. */
export const target: Target = {
  name: 'framing',
  what: 'streams of frames, cut anywhere, some with lengths out of range',
  needs: 'nothing',
  fuzz: (run) =>
    tryInputs<Stream>(run, {
      make: makeStream,
      async check(stream) {
        await new Promise((next) => setImmediate(next))
        return wrongInReading(stream)
      },
      *smaller({ parts, cuts }) {
        for (const at of parts.keys()) yield { parts: parts.toSpliced(at, 1), cuts }
        for (const at of cuts.keys()) yield { parts, cuts: cuts.toSpliced(at, 1) }
      },
      show: ({ parts, cuts }) =>
        `parts ${parts.map((part) => ('byteLength' in part ? part.length : `length ${part.length}`)).join(', ')}; cut at ${cuts.join(', ')}`,
    }),
}

function makeStream(chance: Chance): Stream {
  const parts: (Buffer | { readonly length: number })[] = []
  for (let count = chance.between(1, 12); count > 0; count -= 1) {
    if (chance.happens(0.05)) parts.push({ length: chance.pick([0, 1, 11, 8_193, 0x3030, 0xffff]) })
    const length = chance.pick([MIN, 13, chance.between(MIN, 600), chance.between(MIN, MAX), MAX])
    parts.push(Buffer.alloc(length, chance.between(0, 255)))
  }
  const total = bytesOf(parts).length
  const cuts = Array.from({ length: chance.pick([0, 1, 5, 300]) }, () => chance.between(0, total))
  return { parts, cuts: cuts.sort((a, b) => a - b) }
}

function bytesOf(parts: Stream['parts']): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (Buffer.isBuffer(part)) return frame(part)
      return Buffer.of(part.length >> 8, part.length & 255)
    }),
  )
}

/** Every whole frame before the first invalid length is returned, and nothing else. */
export function wrongInReading({ parts, cuts }: Stream): string | null {
  const lie = parts.findIndex((part) => !Buffer.isBuffer(part))
  const due = (lie === -1 ? parts : parts.slice(0, lie)).filter((part) => Buffer.isBuffer(part))
  const stream = bytesOf(parts)
  const reader = new FrameReader()
  const messages = new MessageReader(HOUSE)
  const read: Buffer[] = []
  let from = 0
  for (const to of [...cuts, stream.length]) {
    const chunk = stream.subarray(from, to)
    from = to
    try {
      read.push(...reader.push(chunk))
    } catch (error) {
      if (!(error instanceof Iso8583Error)) return `Reading threw ${String(error)}.`
      if (lie === -1) return `A stream without a fault was refused: ${error.message}`
    }
    for (const _ of messages.read(chunk)) return 'Bytes that are no message were taken for one.'
  }
  if (lie !== -1 && reader.fault === null) return 'A length out of range was not noticed.'
  const same = read.length === due.length && read.every((body, at) => due[at]?.equals(body))
  return same ? null : `${due.length} frames were due, and ${read.length} came or were others.`
}
