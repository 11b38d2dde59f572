import { HEX, hasMark, hexCode, hexValue } from './byte-tables.ts'
import type { Cursor } from './field-codec.ts'
import { Iso8583Error } from './iso8583-error.ts'

/** One half of the bitmap, as two numbers of 32 bits each. */
export interface BitmapPart {
  /** Bytes of one half. */
  readonly bytes: number
  write(high: number, low: number, out: Buffer, at: number): void
  /** The next 32 bits. */
  read(cursor: Cursor): number
}

export const HEX_BITMAP: BitmapPart = {
  bytes: 16,
  write(high, low, out, at) {
    for (let index = 0; index < 8; index++) {
      out[at + index] = hexCode((high >>> (28 - index * 4)) & 15)
      out[at + 8 + index] = hexCode((low >>> (28 - index * 4)) & 15)
    }
  },
  read(cursor) {
    const { at, text } = cursor
    if (at + 8 > text.length) throw truncated(at)
    // Lower-case digits are refused too: one message has one spelling.
    if (!hasMark(text, at, at + 8, HEX)) throw badBitmap(at)
    let bits = 0
    for (let index = 0; index < 8; index++) {
      bits = (bits << 4) | hexValue(text.charCodeAt(at + index))
    }
    cursor.at = at + 8
    return bits
  },
}

export const BINARY_BITMAP: BitmapPart = {
  bytes: 8,
  write(high, low, out, at) {
    out.writeInt32BE(high, at)
    out.writeInt32BE(low, at + 4)
  },
  read(cursor) {
    const { at, text } = cursor
    if (at + 4 > text.length) throw truncated(at)
    cursor.at = at + 4
    return (
      (text.charCodeAt(at) << 24) |
      (text.charCodeAt(at + 1) << 16) |
      (text.charCodeAt(at + 2) << 8) |
      text.charCodeAt(at + 3)
    )
  },
}

function truncated(offset: number): Iso8583Error {
  return new Iso8583Error('message_truncated', 'The message ends inside its bitmap.', { offset })
}

function badBitmap(offset: number): Iso8583Error {
  const text = 'The bitmap is not written in upper-case hexadecimal digits.'
  return new Iso8583Error('bitmap_invalid', text, { offset })
}
