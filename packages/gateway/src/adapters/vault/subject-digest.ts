import { createHmac, createSecretKey } from 'node:crypto'
import { Secret } from '../../base/secret.ts'
import type { CardVault } from '../../usecases/vault/card-vault.ts'

/** No merchant has it, so that the derived key is the fingerprint of no card. */
const NO_MERCHANT = 0n

/**
 * A keyed digest of short texts that are easily guessed, such as a BIN: the first 128 bits of an
 * HMAC-SHA-256, in hexadecimal. Its key is derived from the fingerprint key. So every process with
 * the vault's keys computes the same one, and the database holds none of it.
 */
export function createSubjectDigest(
  vault: Pick<CardVault, 'fingerprint'>,
): (text: string) => string {
  const derived = vault.fingerprint(new Secret('key of the card-testing digests'), NO_MERCHANT)
  const key = createSecretKey(derived, 'hex')
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}
