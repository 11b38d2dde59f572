import { HOUSE_FIELDS } from './fields-1987.ts'

/**
 * What a field may hold: `n` digits; `an` letters and digits; `ans` printable ASCII, 32 to 126;
 * `b` bytes, written as upper-case hexadecimal in a message; `x+n` the letter C or D, then digits.
 */
export type FieldKind = 'n' | 'an' | 'ans' | 'b' | 'x+n'

/** A fixed length, or a length of two or three digits in front of the value. */
export type FieldLength = 'fixed' | 'LL' | 'LLL'

/** One row of a field table. `max` counts characters, for `b` bytes, for `x+n` its letter too. */
export interface FieldSpec {
  readonly name: string
  readonly kind: FieldKind
  readonly length: FieldLength
  readonly max: number
}

/** A dialect of ISO 8583: how its parts are written, and which fields it knows. */
export interface Profile {
  readonly name: string
  /** How the MTI, numeric fields and lengths are written; BCD is padded with a zero in front. */
  readonly digits: 'ascii' | 'bcd'
  readonly bitmap: 'hex' | 'binary'
  readonly binary: 'hex' | 'raw'
  /** By data element, 2 to 128. A field that is not here is refused, both ways. */
  readonly fields: Readonly<Record<number, FieldSpec>>
}

/** ASCII digits and hexadecimal bitmaps: a message is one line of printable text. */
export const HOUSE_PROFILE: Profile = {
  name: 'house',
  digits: 'ascii',
  bitmap: 'hex',
  binary: 'hex',
  fields: HOUSE_FIELDS,
}

/** The same fields with BCD digits and binary bitmaps, as many hosts want them. */
export const HOUSE_BCD_PROFILE: Profile = {
  name: 'house_bcd',
  digits: 'bcd',
  bitmap: 'binary',
  binary: 'raw',
  fields: HOUSE_FIELDS,
}
