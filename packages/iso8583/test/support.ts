import { HOUSE_BCD_PROFILE, HOUSE_PROFILE, compileProfile } from '../src/index.ts'
import type { Codec, IsoMessage } from '../src/index.ts'

export const HOUSE: Codec = compileProfile(HOUSE_PROFILE)
export const HOUSE_BCD: Codec = compileProfile(HOUSE_BCD_PROFILE)
export const CODECS: readonly Codec[] = [HOUSE, HOUSE_BCD]

/** A 0100 with the fields of every request, and `fields` on top. */
export function anAuthorization(stan: string, fields: Record<number, string> = {}): IsoMessage {
  return {
    mti: '0100',
    fields: {
      2: '4111111111111111',
      3: '000000',
      4: '000000012345',
      7: '1121142530',
      11: stan.padStart(6, '0'),
      32: '400001',
      41: 'T0000001',
      49: '840',
      ...fields,
    },
  }
}

/** Numbers from 0 to 1 that a seed repeats (a 32-bit xorshift). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** A whole number from `low` to `high`, both included. */
export function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}
