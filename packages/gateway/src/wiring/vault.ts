import { randomBytes } from 'node:crypto'
import { createVaultWaits } from '../adapters/metrics/vault-metrics.ts'
import { auditing } from '../adapters/postgres/audit/admin-transaction.ts'
import { createCardVault } from '../adapters/vault/card-vault.ts'
import { createEvidenceSeal, type EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { openKeyEncryptingKeys } from '../adapters/vault/key-encrypting-keys.ts'
import { openKeyRing, type LiveKeyRing } from '../adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../adapters/vault/place-seal.ts'
import { createDestroyedKeys } from '../adapters/vault/process/destroyed-keys.ts'
import { createRemoteVault } from '../adapters/vault/process/remote-vault.ts'
import { connectToVault, type VaultSocket } from '../adapters/vault/process/vault-client.ts'
import type { VaultWork } from '../adapters/vault/process/vault-work.ts'
import { createReencryption } from '../adapters/vault/reencryption.ts'
import { createSecretSeal, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import { createSecurityCodeSeal } from '../adapters/vault/security-code-seal.ts'
import { createSubjectDigest, subjectDigestKey } from '../adapters/vault/subject-digest.ts'
import type { SecurityCodeSeal } from '../usecases/card-tokens/card-token-store.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import { reencrypt } from '../usecases/vault/reencrypt.ts'
import { pause, type Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

export type { VaultSocket } from '../adapters/vault/process/vault-client.ts'

export interface VaultParts extends Part {
  readonly vault: CardVault
  readonly seal: SecretSeal
  readonly evidence: EvidenceSeal
  readonly codes: SecurityCodeSeal
  /** A digest whose text cannot be guessed without the vault's keys. */
  readonly keyedDigest: (text: string) => string
  /** Of the vault process; null where this process has the data keys itself. */
  readonly state: () => 'up' | 'away' | null
}

/** How long a change of the data keys may take to be seen; an unknown one is looked for at once. */
const READ_KEYS_EVERY_MS = 2_000
const REENCRYPT_EVERY_MS = 3_000

/**
 * Everything that is encrypted with the data keys. With a vault process, this process has none of
 * them and asks it.
 */
export function wireVault(foundation: Foundation, socket: VaultSocket | null): Promise<VaultParts> {
  return socket === null ? wireOwnVault(foundation) : wireVaultProcess(foundation, socket)
}

async function wireOwnVault(foundation: Foundation): Promise<VaultParts> {
  const { actor } = foundation
  const keys = await openLiveKeys(foundation)
  return {
    ...partsOf(foundation, workWith(foundation, keys, actor), subjectDigestKey(keys)),
    state: () => null,
    followers: [followKeys(keys)],
    stop: () => keys.leave().catch(() => undefined),
  }
}

async function wireVaultProcess(foundation: Foundation, socket: VaultSocket): Promise<VaultParts> {
  const { actor, database, logger, metrics, monotonicMs } = foundation
  const client = connectToVault({
    socket,
    actor,
    monotonicMs,
    onState(state, why) {
      if (state === 'up') logger.info('the vault process answers')
      else logger.error({ reason: why }, 'the vault process is away: payments wait for it')
    },
    onAnswered: createVaultWaits(metrics.registry),
  })
  const destroyed = createDestroyedKeys(database.pool)
  await destroyed.refresh()
  const work = createRemoteVault(client, destroyed)
  return {
    ...partsOf(foundation, work, await client.digestKey()),
    state: client.state,
    followers: [follow('destroyed data keys', READ_KEYS_EVERY_MS, destroyed.refresh)],
    stop: () => Promise.resolve(client.close()),
  }
}

function partsOf(
  { metrics, monotonicMs }: Foundation,
  { codes, places, reencryption, vault }: VaultWork,
  digestKey: string,
): Omit<VaultParts, 'state'> {
  return {
    vault,
    codes,
    keyedDigest: createSubjectDigest(digestKey),
    seal: createSecretSeal(places),
    evidence: createEvidenceSeal(places),
    jobs: [
      {
        name: 're-encrypt cards',
        everyMs: REENCRYPT_EVERY_MS,
        run: () =>
          reencrypt({ reencryption, monotonicMs, pause, onMoved: metrics.countReencrypted }),
      },
    ],
  }
}

type KeyNeeds = Pick<
  Foundation,
  'audit' | 'config' | 'database' | 'logger' | 'monotonicMs' | 'processName'
>

/** The data keys of this process, which reports to the others that it has them. */
export async function openLiveKeys(needs: Omit<KeyNeeds, 'audit'>): Promise<LiveKeyRing> {
  const { config, database, logger, monotonicMs, processName } = needs
  return openKeyRing({
    database: database.pool,
    keks: await openKeyEncryptingKeys(config),
    // Containers on one host may have its name and the same process ids.
    worker: `${processName}:${randomBytes(3).toString('hex')}`,
    monotonicMs,
    onTrouble: (trouble) =>
      logger.error({ trouble }, 'a data key could not be loaded; the others are in use'),
  })
}

export function followKeys(keys: LiveKeyRing) {
  return follow('data keys', READ_KEYS_EVERY_MS, keys.refresh)
}

/** All work with the data keys, for one actor of the audit log. */
export function workWith(
  { audit, database, logger }: Pick<KeyNeeds, 'audit' | 'database' | 'logger'>,
  keys: LiveKeyRing,
  actor: string,
): VaultWork {
  return {
    vault: createCardVault({
      keys,
      audit,
      actor,
      onUnreadable: ({ kind, id }, error) =>
        logger.error(
          { kind, id: id.toString(), error: error.message },
          'a card cannot be decrypted',
        ),
    }),
    places: createPlaceSeal(keys),
    codes: createSecurityCodeSeal(keys),
    reencryption: createReencryption({ pool: database.pool, keys, actor, ...auditing }),
  }
}
