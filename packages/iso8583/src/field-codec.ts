import { ALPHANUMERIC, BCD_TEXT, DIGIT, HEX, HEX_TEXT, MARKS, PRINTABLE } from './byte-tables.ts'
import { hasMark, hexValue } from './byte-tables.ts'
import type { FieldSpec } from './field-spec.ts'
import { invariant } from './invariant.ts'
import { Iso8583Error } from './iso8583-error.ts'
import type { Profile } from './profile.ts'

/** The place in a message that is being read; `text` has one character for each byte. */
export interface Cursor {
  readonly text: string
  at: number
}

/** Writes and reads one field. Both throw Iso8583Error; `write` gives the offset after it. */
export interface FieldCodec {
  write(value: string, out: Buffer, at: number): number
  read(cursor: Cursor): string
}

/** The characters of a field, without its length. */
interface Content {
  write(value: string, out: Buffer, at: number): number
  read(cursor: Cursor, length: number): string
}

const LENGTH_DIGITS = { fixed: 0, LL: 2, LLL: 3 } as const

/** Builds the two functions of one field once, so that a message only calls them. */
export function compileField(field: number, spec: FieldSpec, profile: Profile): FieldCodec {
  const digits = LENGTH_DIGITS[spec.length]
  const longest = digits === 2 ? 99 : 999
  invariant(spec.max > 0 && spec.max <= longest, `DE ${field}: its maximum is out of range`)
  const content = contentOf(field, spec, profile)
  return digits === 0
    ? fixedField(field, spec, content)
    : variableField(field, spec, content, lengthOf(field, digits, profile))
}

function fixedField(field: number, spec: FieldSpec, content: Content): FieldCodec {
  const { kind, max } = spec
  const length = kind === 'b' ? max * 2 : max
  return {
    write(value, out, at) {
      if (value.length === length) return content.write(value, out, at)
      if (value.length === 0 || value.length > length) throw badLength(field)
      if (kind === 'n') return content.write(value.padStart(length, '0'), out, at)
      if (kind === 'ans') return content.write(value.padEnd(length, ' '), out, at)
      throw badLength(field)
    },
    read: (cursor) => content.read(cursor, length),
  }
}

function variableField(
  field: number,
  spec: FieldSpec,
  content: Content,
  prefix: LengthPrefix,
): FieldCodec {
  const { kind, max } = spec
  invariant(kind !== 'b' && kind !== 'x+n', `DE ${field}: kind ${kind} has a fixed length`)
  return {
    write(value, out, at) {
      const { length } = value
      if (length === 0 || length > max) throw badLength(field)
      return content.write(value, out, prefix.write(length, out, at))
    },
    read(cursor) {
      const start = cursor.at
      const length = prefix.read(cursor)
      if (length === 0 || length > max) throw badLength(field, start)
      return content.read(cursor, length)
    },
  }
}

interface LengthPrefix {
  write(length: number, out: Buffer, at: number): number
  read(cursor: Cursor): number
}

function lengthOf(field: number, digits: 2 | 3, profile: Profile): LengthPrefix {
  const content = profile.digits === 'bcd' ? bcdContent(field) : textContent(field, DIGIT)
  // Written as texts once: 999 short strings are cheaper than a division for each message.
  const texts = Array.from({ length: 10 ** digits }, (_, value) =>
    String(value).padStart(digits, '0'),
  )
  return {
    write: (length, out, at) => content.write(texts[length] ?? '', out, at),
    read: (cursor) => Number(content.read(cursor, digits)),
  }
}

function contentOf(field: number, spec: FieldSpec, profile: Profile): Content {
  const bcd = profile.digits === 'bcd'
  switch (spec.kind) {
    case 'n':
      return bcd ? bcdContent(field) : textContent(field, DIGIT)
    case 'an':
      return textContent(field, ALPHANUMERIC)
    case 'ans':
      return textContent(field, PRINTABLE)
    case 'b':
      return profile.binary === 'raw' ? rawContent(field) : textContent(field, HEX)
    case 'x+n':
      return signedContent(field, bcd ? bcdContent(field) : textContent(field, DIGIT))
  }
}

function textContent(field: number, mark: number): Content {
  return {
    write(value, out, at) {
      const { length } = value
      // Checked and copied in one pass: this is where most of a message's time goes.
      for (let index = 0; index < length; index++) {
        const code = value.charCodeAt(index)
        if (((MARKS[code] ?? 0) & mark) === 0) throw badContent(field)
        out[at + index] = code
      }
      return at + length
    },
    read(cursor, length) {
      const start = cursor.at
      const end = need(cursor, length, field)
      if (!hasMark(cursor.text, start, end, mark)) throw badContent(field, start)
      return cursor.text.slice(start, end)
    },
  }
}

function bcdContent(field: number): Content {
  return {
    write(value, out, at) {
      const { length } = value
      if (!hasMark(value, 0, length, DIGIT)) throw badContent(field)
      let index = 0
      if (length % 2 === 1) out[at++] = value.charCodeAt(index++) - 48
      while (index < length) {
        const high = value.charCodeAt(index++) - 48
        out[at++] = (high << 4) | (value.charCodeAt(index++) - 48)
      }
      return at
    },
    read(cursor, length) {
      const start = cursor.at
      const end = need(cursor, (length + 1) >> 1, field)
      let digits = ''
      for (let at = start; at < end; at++) {
        const pair = BCD_TEXT[cursor.text.charCodeAt(at)] ?? ''
        if (pair === '') throw badContent(field, at)
        digits += pair
      }
      if (length % 2 === 0) return digits
      // One message must have one spelling, or two links could disagree about its contents.
      if (digits.charCodeAt(0) !== 48) throw badPadding(field, start)
      return digits.slice(1)
    },
  }
}

function rawContent(field: number): Content {
  return {
    write(value, out, at) {
      const { length } = value
      if (!hasMark(value, 0, length, HEX)) throw badContent(field)
      for (let index = 0; index < length; index += 2) {
        const high = hexValue(value.charCodeAt(index))
        out[at++] = (high << 4) | hexValue(value.charCodeAt(index + 1))
      }
      return at
    },
    read(cursor, length) {
      const start = cursor.at
      const end = need(cursor, length >> 1, field)
      let digits = ''
      for (let at = start; at < end; at++) digits += HEX_TEXT[cursor.text.charCodeAt(at)] ?? ''
      return digits
    },
  }
}

function signedContent(field: number, digits: Content): Content {
  return {
    write(value, out, at) {
      const sign = value.charCodeAt(0)
      if (!isSign(sign)) throw badContent(field)
      out[at] = sign
      return digits.write(value.slice(1), out, at + 1)
    },
    read(cursor, length) {
      const start = cursor.at
      const end = need(cursor, 1, field)
      if (!isSign(cursor.text.charCodeAt(start))) throw badContent(field, start)
      return cursor.text.slice(start, end) + digits.read(cursor, length - 1)
    },
  }
}

/** C for a credit, D for a debit. */
function isSign(code: number): boolean {
  return code === 67 || code === 68
}

/** Moves the cursor over the next bytes and gives where they end. */
function need(cursor: Cursor, bytes: number, field: number): number {
  const end = cursor.at + bytes
  if (end > cursor.text.length) {
    const text = `The message ends inside DE ${field}; ${bytes} bytes were expected there.`
    throw new Iso8583Error('message_truncated', text, { field, offset: cursor.at })
  }
  cursor.at = end
  return end
}

function badLength(field: number, offset?: number): Iso8583Error {
  const text = `DE ${field} has a length that its format does not allow; see the field table.`
  return new Iso8583Error('field_length_invalid', text, placeOf(field, offset))
}

function badContent(field: number, offset?: number): Iso8583Error {
  const text = `DE ${field} holds a character that its format does not allow; see the field table.`
  return new Iso8583Error('field_content_invalid', text, placeOf(field, offset))
}

function badPadding(field: number, offset: number): Iso8583Error {
  const text = `DE ${field} has an odd number of BCD digits and its filling half byte is not zero.`
  return new Iso8583Error('field_padding_invalid', text, { field, offset })
}

function placeOf(field: number, offset: number | undefined) {
  return offset === undefined ? { field } : { field, offset }
}
