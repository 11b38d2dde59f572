import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import { decodeAdditionalAmounts, decodeAmount, decodeOriginalData } from '../src/index.ts'
import {
  decodePrivateData,
  decodeReplacementAmount,
  encodeAdditionalAmounts,
} from '../src/index.ts'
import { encodeAmount, encodeOriginalData, encodePrivateData } from '../src/index.ts'
import { encodeReplacementAmount } from '../src/index.ts'

const in48 = { code: 'subfield_invalid', field: 48 }
const in54 = { code: 'subfield_invalid', field: 54 }
const in90 = { code: 'subfield_invalid', field: 90 }
const in95 = { code: 'subfield_invalid', field: 95 }

const ORIGINAL = {
  mti: '0100',
  stan: '000001',
  transmissionTime: '1121142530',
  acquirerId: '400001',
}

test('the tags of DE 48 are written in ascending order for any order of input', () => {
  const text = encodePrivateData({ PA: '1', CV: '123', '3V': '2.2.0', 10: 'x' })

  assert.equal(text, '10001x3V0052.2.0CV003123PA0011')
  assert.deepEqual(decodePrivateData(text), { 10: 'x', '3V': '2.2.0', CV: '123', PA: '1' })
})

test('no tag at all is an empty text', () => {
  assert.equal(encodePrivateData({}), '')
  assert.deepEqual(decodePrivateData(''), {})
})

test('DE 48 holds 999 characters and not one more', () => {
  assert.equal(encodePrivateData({ OR: 'x'.repeat(994) }).length, 999)
  assert.throws(() => encodePrivateData({ OR: 'x'.repeat(995) }), in48)
  assert.throws(() => encodePrivateData({ AA: 'x'.repeat(500), BB: 'x'.repeat(490) }), in48)
  assert.throws(() => decodePrivateData(`OR994${'x'.repeat(994)}A`), in48)
  const tooLong = `AA500${'x'.repeat(500)}BB490${'x'.repeat(490)}`
  assert.throws(() => decodePrivateData(tooLong), in48)
})

test('a tag or a value that DE 48 cannot hold is refused when it is written', () => {
  for (const tags of [
    { cv: '1' },
    { CVV: '1' },
    { C: '1' },
    { CV: '' },
    { CV: 'ä' },
    { CV: '1\n' },
  ]) {
    assert.throws(() => encodePrivateData(tags), in48)
  }
})

test('a DE 48 that is not exactly as it would be written is refused', () => {
  const damaged = [
    'CV0011CV0012',
    'CV0011CP0011',
    'CV003',
    'CV00312',
    'CV000',
    'CV0x11',
    'cv0011',
    'C',
    'CV',
    'CV00',
    'CV001\n',
    'CV001123',
    'CV-011',
  ]
  for (const text of damaged) assert.throws(() => decodePrivateData(text), in48, text)
})

test('a text that DE 48 is read from is the text that would be written', () => {
  const tag = fc.string({ unit: fc.constantFrom(...'ABZ09'), minLength: 2, maxLength: 2 })
  const value = fc.string({ unit: fc.constantFrom(...' ~0A'), minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.dictionary(tag, value, { maxKeys: 12, noNullPrototype: true }), (tags) => {
      assert.deepEqual(decodePrivateData(encodePrivateData(tags)), tags)
    }),
  )
})

test('DE 90 names the original in 42 digits', () => {
  const text = encodeOriginalData(ORIGINAL)

  assert.equal(text, '010000000111211425300000040000100000000000')
  assert.deepEqual(decodeOriginalData(text), ORIGINAL)
})

test('an original that DE 90 could not reproduce is refused', () => {
  for (const change of [
    { stan: '1' },
    { transmissionTime: '112114253' },
    { acquirerId: '' },
    { acquirerId: '0123' },
    { acquirerId: '123456789012' },
  ]) {
    assert.throws(() => encodeOriginalData({ ...ORIGINAL, ...change }), in90)
  }
  assert.throws(() => encodeOriginalData({ ...ORIGINAL, mti: '9999' }), { code: 'mti_invalid' })
})

test('a DE 90 with a forwarder, without an acquirer or of another length is refused', () => {
  const text = encodeOriginalData(ORIGINAL)
  const damaged = [
    text.slice(1),
    `${text}0`,
    `${text.slice(0, 41)}1`,
    `${text.slice(0, 20)}${'0'.repeat(22)}`,
  ]
  for (const other of damaged) assert.throws(() => decodeOriginalData(other), in90)
})

test('an amount is 12 digits of minor units, both ways', () => {
  assert.equal(encodeAmount(12_345n), '000000012345')
  assert.equal(decodeAmount('999999999999'), 999_999_999_999n)
  for (const minor of [-1n, 1_000_000_000_000n]) {
    assert.throws(() => encodeAmount(minor), { code: 'subfield_invalid', field: 4 })
  }
  for (const text of ['', '1', '-00000000001', '0000000001.0', ' 00000000001']) {
    assert.throws(() => decodeAmount(text), { code: 'subfield_invalid', field: 4 })
  }
})

test('DE 95 holds the remaining amount and nothing else', () => {
  const text = encodeReplacementAmount(5_000n)

  assert.equal(text, `000000005000${'0'.repeat(30)}`)
  assert.equal(decodeReplacementAmount(text), 5_000n)
  assert.throws(() => decodeReplacementAmount(`${text.slice(0, 41)}1`), in95)
  assert.throws(() => decodeReplacementAmount(text.slice(1)), in95)
  assert.throws(() => decodeReplacementAmount(`-${text.slice(1)}`), in95)
})

test('DE 54 holds one to six amounts of 20 characters', () => {
  const entry = { accountType: '00', amountType: '57', currency: '840', sign: 'C' } as const
  const amounts = [
    { ...entry, amountMinor: 12_345n },
    { ...entry, amountType: '02', sign: 'D' as const, amountMinor: 0n },
  ]
  const text = encodeAdditionalAmounts(amounts)

  assert.equal(text, '0057840C0000000123450002840D000000000000')
  assert.deepEqual(decodeAdditionalAmounts(text), amounts)
  const seven = Array.from({ length: 7 }, () => ({ ...entry, amountMinor: 1n }))
  assert.throws(() => encodeAdditionalAmounts([]), in54)
  assert.throws(() => encodeAdditionalAmounts(seven), in54)
  assert.throws(
    () => encodeAdditionalAmounts([{ ...entry, accountType: '0', amountMinor: 1n }]),
    in54,
  )
  assert.throws(
    () =>
      encodeAdditionalAmounts([{ ...entry, accountType: '0', amountType: '057', amountMinor: 1n }]),
    in54,
  )
  assert.throws(() => encodeAdditionalAmounts([{ ...entry, amountMinor: -1n }]), in54)
  for (const damaged of [
    '',
    text.slice(1),
    text.replace('C', 'X'),
    text.replace('12345', '1234x'),
  ]) {
    assert.throws(() => decodeAdditionalAmounts(damaged), in54)
  }
})
