import type { Mark } from './marks.ts'

/** One sequence of bytes that gives a mark away. */
export interface Form {
  readonly mark: Mark
  /** How it was written: `plain`, `base64`, ... */
  readonly writing: string
  readonly bytes: Buffer
}

/** Shorter parts of a card number may be shown, or occur in random data. */
const CARD_PART = 9
/** The number of first digits that may be shown. */
const SHOWN = 8
/** This many of the other digits beside them are no random match; two would be, in random bytes. */
const BESIDE_SHOWN = 3
/** A packed digit is half a byte: six bytes are too many for a random match. */
const PACKED_PART = 12
const TEXT_PART = 10
const BYTES_PART = 12

/**
 * Every writing of a mark, or of a significant part of it, that the scanner searches for as it is.
 */
export function formsOf(mark: Mark): Form[] {
  const form = (writing: string, bytes: Buffer): Form => ({ mark, writing, bytes })
  switch (mark.kind) {
    case 'card':
      return [
        ...cardParts(mark.digits).flatMap((part) =>
          writingsOf(part).map(([writing, bytes]) => form(writing, bytes)),
        ),
        ...partsOf(mark.digits, PACKED_PART).map((part) =>
          form('packed', Buffer.from(part, 'hex')),
        ),
        ...integersOf(mark.digits).map((bytes) => form('integer', bytes)),
      ]
    case 'code':
      return codeWritings(mark.digits).map(([writing, bytes]) => form(writing, bytes))
    case 'text':
      return partsOf(mark.text, TEXT_PART).flatMap((part) =>
        writingsOf(part).map(([writing, bytes]) => form(writing, bytes)),
      )
    case 'bytes':
      return byteParts(mark.bytes).flatMap((part) =>
        byteWritings(part).map(([writing, bytes]) => form(writing, bytes)),
      )
  }
}

/**
 * Parts of at least nine digits, each with at least three that are never shown beside the first
 * ones.
 */
function cardParts(digits: string): string[] {
  const lastStart = digits.length - CARD_PART
  return Array.from({ length: lastStart + 1 }, (_, at) =>
    digits.slice(at, Math.max(at + CARD_PART, SHOWN + BESIDE_SHOWN)),
  )
}

function partsOf(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length))
}

function byteParts(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length - BYTES_PART + 1 }, (_, at) =>
    bytes.subarray(at, at + BYTES_PART),
  )
}

type Writing = readonly [writing: string, bytes: Buffer]

function writingsOf(text: string): Writing[] {
  const each = (write: (sign: string, code: number) => string): Buffer =>
    Buffer.from([...text].map((sign) => write(sign, sign.charCodeAt(0))).join(''))
  const hex = (code: number): string => code.toString(16).padStart(2, '0')
  const little = Buffer.from(text, 'utf16le')
  const written: Writing[] = [
    ...byteWritings(Buffer.from(text)),
    // The outer zeros are left out: a part may stand at the end of what is written.
    ['UTF-16 (little-endian)', little.subarray(0, -1)],
    ['UTF-16 (big-endian)', Buffer.from(little).swap16().subarray(1)],
    ['percent-encoded', each((_, code) => `%${hex(code)}`)],
    ['percent-encoded', each((_, code) => `%${hex(code).toUpperCase()}`)],
    ['percent-encoded where it must be', Buffer.from(encodeURIComponent(text))],
    ['with \\x escapes', each((_, code) => `\\x${hex(code)}`)],
    ['with \\u escapes', each((_, code) => `\\u00${hex(code)}`)],
    ['with \\u escapes', each((_, code) => `\\u00${hex(code).toUpperCase()}`)],
    ['with decimal entities', each((_, code) => `&#${code};`)],
    ['with hexadecimal entities', each((_, code) => `&#x${hex(code)};`)],
    ['hexadecimal with blanks', each((_, code) => `${hex(code)} `).subarray(0, -1)],
  ]
  return distinct(written)
}

/** Bytes as they are, and as texts that stand for bytes. */
function byteWritings(bytes: Buffer): Writing[] {
  const hex = bytes.toString('hex')
  return distinct([
    ['plain', bytes],
    ['hexadecimal', Buffer.from(hex)],
    ['hexadecimal', Buffer.from(hex.toUpperCase())],
    ...[0, 1, 2].map((before): Writing => ['base64', base64At(bytes, before)]),
    ...[0, 1, 2].map((before): Writing => [
      'base64url',
      Buffer.from(base64At(bytes, before).toString().replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ])
}

/**
 * The signs of a base64 text that depend on these bytes only, with so many bytes in front of them.
 */
function base64At(bytes: Buffer, before: number): Buffer {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const whole = Math.floor((padded.length * 8) / 6)
  return Buffer.from(padded.toString('base64').slice(Math.ceil((before * 8) / 6), whole))
}

/**
 * As the eight bytes of a number, and as PostgreSQL writes a `numeric`: four digits in two bytes.
 */
function integersOf(digits: string): Buffer[] {
  const little = Buffer.alloc(8)
  little.writeBigUInt64LE(BigInt(digits))
  const groups = Buffer.concat(
    (digits.padStart(16, '0').match(/.{4}/g) ?? []).map((group) => {
      const bytes = Buffer.alloc(2)
      bytes.writeUInt16LE(Number(group))
      return bytes
    }),
  )
  return [little, Buffer.from(little).swap64(), groups]
}

/** Four digits alone are everywhere, so a code is looked for as a value of its own. */
function codeWritings(digits: string): Writing[] {
  const plain = [
    [`"${digits}"`],
    [`\\"${digits}\\"`],
    [`'${digits}'`],
    [`=${digits}&`],
    [`>${digits}<`],
    [`\t${digits}\t`],
    [`,${digits},`],
    ...['PMT_KEY', 'cvv', 'CVV', 'cvc', 'code', 'key'].flatMap((name) =>
      ['=', ':', ': ', '":', '": ', ' ', ''].map((between) => [`${name}${between}${digits}`]),
    ),
  ].flat()
  const utf16 = Buffer.from(`"${digits}"`, 'utf16le')
  // As browsers keep what stands in a field: the number of signs, then the signs.
  const counted = Buffer.concat([Buffer.of(digits.length, 0, 0, 0), Buffer.from(digits, 'utf16le')])
  return [
    ...plain.map((text): Writing => ['plain', Buffer.from(text)]),
    ...plain
      .slice(0, 1)
      .map((text): Writing => ['hexadecimal', Buffer.from(Buffer.from(text).toString('hex'))]),
    ['base64', Buffer.from(Buffer.from(digits).toString('base64'))],
    ['UTF-16 (little-endian)', utf16.subarray(0, -1)],
    ['UTF-16 (little-endian)', counted],
  ]
}

function distinct(writings: readonly Writing[]): Writing[] {
  const seen = new Set<string>()
  return writings.filter(([, bytes]) => {
    const key = bytes.toString('latin1')
    return !seen.has(key) && seen.add(key)
  })
}
