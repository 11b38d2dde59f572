import { fc } from '../../../test/support/properties.ts'
import type { FieldSpec, IsoMessage } from '../src/index.ts'
import { HOUSE_PROFILE } from '../src/index.ts'

const DIGITS = [...'0123456789']
const ALPHANUMERICS = [...DIGITS, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const PRINTABLES = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const HEX_DIGITS = [...DIGITS, ...'ABCDEF']

function text(characters: string[], minLength: number, maxLength: number): fc.Arbitrary<string> {
  const character = fc.constantFrom(...characters)
  return fc.string({ unit: character, minLength, maxLength, size: 'max' })
}

/** A value of full length, as a codec gives it back. */
export function fieldValue({ kind, length, max }: FieldSpec): fc.Arbitrary<string> {
  const min = length === 'fixed' ? max : 1
  switch (kind) {
    case 'n':
      return text(DIGITS, min, max)
    case 'an':
      return text(ALPHANUMERICS, min, max)
    case 'ans':
      return text(PRINTABLES, min, max)
    case 'b':
      return text(HEX_DIGITS, max * 2, max * 2)
    case 'x+n':
      return fc
        .tuple(fc.constantFrom('C', 'D'), text(DIGITS, max - 1, max - 1))
        .map(([sign, digits]) => sign + digits)
  }
}

export const anyMti: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...'01'),
    fc.constantFrom(...'12345678'),
    fc.constantFrom(...'01234'),
    fc.constantFrom(...'012345'),
  )
  .map((digits) => digits.join(''))

const FIELDS = Object.entries(HOUSE_PROFILE.fields).map(([field, spec]) => ({
  field: Number(field),
  spec,
}))

/** Any message of the house field table that fits into a frame. */
export const anyMessage: fc.Arbitrary<IsoMessage> = fc
  .record({ mti: anyMti, fields: fc.subarray(FIELDS, { maxLength: 24 }) })
  .chain(({ mti, fields }) =>
    fc.tuple(...fields.map(({ spec }) => fieldValue(spec))).map((values): IsoMessage => {
      const pairs = fields.map(({ field }, index) => [field, values[index] ?? ''] as const)
      return { mti, fields: Object.fromEntries(pairs) }
    }),
  )
  .filter(({ fields }) => Object.values(fields).join('').length < 7_000)
