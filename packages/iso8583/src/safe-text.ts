import type { IsoMessage } from './codec.ts'
import { decodePrivateData } from './private-data.ts'

const REMOVED = '[removed]'

/**
 * The fields whose values may be shown. It is an allow-list: a field added to a profile later stays
 * hidden until it is named here. Not named on purpose: expiry, tracks, PIN block, chip data,
 * private fields, accounts and the address.
 */
const SHOWN: ReadonlySet<number> = new Set([
  ...range(3, 13),
  ...range(15, 33),
  ...range(37, 44),
  ...range(49, 51),
  54,
  64,
  ...range(66, 97),
  ...range(99, 101),
  128,
])

/** The tags of DE 48 that may be seen. CV, CA, TK and UN are secrets, and unknown tags might be. */
const SHOWN_TAGS: ReadonlySet<string> = new Set(
  '3V AT AU BD BN CI CP DS EC IC IT MA NO NT OR PA PC PM PR PT RR SQ TL UD UR VC'.split(' '),
)

/**
 * One line that describes a message and may be logged: the MTI, then `number=value` for each field.
 * The card number is masked, and a possible secret reads `[removed]`.
 */
export function toSafeText(message: IsoMessage): string {
  const parts = Object.entries(message.fields).map(
    ([field, value]) => `${field}=${safeValue(Number(field), value)}`,
  )
  return printable([message.mti, ...parts].join(' '))
}

function safeValue(field: number, value: string): string {
  if (field === 2) return maskPan(value)
  if (field === 48) return safePrivateData(value)
  return SHOWN.has(field) ? value : REMOVED
}

/** First six and last four of 15 digits and more, last four of 12 and more, else nothing. */
function maskPan(pan: string): string {
  if (!/^[0-9]{12,19}$/.test(pan)) return REMOVED
  const shown = pan.length >= 15 ? pan.slice(0, 6) : ''
  return shown.padEnd(pan.length - 4, '*') + pan.slice(-4)
}

function safePrivateData(text: string): string {
  let tags: Record<string, string>
  try {
    tags = decodePrivateData(text)
  } catch {
    // An unreadable text cannot be searched for secrets, so none of it is shown.
    return REMOVED
  }
  const shown = Object.entries(tags).map(
    ([tag, value]) => `${tag}:${SHOWN_TAGS.has(tag) ? value : REMOVED}`,
  )
  return `{${shown.join(' ')}}`
}

/** A message made by hand may hold a line break; a log line must stay one line. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, '?')
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
