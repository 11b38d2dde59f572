import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUSE_PROFILE, InvariantError, Iso8583Error, compileProfile } from '../src/index.ts'
import type { Profile } from '../src/index.ts'
import { CODECS, HOUSE, HOUSE_BCD, anAuthorization } from './support.ts'

const decodeText = (text: string) => HOUSE.decode(Buffer.from(text, 'latin1'))
const decodeHex = (hex: string) => HOUSE_BCD.decode(Buffer.from(hex, 'hex'))
const encodeWith = (field: number, value: string) =>
  CODECS.map((codec) => () => codec.encode({ mti: '0100', fields: { [field]: value } }))

test('a message type outside the known versions, classes, functions and origins is refused', () => {
  for (const mti of ['2100', '0000', '0900', '0150', '0106', '010', '01000', 'ABCD', '']) {
    for (const codec of CODECS) {
      assert.throws(() => codec.encode({ mti, fields: { 3: '000000' } }), { code: 'mti_invalid' })
    }
    const text = `${mti.padEnd(4, 'X')}2000000000000000000000`
    if (mti.length <= 4) assert.throws(() => decodeText(text), { code: 'mti_invalid' })
  }
  assert.throws(() => decodeHex('0A002000000000000000000000'), { code: 'mti_invalid' })
})

const REFUSED_TEXTS = [
  ['a lower-case bitmap', '0100200000000000000a000000', 'bitmap_invalid', undefined, 12],
  [
    'a bitmap that is not hexadecimal',
    '0100200000000000000G000000',
    'bitmap_invalid',
    undefined,
    12,
  ],
  [
    'a secondary bitmap without a field',
    `0100A0${'0'.repeat(30)}000000`,
    'bitmap_secondary_empty',
    undefined,
    20,
  ],
  ['a third bitmap', `0100800000000000000080${'0'.repeat(30)}`, 'bitmap_tertiary', undefined, 20],
  ['a field that the profile leaves out', '01000000000020000000', 'field_unknown', 35, 20],
  ['a letter among digits', '0100200000000000000000000A', 'field_content_invalid', 3, 20],
  ['a length of zero', '0100400000000000000000', 'field_length_invalid', 2, 20],
  [
    'a length over the maximum',
    `0100400000000000000020${'1'.repeat(20)}`,
    'field_length_invalid',
    2,
    20,
  ],
  ['a length that is not digits', '01004000000000000000 11', 'field_content_invalid', 2, 20],
  [
    'a byte after the last field',
    '010020000000000000000000000',
    'message_trailing_bytes',
    undefined,
    26,
  ],
  ['a missing byte', '0100200000000000000000000', 'message_truncated', 3, 20],
  ['a space in an alphanumeric field', '01000000000002000000 1', 'field_content_invalid', 39, 20],
  ['a byte over 126 in a text', `01000000000000800000T000000\x80`, 'field_content_invalid', 41, 20],
  [
    'a sign that is neither C nor D',
    '01000000001000000000E00000000',
    'field_content_invalid',
    28,
    20,
  ],
  [
    'lower-case binary digits',
    '0100000000000000000100000000000000ab',
    'field_content_invalid',
    64,
    20,
  ],
] as const

for (const [what, text, code, field, offset] of REFUSED_TEXTS) {
  test(`${what} is refused, with its place`, () => {
    assert.throws(
      () => decodeText(text),
      (error) => {
        assert.ok(error instanceof Iso8583Error)
        assert.deepEqual([error.code, error.field, error.offset], [code, field, offset])
        return true
      },
    )
  })
}

test('a half byte that fills an odd number of BCD digits must be zero', () => {
  assert.equal(decodeHex('01000000040000000000' + '0812').fields[22], '812')

  assert.throws(() => decodeHex('01000000040000000000' + '1812'), {
    code: 'field_padding_invalid',
    field: 22,
    offset: 10,
  })
})

test('a half byte over nine is refused in BCD digits', () => {
  assert.throws(() => decodeHex('0100200000000000000000000A'), {
    code: 'field_content_invalid',
    field: 3,
    offset: 12,
  })
})

const REFUSED_VALUES = [
  ['a letter in a numeric field', 4, '00000001234X', 'field_content_invalid'],
  ['a digit of another script in a numeric field', 4, '00000001234\u0661', 'field_content_invalid'],
  ['a numeric value that is too long', 4, '0'.repeat(13), 'field_length_invalid'],
  ['an empty value', 4, '', 'field_length_invalid'],
  ['an empty variable value', 48, '', 'field_length_invalid'],
  ['a variable value that is too long', 48, 'x'.repeat(1000), 'field_length_invalid'],
  ['a short alphanumeric value', 39, '0', 'field_length_invalid'],
  ['a euro sign', 48, '\u20ac', 'field_content_invalid'],
  ['a line break', 43, 'one\ntwo', 'field_content_invalid'],
  ['an odd number of hexadecimal digits', 64, '0'.repeat(15), 'field_length_invalid'],
  ['a lower-case hexadecimal digit', 64, '000000000000000a', 'field_content_invalid'],
  ['an amount without its sign', 28, '123456789', 'field_content_invalid'],
  ['a field that the profile leaves out', 35, '4', 'field_unknown'],
  ['a bitmap given as a field', 65, '1', 'field_unknown'],
  ['a field past the last one', 129, '1', 'field_unknown'],
] as const

for (const [what, field, value, code] of REFUSED_VALUES) {
  test(`${what} cannot be sent`, () => {
    for (const encode of encodeWith(field, value)) assert.throws(encode, { code, field })
  })
}

test('a key that is no number, or a value that is no text, cannot be sent', () => {
  for (const codec of CODECS) {
    const named = { mti: '0100', fields: { pan: '4' } as Record<number, string> }
    const missing = { mti: '0100', fields: { 3: undefined } as unknown as Record<number, string> }
    const twice = { mti: '0100', fields: { 3: '1', '03': '2' } as Record<number, string> }
    assert.throws(() => codec.encode(named), { code: 'field_unknown' })
    assert.throws(() => codec.encode(missing), { code: 'field_content_invalid', field: 3 })
    assert.throws(() => codec.encode(twice), { code: 'field_unknown' })
  }
})

test('a message longer than a frame can be neither sent nor read', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [105 + index, 'x'.repeat(999)]),
  )
  for (const codec of CODECS) {
    assert.throws(() => codec.encode({ mti: '0100', fields }), { code: 'message_too_long' })
    assert.throws(() => codec.decode(Buffer.alloc(8193, '0')), { code: 'message_too_long' })
  }
})

test('a short number is padded with zeros in front, a short text with spaces behind', () => {
  for (const codec of CODECS) {
    const message = codec.decode(codec.encode({ mti: '0100', fields: { 4: '123', 41: 'T1' } }))
    assert.deepEqual(message.fields, { 4: '000000000123', 41: 'T1      ' })
  }
})

test('no error of the codec contains a value', () => {
  const pan = '4111111111111111'
  const damaged = [
    () => HOUSE.encode(anAuthorization('1', { 2: `${pan}X` })),
    () => HOUSE.encode(anAuthorization('1', { 2: `${pan}1111` })),
    () => decodeText(`010040000000000000001${pan}`),
    () => decodeText(`01004000000000000000${pan}`),
  ]
  for (const attempt of damaged) {
    assert.throws(
      attempt,
      (error) => error instanceof Iso8583Error && !/[0-9]{5}/.test(error.message),
    )
  }
})

test('a profile whose field table contradicts itself is refused when it is compiled', () => {
  const withField = (field: number, max: number): Profile => ({
    ...HOUSE_PROFILE,
    fields: { [field]: { name: 'x', kind: 'n', length: 'LL', max } },
  })
  for (const profile of [withField(1, 5), withField(65, 5), withField(129, 5), withField(2, 100)]) {
    assert.throws(() => compileProfile(profile), InvariantError)
  }
})
