/** One field of an answer: its wire name, its text, and whether JSON shows it as a number. */
export interface Field {
  readonly name: string
  readonly text: string
  /** Only ever true for a text that is a JSON number as it stands; an empty text is never one. */
  readonly numeric: boolean
}

/** An answer: its fields in the order in which they are written. */
export type WireRecord = readonly Field[]

/** The answer to a question about an order: one record an event, each with the event's own id. */
export interface EventTable {
  /** '' for an event without an id. */
  readonly transactionId: string
  readonly fields: WireRecord
}

export function text(name: string, value: string): Field {
  return { name, text: value, numeric: false }
}

/** A field that JSON shows as a number when it holds one, else as a string. */
export function number(name: string, value: string | number | bigint | null): Field {
  const digits = value === null ? '' : String(value)
  return { name, text: digits, numeric: isJsonNumber(digits) }
}

/**
 * A number that a JSON reader reproduces exactly: no zeros at its ends, no negative zero, and
 * short enough for a 64-bit float without rounding. Anything else stays a string.
 */
function isJsonNumber(digits: string): boolean {
  return digits.length <= 15 && /^(?!-0$)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(digits)
}
