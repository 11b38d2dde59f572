import { randomBytes } from 'node:crypto'
import { auditing } from '../adapters/postgres/audit/admin-transaction.ts'
import { createCardVault } from '../adapters/vault/card-vault.ts'
import { createEvidenceSeal, type EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { openKeyEncryptingKeys } from '../adapters/vault/key-encrypting-keys.ts'
import { openKeyRing } from '../adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../adapters/vault/place-seal.ts'
import { createReencryption } from '../adapters/vault/reencryption.ts'
import { createSecretSeal, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import { createSecurityCodeSeal } from '../adapters/vault/security-code-seal.ts'
import { createSubjectDigest, subjectDigestKey } from '../adapters/vault/subject-digest.ts'
import type { SecurityCodeSeal } from '../usecases/card-tokens/card-token-store.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import { reencrypt } from '../usecases/vault/reencrypt.ts'
import { pause, type Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

export interface VaultParts extends Part {
  readonly vault: CardVault
  readonly seal: SecretSeal
  readonly evidence: EvidenceSeal
  readonly codes: SecurityCodeSeal
  /** A digest whose text cannot be guessed without the vault's keys. */
  readonly keyedDigest: (text: string) => string
}

/** How long a change of the data keys may take to be seen; an unknown one is looked for at once. */
const READ_KEYS_EVERY_MS = 2_000
const REENCRYPT_EVERY_MS = 3_000

/** Everything that is encrypted with the data keys. */
export async function wireVault(foundation: Foundation): Promise<VaultParts> {
  const { config, logger, database, audit, actor, processName, metrics, monotonicMs } = foundation
  const keys = await openKeyRing({
    database: database.pool,
    keks: await openKeyEncryptingKeys(config),
    // Containers on one host may have its name and the same process ids.
    worker: `${processName}:${randomBytes(3).toString('hex')}`,
    monotonicMs,
    onTrouble: (trouble) =>
      logger.error({ trouble }, 'a data key could not be loaded; the others are in use'),
  })
  const reencryption = createReencryption({ pool: database.pool, keys, actor, ...auditing })
  const vault = createCardVault({
    keys,
    audit,
    actor,
    onUnreadable: ({ kind, id }, error) =>
      logger.error({ kind, id: id.toString(), error: error.message }, 'a card cannot be decrypted'),
  })
  const places = createPlaceSeal(keys)
  return {
    vault,
    keyedDigest: createSubjectDigest(subjectDigestKey(keys)),
    seal: createSecretSeal(places),
    evidence: createEvidenceSeal(places),
    codes: createSecurityCodeSeal(keys),
    jobs: [
      {
        name: 're-encrypt cards',
        everyMs: REENCRYPT_EVERY_MS,
        run: () =>
          reencrypt({ reencryption, monotonicMs, pause, onMoved: metrics.countReencrypted }),
      },
    ],
    followers: [follow('data keys', READ_KEYS_EVERY_MS, keys.refresh)],
    stop: () => keys.leave().catch(() => undefined),
  }
}
