import { createHmac, timingSafeEqual } from 'node:crypto'

/** The input of a CAVV. Amount in minor units, currency as ISO 4217 numeric code. */
export interface CavvParts {
  readonly dsTransId: string
  readonly pan: string
  readonly amount: bigint
  readonly currency: string
  /** As the ACS returned it: 05 and 06, Mastercard 02 and 01. */
  readonly eci: string
}

const CAVV_BYTES = 20

/**
 * The simulator's cryptogram, 20 bytes. No payment scheme calculates it like this: it prevents an
 * authorization with another payment's authentication.
 */
export function makeCavv(
  key: Buffer,
  { amount, currency, dsTransId, eci, pan }: CavvParts,
): Buffer {
  const text = ['1', dsTransId, pan, amount.toString(), currency, eci].join('|')
  return createHmac('sha256', key).update(text).digest().subarray(0, CAVV_BYTES)
}

/** Whether 40 hexadecimal digits are the CAVV of these parts. */
export function isCavvOf(key: Buffer, hex: string, parts: CavvParts): boolean {
  const given = Buffer.from(hex, 'hex')
  return given.length === CAVV_BYTES && timingSafeEqual(given, makeCavv(key, parts))
}
