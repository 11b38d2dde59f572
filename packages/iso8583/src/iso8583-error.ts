/** Errors of bytes, of a message or of one of its fields. The names are stable. */
export type Iso8583ErrorCode =
  | 'bitmap_invalid'
  | 'bitmap_secondary_empty'
  | 'bitmap_tertiary'
  | 'field_content_invalid'
  | 'field_length_invalid'
  | 'field_missing'
  | 'field_padding_invalid'
  | 'field_unknown'
  | 'frame_length_invalid'
  | 'message_too_long'
  | 'message_trailing_bytes'
  | 'message_truncated'
  | 'mti_has_no_answer'
  | 'mti_has_no_repeat'
  | 'mti_invalid'
  | 'subfield_invalid'

/** The place of the error: the data element's number, and the offset when bytes were read. */
export interface Iso8583ErrorPlace {
  readonly field?: number
  readonly offset?: number
}

/**
 * The only error that reading or building a message throws. Its text never holds a field's value,
 * so it can be logged as it is.
 */
export class Iso8583Error extends Error {
  override readonly name = 'Iso8583Error'
  readonly code: Iso8583ErrorCode
  // Declared only: a field that is not known is absent, not undefined.
  declare readonly field?: number
  declare readonly offset?: number

  constructor(code: Iso8583ErrorCode, message: string, place: Iso8583ErrorPlace = {}) {
    super(message)
    this.code = code
    if (place.field !== undefined) this.field = place.field
    if (place.offset !== undefined) this.offset = place.offset
  }
}
