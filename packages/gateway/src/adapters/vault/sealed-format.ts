import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'

/** A data key ready for use; `id` travels with every ciphertext. */
export interface DataKey {
  readonly id: number
  /** A key object: a key given as bytes is taken over again for every card. */
  readonly key: KeyObject
}

/** Of every secret, and of card numbers that were stored before they were bound to a merchant. */
export const BOUND_TO_ROW = 1
/** Of card numbers. */
export const BOUND_TO_MERCHANT = 2
/** Says what a ciphertext is bound to. The layout is the same. */
export type SealedFormat = typeof BOUND_TO_ROW | typeof BOUND_TO_MERCHANT

export const NONCE_BYTES = 12
const NONCE_AT = 1 + 4
const CIPHERTEXT_AT = NONCE_AT + NONCE_BYTES
const TAG_BYTES = 16

/**
 * Stored are: 1 byte format, 4 bytes key id, 12 bytes nonce, ciphertext, 16 bytes
 * tag. The cipher is AES-256-GCM with the place it belongs to as additional data. Returns
 * hexadecimal, the form in which it goes to the database.
 */
export function sealText(
  { id, key }: DataKey,
  nonce: Buffer,
  plain: string | Buffer,
  binding: string,
  format: SealedFormat,
): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(binding))
  const body =
    (typeof plain === 'string'
      ? cipher.update(plain, 'utf8', 'hex')
      : cipher.update(plain, undefined, 'hex')) + cipher.final('hex')
  return header(format, id) + nonce.toString('hex') + body + cipher.getAuthTag().toString('hex')
}

/** Throws when it was sealed under another key or for another place, or was changed. */
export function openSealed({ id, key }: DataKey, stored: Uint8Array, binding: string): Buffer {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  invariant(dataKeyIdOf(bytes) === id, 'a sealed text was to be opened with another key')
  const nonce = bytes.subarray(NONCE_AT, CIPHERTEXT_AT)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(binding))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([
    decipher.update(bytes.subarray(CIPHERTEXT_AT, -TAG_BYTES)),
    decipher.final(),
  ])
}

/** Reads the format of a stored text. Throws for an unknown one. */
export function formatOf([format]: Uint8Array): SealedFormat {
  const isKnown = format === BOUND_TO_ROW || format === BOUND_TO_MERCHANT
  invariant(isKnown, 'a sealed text has an unknown format')
  return format
}

/** Which data key opens it. */
export function dataKeyIdOf(stored: Uint8Array): number {
  formatOf(stored)
  return new DataView(stored.buffer, stored.byteOffset, stored.byteLength).getUint32(1)
}

function header(format: SealedFormat, keyId: number): string {
  return `0${format}` + keyId.toString(16).padStart(8, '0')
}
