import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { card, CODE, knownMarks, PASSWORD, truncated, type Mark } from './marks.ts'
import { createScanner } from './scanner.ts'

const KEY = createHash('sha256').update('a key of the canary suite').digest()
const MARKS: readonly Mark[] = [...knownMarks(), { kind: 'bytes', name: 'a key', bytes: KEY }]
const scanner = createScanner(MARKS)
const PAN = card('payment')

/** Bytes that look random, and are the same in every run. */
function noise(length: number, seed: string): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, at) =>
    createHash('sha512').update(`${seed} ${at}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, length)
}

function planted(bytes: Buffer): Buffer {
  return Buffer.concat([noise(5_001, 'before'), bytes, noise(4_999, 'after')])
}

const hex = (text: string): string => Buffer.from(text).toString('hex')
const packed = (digits: string): Buffer => Buffer.from(digits, 'hex')
const int64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
const escaped = (text: string, write: (code: number) => string): string =>
  [...text].map((sign) => write(sign.charCodeAt(0))).join('')

const CARD_WRITINGS: Readonly<Record<string, string | Buffer>> = {
  plain: PAN,
  'in the middle of a longer number': `90017${PAN}55`,
  'with blanks': PAN.replace(/(.{4})/g, '$1 '),
  'with dashes': PAN.replace(/(.{4})/g, '$1-'),
  'with a dot behind each digit': PAN.replace(/(.)/g, '$1.'),
  'as four fragments of JSON': JSON.stringify(PAN.match(/.{4}/g)),
  'in base64': Buffer.from(PAN).toString('base64'),
  'in base64, one byte on': Buffer.from(`x${PAN}yz`).toString('base64'),
  'in base64, two bytes on': Buffer.from(`xx${PAN}y`).toString('base64url'),
  'in base64 within JSON': Buffer.from(JSON.stringify({ PMT_NUMB: PAN })).toString('base64'),
  hexadecimal: hex(PAN),
  'hexadecimal with blanks': hex(PAN).replace(/(..)/g, '$1 '),
  'percent-encoded': escaped(PAN, (code) => `%${code.toString(16)}`),
  'with \\u escapes': escaped(PAN, (code) => `\\u00${code.toString(16)}`),
  'with \\x escapes': escaped(PAN, (code) => `\\x${code.toString(16)}`),
  'with entities': escaped(PAN, (code) => `&#${code};`),
  'in UTF-16, little-endian': Buffer.from(PAN, 'utf16le'),
  'in UTF-16, big-endian': Buffer.from(PAN, 'utf16le').swap16(),
  'packed as ISO 8583 packs it': packed(PAN),
  'packed half a byte on': packed(`0${PAN}f`),
  'as the track data of a card': packed(`${PAN}d2912`),
  'as a number of eight bytes': int64(BigInt(PAN)),
  'as a number of eight bytes, little-endian': int64(BigInt(PAN)).swap64(),
  'cut in two lines': `{"a":"${PAN.slice(0, 8)}"}\n{"time":1,"level":30,"b":"${PAN.slice(8)}"}`,
  'cut in two, the end first': `end ${PAN.slice(-7)}, then the start ${PAN.slice(0, 9)} of it`,
  'nine digits out of the middle': `x${PAN.slice(4, 13)}x`,
  'without its first digits': PAN.slice(7),
  'without its last digits': PAN.slice(0, 11),
  'without its first digit and its last ones': PAN.slice(1, 11),
  'with a byte of a compression in between': `${PAN.slice(0, 5)}\0${PAN.slice(5, 13)}\0${PAN.slice(13)}`,
}

suite('the scanner finds a card number', () => {
  for (const [writing, text] of Object.entries(CARD_WRITINGS)) {
    test(writing, () => {
      const found = scanner.scan(planted(Buffer.isBuffer(text) ? text : Buffer.from(text)))
      assert.deepEqual([...new Set(found.map(({ mark }) => mark))], ['the card of "payment"'])
    })
  }
})

suite('the scanner finds a secret', () => {
  for (const [name, bytes] of Object.entries({
    'a password': Buffer.from(PASSWORD),
    'a password that was cut off': Buffer.from(PASSWORD.slice(0, 11)),
    'a password in base64 of user and password': Buffer.from(
      Buffer.from(`user:${PASSWORD}`).toString('base64'),
    ),
    'a password percent-encoded': Buffer.from(escaped(PASSWORD, (code) => `%${code.toString(16)}`)),
    'a password in UTF-16': Buffer.from(PASSWORD, 'utf16le'),
    'a password in capital hexadecimal': Buffer.from(hex(PASSWORD).toUpperCase()),
  })) {
    test(name, () => {
      assert.deepEqual(
        [...new Set(scanner.scan(planted(bytes)).map(({ mark }) => mark))],
        ['the API password'],
      )
    })
  }
  for (const [name, bytes] of Object.entries({
    'a key': KEY,
    'a key in base64': Buffer.from(KEY.toString('base64')),
    'a key in base64url, one byte on': Buffer.from(
      Buffer.concat([Buffer.of(1), KEY]).toString('base64url'),
    ),
    'a key in hexadecimal': Buffer.from(KEY.toString('hex')),
    'half a key': KEY.subarray(16),
  })) {
    test(name, () => {
      assert.deepEqual(
        [...new Set(scanner.scan(planted(bytes)).map(({ mark }) => mark))],
        ['a key'],
      )
    })
  }
  for (const text of [
    `{"PMT_KEY":"${CODE}"}`,
    `{\\"PMT_KEY\\":\\"${CODE}\\"}`,
    `PMT_KEY=${CODE}&LI_VALUE_1=1`,
    `<PMT_KEY>${CODE}</PMT_KEY>`,
    `cvv: ${CODE}`,
    `1\t${CODE}\tx`,
    Buffer.from(CODE).toString('base64'),
  ]) {
    test(`a security code: ${text}`, () => {
      const found = scanner.scan(planted(Buffer.from(text)))
      assert.deepEqual([...new Set(found.map(({ mark }) => mark))], ['the security code'])
    })
  }
})

suite('the scanner lets through', () => {
  for (const [what, text] of Object.entries({
    'first six and last four': truncated(PAN),
    'first eight, and a byte behind that is the ninth by chance': PAN.slice(0, 9),
    'first eight, and two such bytes behind': PAN.slice(0, 10),
    'first six and last four beside each other': `${PAN.slice(0, 6)} ${PAN.slice(-4)}`,
    'first six and last four as one': `${PAN.slice(0, 6)}${PAN.slice(-4)}`,
    'the last four': `"PMT_L4":"${PAN.slice(-4)}"`,
    'the last four of many cards': MARKS.map((mark) =>
      mark.kind === 'card' ? mark.digits.slice(-4) : '',
    ).join(' '),
    'digits of an id that has those of the code': `"id":1${CODE}0`,
  })) {
    test(what, () => assert.deepEqual(scanner.scan(planted(Buffer.from(text))), []))
  }

  test('ten megabytes of noise, as bytes, in base64, in hexadecimal and in digits', () => {
    const bytes = noise(10_000_000, 'much')
    const digits = Buffer.from(bytes.subarray(0, 2_000_000).map((byte) => 0x30 + (byte % 10)))
    const texts = [bytes.toString('base64'), bytes.toString('hex')].map((text) => Buffer.from(text))
    for (const each of [bytes, digits, ...texts]) assert.deepEqual(scanner.scan(each), [])
  })
})

/** The sum by Luhn's rule: every second digit from the right counts twice. */
function checkSum(digits: string): number {
  return [...digits].toReversed().reduce((sum, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
}

test('no mark of the suite stands twice, and each card has its check digit', () => {
  const digits = MARKS.flatMap((mark) => (mark.kind === 'card' ? [mark.digits] : []))
  assert.equal(new Set(digits.map((each) => each.slice(6))).size, digits.length)
  for (const each of digits) assert.match(each, /^(?:3[47]\d{13}|[^3]\d{15})$/)
  for (const each of digits) assert.equal(checkSum(each) % 10, 0, each)
})
