import { BINARY_BITMAP, HEX_BITMAP } from './bitmap.ts'
import type { BitmapPart } from './bitmap.ts'
import { compileField } from './field-codec.ts'
import type { Cursor, FieldCodec } from './field-codec.ts'
import { invariant } from './invariant.ts'
import { Iso8583Error } from './iso8583-error.ts'
import { ASCII_MTI, BCD_MTI, assertMti } from './mti.ts'
import type { MtiPart } from './mti.ts'
import type { Profile } from './profile.ts'

/**
 * One message. `fields` is keyed by data element, and every value is a text. Digits keep their
 * leading zeros, text stands as on the wire, and binary fields are upper-case hexadecimal.
 */
export interface IsoMessage {
  mti: string
  fields: Record<number, string>
}

/** Turns messages into bytes and back, in one profile. Both ways throw only Iso8583Error. */
export interface Codec {
  readonly profile: Profile
  /**
   * The message's bytes, without a frame. A short value of a fixed `n` field is padded with zeros
   * in front. A fixed `ans` field is padded with spaces behind; every other length must be exact.
   */
  encode(message: IsoMessage): Buffer
  /** The message in these bytes, which must be one whole message. Padding is kept. */
  decode(bytes: Buffer): IsoMessage
}

/** The longest message that a frame carries, in bytes. */
export const MAX_MESSAGE_BYTES = 8192

/** A field table's longest field with its length; the rest of the buffer is checked by it. */
const LONGEST_FIELD_BYTES = 1002

/** Prepares a profile once. Throws InvariantError when its field table contradicts itself. */
export function compileProfile(profile: Profile): Codec {
  const codecs: (FieldCodec | undefined)[] = Array.from({ length: 129 })
  for (const [key, spec] of Object.entries(profile.fields)) {
    const field = Number(key)
    const possible = Number.isInteger(field) && field >= 2 && field <= 128 && field !== 65
    invariant(possible, `the profile ${profile.name} names DE ${key}, which cannot be a field`)
    codecs[field] = compileField(field, spec, profile)
  }
  const envelope = profile.digits === 'bcd' ? BCD_MTI : ASCII_MTI
  const bitmap = profile.bitmap === 'hex' ? HEX_BITMAP : BINARY_BITMAP
  return {
    profile,
    encode: (message) => encode(message, codecs, envelope, bitmap),
    decode: (bytes) => decode(bytes, codecs, envelope, bitmap),
  }
}

// Encoding is synchronous, so one buffer serves every message; the bytes are copied out of it.
const scratch = Buffer.alloc(MAX_MESSAGE_BYTES + LONGEST_FIELD_BYTES)

function encode(
  { mti, fields }: IsoMessage,
  codecs: readonly (FieldCodec | undefined)[],
  envelope: MtiPart,
  bitmap: BitmapPart,
): Buffer {
  assertMti(mti)
  const bitmapAt = envelope.write(mti, scratch)
  const first = bitsOf(fields, 1)
  const second = bitsOf(fields, 33)
  const third = bitsOf(fields, 65)
  const fourth = bitsOf(fields, 97)
  const count = bitCount(first) + bitCount(second) + bitCount(third) + bitCount(fourth)
  if (count !== Object.values(fields).length) throw strangeKey(fields)
  const hasSecondary = (third | fourth) !== 0
  let at = bitmapAt + (hasSecondary ? 2 : 1) * bitmap.bytes
  at = writeFields(first, 1, fields, codecs, at)
  at = writeFields(second, 33, fields, codecs, at)
  at = writeFields(third, 65, fields, codecs, at)
  at = writeFields(fourth, 97, fields, codecs, at)
  bitmap.write(hasSecondary ? first | FIRST_BIT : first, second, scratch, bitmapAt)
  if (hasSecondary) bitmap.write(third, fourth, scratch, bitmapAt + bitmap.bytes)
  const bytes = Buffer.allocUnsafe(at)
  scratch.copy(bytes, 0, 0, at)
  return bytes
}

/** The highest of 32 bits; the first one of a message says that a secondary bitmap follows. */
const FIRST_BIT = 1 << 31

/**
 * Which of 32 fields are present; the highest bit stands for `base`. Reading every number costs
 * less than making texts of the existing keys.
 */
function bitsOf(fields: Readonly<Record<number, string>>, base: number): number {
  let bits = 0
  for (let index = 0; index < 32; index++) {
    if (fields[base + index] !== undefined) bits |= FIRST_BIT >>> index
  }
  return bits
}

function bitCount(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}

/** Writes the fields that 32 bits of a bitmap name, and gives the offset after them. */
function writeFields(
  bits: number,
  base: number,
  fields: Readonly<Record<number, string>>,
  codecs: readonly (FieldCodec | undefined)[],
  start: number,
): number {
  let at = start
  let left = bits
  while (left !== 0) {
    const lead = Math.clz32(left)
    left &= ~(FIRST_BIT >>> lead)
    const field = base + lead
    const codec = codecs[field]
    const value = fields[field]
    if (codec === undefined) throw unknownField(field)
    if (typeof value !== 'string') throw notText(field)
    at = codec.write(value, scratch, at)
    if (at > MAX_MESSAGE_BYTES) throw tooLong()
  }
  return at
}

function decode(
  bytes: Buffer,
  codecs: readonly (FieldCodec | undefined)[],
  envelope: MtiPart,
  bitmap: BitmapPart,
): IsoMessage {
  if (bytes.length > MAX_MESSAGE_BYTES) throw tooLong()
  const cursor: Cursor = { text: bytes.toString('latin1'), at: 0 }
  const mti = envelope.read(cursor)
  const [first, second] = [bitmap.read(cursor), bitmap.read(cursor)]
  const fields: Record<number, string> = {}
  let [third, fourth] = [0, 0]
  if (first < 0) {
    const offset = cursor.at
    third = bitmap.read(cursor)
    fourth = bitmap.read(cursor)
    if (third < 0) throw tertiary(offset)
    if ((third | fourth) === 0) throw emptySecondary(offset)
  }
  // The highest field first: the object grows once to its size instead of step by step.
  const highest = highestField(first, second, third, fourth)
  if (highest > 0) fields[highest] = ''
  readFields(first & ~FIRST_BIT, 1, cursor, codecs, fields)
  readFields(second, 33, cursor, codecs, fields)
  readFields(third, 65, cursor, codecs, fields)
  readFields(fourth, 97, cursor, codecs, fields)
  if (cursor.at !== cursor.text.length) throw trailingBytes(cursor.at)
  return { mti, fields }
}

/** The number of the last field that the bitmaps name, 0 when they name none. */
function highestField(first: number, second: number, third: number, fourth: number): number {
  if (fourth !== 0) return 96 + lastBit(fourth)
  if (third !== 0) return 64 + lastBit(third)
  return second !== 0 ? 32 + lastBit(second) : lastBit(first & ~FIRST_BIT)
}

/** The place of the lowest bit that is set, counted from the highest as 1; 0 when none is. */
function lastBit(bits: number): number {
  return bits === 0 ? 0 : Math.clz32(bits & -bits) + 1
}

/** Reads the fields that 32 bits of a bitmap name; the highest bit stands for `base`. */
function readFields(
  bits: number,
  base: number,
  cursor: Cursor,
  codecs: readonly (FieldCodec | undefined)[],
  fields: Record<number, string>,
): void {
  let left = bits
  while (left !== 0) {
    const lead = Math.clz32(left)
    left &= ~(FIRST_BIT >>> lead)
    const field = base + lead
    const codec = codecs[field]
    if (codec === undefined) throw unknownField(field, cursor.at)
    fields[field] = codec.read(cursor)
  }
}

function emptySecondary(offset: number): Iso8583Error {
  const text = 'The secondary bitmap names no field; it must be left out then.'
  return new Iso8583Error('bitmap_secondary_empty', text, { offset })
}

function tertiary(offset: number): Iso8583Error {
  const text = 'The message announces a third bitmap; this profile ends with DE 128.'
  return new Iso8583Error('bitmap_tertiary', text, { offset })
}

function trailingBytes(offset: number): Iso8583Error {
  const text = 'The message goes on after its last field; it must end there.'
  return new Iso8583Error('message_trailing_bytes', text, { offset })
}

function tooLong(): Iso8583Error {
  const text = `The message is longer than the ${MAX_MESSAGE_BYTES} bytes that a frame carries.`
  return new Iso8583Error('message_too_long', text)
}

function unknownField(field: number, offset?: number): Iso8583Error {
  const isNumber = Number.isInteger(field)
  const what = isNumber ? `a field DE ${field}` : 'a field under a key that is no number'
  const text = `The message has ${what}, which the profile does not know.`
  const place = isNumber ? { field } : {}
  return new Iso8583Error(
    'field_unknown',
    text,
    offset === undefined ? place : { ...place, offset },
  )
}

/** The error of a key that is no field at all, or of a field that is there without a value. */
function strangeKey(fields: Readonly<Record<number, string>>): Iso8583Error {
  for (const [key, value] of Object.entries(fields)) {
    const field = Number(key)
    const isField = Number.isInteger(field) && field >= 1 && field <= 128 && String(field) === key
    if (!isField) return unknownField(field)
    if (value === undefined) return notText(field)
  }
  return unknownField(Number.NaN)
}

function notText(field: number): Iso8583Error {
  const text = `DE ${field} has no text as its value; leave a field out instead of emptying it.`
  return new Iso8583Error('field_content_invalid', text, { field })
}
