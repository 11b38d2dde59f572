import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'

/** A data key ready for use; `id` travels with every ciphertext. */
export interface DataKey {
  readonly id: number
  /** A key object: a key given as bytes is taken over again for every card. */
  readonly key: KeyObject
}

const FORMAT = 1
export const NONCE_BYTES = 12
const NONCE_AT = 1 + 4
const CIPHERTEXT_AT = NONCE_AT + NONCE_BYTES
const TAG_BYTES = 16

/**
 * Format of what is stored: 1 byte format (1), 4 bytes key id, 12 bytes nonce, ciphertext, 16 bytes
 * tag. The cipher is AES-256-GCM with the place it belongs to as additional data. Returns
 * hexadecimal, the form in which it goes to the database.
 */
export function sealText(
  { id, key }: DataKey,
  nonce: Buffer,
  plain: string | Buffer,
  binding: string,
): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(binding))
  const body =
    (typeof plain === 'string'
      ? cipher.update(plain, 'utf8', 'hex')
      : cipher.update(plain, undefined, 'hex')) + cipher.final('hex')
  return header(id) + nonce.toString('hex') + body + cipher.getAuthTag().toString('hex')
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

/** Which data key opens it. */
export function dataKeyIdOf(stored: Uint8Array): number {
  invariant(stored[0] === FORMAT, 'a sealed text has an unknown format')
  return new DataView(stored.buffer, stored.byteOffset, stored.byteLength).getUint32(1)
}

function header(keyId: number): string {
  return '01' + keyId.toString(16).padStart(8, '0')
}
