import type { IsoMessage } from './codec.ts'
import { Iso8583Error } from './iso8583-error.ts'
import { assertMti } from './mti.ts'
import { decodeOriginalData } from './original-data.ts'

/**
 * The identity of a message, `DE32/DE41/DE11/DE7`, which its repeats and its answer share. Fields
 * that a codec would fill are filled here too, so the key is the same before and after the wire.
 * Throws Iso8583Error (`field_missing`) when one of the four is not there.
 */
export function messageKey(message: IsoMessage): string {
  const terminal = needed(message, 41).padEnd(8, ' ')
  const stan = needed(message, 11).padStart(6, '0')
  const transmissionTime = needed(message, 7).padStart(10, '0')
  return `${needed(message, 32)}/${terminal}/${stan}/${transmissionTime}`
}

/**
 * The message key of the message that this one's DE 90 names. DE 90 holds no terminal: an advice is
 * sent from the terminal of its order, so DE 41 of the message itself is taken.
 */
export function originalMessageKey(message: IsoMessage): string {
  const { stan, transmissionTime, acquirerId } = decodeOriginalData(needed(message, 90))
  const terminal = needed(message, 41).padEnd(8, ' ')
  return `${acquirerId}/${terminal}/${stan}/${transmissionTime}`
}

/**
 * The key that pairs an answer with its request: version and class of the MTI, then the message
 * key. A request, its repeats and their answers have one pairing key.
 */
export function pairingKey(message: IsoMessage): string {
  assertMti(message.mti)
  return `${message.mti.slice(0, 2)}/${messageKey(message)}`
}

function needed(message: IsoMessage, field: number): string {
  const value = message.fields[field]
  if (value !== undefined) return value
  const text = `The message has no DE ${field}, which is part of its identity.`
  throw new Iso8583Error('field_missing', text, { field })
}
