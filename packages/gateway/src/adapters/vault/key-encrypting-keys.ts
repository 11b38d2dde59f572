import type { Secret } from '../../base/secret.ts'
import { createLocalKeyWrapper, type KeyWrapper } from './key-wrapper.ts'

/**
 * The source of the key-encrypting keys. At most one of `vaultKey` and `vaultKmsKey` is set.
 */
export interface KekSettings {
  /** Base64 of 32 bytes. */
  readonly vaultKey: Secret | null
  /** Key id, ARN or alias of AWS KMS. */
  readonly vaultKmsKey?: string | null
  /** While the key-encrypting key is changed: the one before. */
  readonly vaultKeyPrevious?: Secret | { readonly kmsKey: string } | null
}

/** The key-encrypting key in force, and the one before it while it is being replaced. */
export interface KeyEncryptingKeys {
  /** Wraps; it and the one before unwrap. */
  readonly current: KeyWrapper
  /** The one that wrapped a data key. Throws a sentence with the ids when it is not at hand. */
  wrapperOf(dataKey: { readonly id: number; readonly kek_id: string }): KeyWrapper
}

/** Opens what the settings name; the KMS client is loaded only where it is named. */
export async function openKeyEncryptingKeys(settings: KekSettings): Promise<KeyEncryptingKeys> {
  const { vaultKey, vaultKmsKey, vaultKeyPrevious } = settings
  const current =
    typeof vaultKmsKey === 'string'
      ? await openKms(vaultKmsKey)
      : vaultKey === null
        ? null
        : local(vaultKey)
  if (current === null) {
    throw new Error('There is no vault key: set VAULT_KEY, VAULT_KEY_FILE or VAULT_KMS_KEY.')
  }
  const previous =
    vaultKeyPrevious === undefined || vaultKeyPrevious === null
      ? null
      : 'kmsKey' in vaultKeyPrevious
        ? await openKms(vaultKeyPrevious.kmsKey)
        : local(vaultKeyPrevious)
  return keyEncryptingKeys(current, previous)
}

/** The set of one or two wrappers. */
export function keyEncryptingKeys(
  current: KeyWrapper,
  previous: KeyWrapper | null,
): KeyEncryptingKeys {
  const all = previous === null ? [current] : [current, previous]
  return {
    current,
    wrapperOf({ id, kek_id }) {
      const found = all.find((wrapper) => wrapper.id === kek_id)
      if (found !== undefined) return found
      throw new Error(
        `Data key ${id} is wrapped by the key-encrypting key ${kek_id}, and this process has ` +
          `${all.map((wrapper) => wrapper.id).join(' and ')}. Start with the key that it was wrapped ` +
          'by, or name that one with VAULT_KEY_PREVIOUS while the key is being replaced.',
      )
    },
  }
}

async function openKms(name: string): Promise<KeyWrapper> {
  const { openKmsKeyWrapper } = await import('./kms-key-wrapper.ts')
  return openKmsKeyWrapper(name)
}

function local(key: Secret): KeyWrapper {
  return createLocalKeyWrapper(Buffer.from(key.reveal(), 'base64'))
}
