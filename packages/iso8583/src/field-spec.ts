/**
 * The contents of a field: `n` digits; `an` letters and digits; `ans` ASCII 32 to 126, printable.
 * Kind `b` is bytes, as upper-case hexadecimal in a message; `x+n` the letter C or D, then digits.
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
