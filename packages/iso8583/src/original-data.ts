import { Iso8583Error } from './iso8583-error.ts'
import { assertMti } from './mti.ts'

/** DE 90's reference to the original message of an advice or a reversal. */
export interface OriginalData {
  readonly mti: string
  /** DE 11 of the original: 6 digits. */
  readonly stan: string
  /** DE 7 of the original: MMDDhhmmss. */
  readonly transmissionTime: string
  /** DE 32 of the original: 1 to 11 digits, the first of them not zero. */
  readonly acquirerId: string
}

const NO_FORWARDER = '0'.repeat(11)
const STAN = /^[0-9]{6}$/
const TRANSMISSION_TIME = /^[0-9]{10}$/
// DE 90 pads the id with zeros in front, so a leading zero of its own would be lost.
const ACQUIRER_ID = /^[1-9][0-9]{0,10}$/

/** DE 90, 42 digits: MTI, STAN, transmission time, DE 32 and an empty DE 33. */
export function encodeOriginalData(original: OriginalData): string {
  assertOriginal(original)
  const { mti, stan, transmissionTime, acquirerId } = original
  return `${mti}${stan}${transmissionTime}${acquirerId.padStart(11, '0')}${NO_FORWARDER}`
}

/** Reads DE 90. Throws Iso8583Error when it is not one that {@link encodeOriginalData} writes. */
export function decodeOriginalData(text: string): OriginalData {
  if (text.length !== 42 || text.slice(31) !== NO_FORWARDER) {
    throw fault('DE 90 is not 42 digits that end with 11 zeros for an absent forwarder.')
  }
  const original = {
    mti: text.slice(0, 4),
    stan: text.slice(4, 10),
    transmissionTime: text.slice(10, 20),
    acquirerId: text.slice(20, 31).replace(/^0+/, ''),
  }
  assertOriginal(original)
  return original
}

function assertOriginal({ mti, stan, transmissionTime, acquirerId }: OriginalData): void {
  assertMti(mti)
  if (!STAN.test(stan)) throw fault('The STAN of the original in DE 90 is not 6 digits.')
  if (!TRANSMISSION_TIME.test(transmissionTime)) {
    throw fault('The transmission time of the original in DE 90 is not 10 digits.')
  }
  if (!ACQUIRER_ID.test(acquirerId)) {
    throw fault('The acquirer in DE 90 is not 1 to 11 digits of which the first is not zero.')
  }
}

function fault(text: string): Iso8583Error {
  return new Iso8583Error('subfield_invalid', text, { field: 90 })
}
