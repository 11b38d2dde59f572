import type { FieldSpec } from './field-spec.ts'
import { HOUSE_FIELDS } from './fields-1987.ts'

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
