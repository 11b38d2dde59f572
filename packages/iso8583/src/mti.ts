import { BCD_TEXT } from './byte-tables.ts'
import type { Cursor } from './field-codec.ts'
import { Iso8583Error } from './iso8583-error.ts'

/** A valid MTI: 1987 or 1993, a class, a function, an origin. */
const MTI = /^[01][1-8][0-4][0-5]$/

/** Throws Iso8583Error when the text is not a message type of the versions that we know. */
export function assertMti(mti: string, offset?: number): void {
  if (MTI.test(mti)) return
  const text = 'The message type is not four digits of a known version, class, function and origin.'
  throw new Iso8583Error('mti_invalid', text, offset === undefined ? {} : { offset })
}

/**
 * The answer's message type: `0110` for `0100` and for its repeat `0101`. Throws Iso8583Error for a
 * type that is itself an answer or a notification.
 */
export function answerMti(mti: string): string {
  assertMti(mti)
  const requested = Number(mti[2])
  if (requested !== 0 && requested !== 2) {
    const text = `A message of type ${mti} is not a request or an advice, so nothing answers it.`
    throw new Iso8583Error('mti_has_no_answer', text)
  }
  return `${mti.slice(0, 2)}${requested + 1}${firstOrigin(mti)}`
}

/**
 * The message type of a repeat: `0421` for `0420`, and for `0421` too. Throws Iso8583Error for an
 * answer, which is never repeated by itself.
 */
export function repeatMti(mti: string): string {
  assertMti(mti)
  if (mti[2] === '1' || mti[2] === '3') {
    const text = `A message of type ${mti} is an answer, and answers have no repeat of their own.`
    throw new Iso8583Error('mti_has_no_repeat', text)
  }
  return `${mti.slice(0, 3)}${firstOrigin(mti) + 1}`
}

/** Whether the type is that of an advice or its repeat, such as `0220` and `0421`. */
export function isAdvice(mti: string): boolean {
  return mti[2] === '2'
}

/** The origin without its repeat mark: acquirer 0, issuer 2, other 4. */
function firstOrigin(mti: string): number {
  return Number(mti[3]) & ~1
}

/** How a profile writes the message type in front of a message. */
export interface MtiPart {
  write(mti: string, out: Buffer): number
  read(cursor: Cursor): string
}

export const ASCII_MTI: MtiPart = {
  write(mti, out) {
    for (let index = 0; index < 4; index++) out[index] = mti.charCodeAt(index)
    return 4
  },
  read(cursor) {
    if (cursor.text.length < 4) throw truncated()
    const mti = cursor.text.slice(0, 4)
    assertMti(mti, 0)
    cursor.at = 4
    return mti
  },
}

export const BCD_MTI: MtiPart = {
  write(mti, out) {
    out[0] = ((mti.charCodeAt(0) - 48) << 4) | (mti.charCodeAt(1) - 48)
    out[1] = ((mti.charCodeAt(2) - 48) << 4) | (mti.charCodeAt(3) - 48)
    return 2
  },
  read(cursor) {
    if (cursor.text.length < 2) throw truncated()
    const high = BCD_TEXT[cursor.text.charCodeAt(0)] ?? ''
    const mti = high + (BCD_TEXT[cursor.text.charCodeAt(1)] ?? '')
    assertMti(mti, 0)
    cursor.at = 2
    return mti
  },
}

function truncated(): Iso8583Error {
  const text = 'The message ends inside its message type.'
  return new Iso8583Error('message_truncated', text, { offset: 0 })
}
