import type pg from 'pg'
import { createEvidenceSeal, type EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { openKeyEncryptingKeys, type KekSettings } from '../adapters/vault/key-encrypting-keys.ts'
import { openKeyRing, type KeyRing } from '../adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../adapters/vault/place-seal.ts'
import { createSecretSeal, type SecretSeal } from '../adapters/vault/secret-seal.ts'

/** Opens the seal of an operator's secrets. Called for each: no other operation needs the key. */
export async function openSeal(pool: pg.Pool, options: KekSettings): Promise<SecretSeal> {
  return createSecretSeal(createPlaceSeal(await openKeys(pool, options)))
}

/** Opens the seal of evidence, which operators read and write for merchants. */
export async function openEvidenceSeal(pool: pg.Pool, options: KekSettings): Promise<EvidenceSeal> {
  return createEvidenceSeal(createPlaceSeal(await openKeys(pool, options)))
}

async function openKeys(pool: pg.Pool, options: KekSettings): Promise<KeyRing> {
  return openKeyRing({
    database: pool,
    keks: await openKeyEncryptingKeys(options),
    worker: null,
    monotonicMs: () => performance.now(),
    onTrouble: () => undefined,
  })
}
