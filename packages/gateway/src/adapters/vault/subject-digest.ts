import { createHmac, createSecretKey } from 'node:crypto'
import { cardFingerprint } from './card-vault.ts'
import type { KeyRing } from './key-ring.ts'

/** No merchant has it, so that the derived key is the fingerprint of no card. */
const NO_MERCHANT = 0n

/**
 * A keyed digest of short texts that are easily guessed, such as a BIN: the first 128 bits of an
 * HMAC-SHA-256, in hexadecimal. Its key is derived from the fingerprint key. So every process with
 * the vault's keys computes the same one, and the database holds none of it.
 */
export function createSubjectDigest(derived: string): (text: string) => string {
  const key = createSecretKey(derived, 'hex')
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}

/** The key of the digest, hexadecimal. The fingerprint key does not follow from it. */
export function subjectDigestKey(keys: Pick<KeyRing, 'fingerprintKey'>): string {
  return cardFingerprint(keys, 'key of the card-testing digests', NO_MERCHANT)
}
