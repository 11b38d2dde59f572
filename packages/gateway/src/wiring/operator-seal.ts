import type pg from 'pg'
import { openKeyEncryptingKeys, type KekSettings } from '../adapters/vault/key-encrypting-keys.ts'
import { openKeyRing } from '../adapters/vault/key-ring.ts'
import { createSecretSeal, type SecretSeal } from '../adapters/vault/secret-seal.ts'

/** Opens the seal of an operator's secrets. Called for each: no other operation needs the key. */
export async function openSeal(pool: pg.Pool, options: KekSettings): Promise<SecretSeal> {
  const keys = await openKeyRing({
    database: pool,
    keks: await openKeyEncryptingKeys(options),
    worker: null,
    monotonicMs: () => performance.now(),
    onTrouble: () => undefined,
  })
  return createSecretSeal(keys)
}
