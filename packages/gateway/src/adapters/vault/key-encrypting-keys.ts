import type { Secret } from '../../base/secret.ts'
import { createLocalKeyWrapper, type KeyWrapper } from './key-wrapper.ts'
import { openTransitKeyWrapper } from './transit-key-wrapper.ts'
import type { TransitServer } from './transit-server.ts'

/**
 * The source of the key-encrypting keys. At most one of `vaultKey`, `vaultKmsKey` and
 * `vaultTransitKey` is set.
 */
export interface KekSettings {
  /** Base64 of 32 bytes. */
  readonly vaultKey: Secret | null
  /** Key id, ARN or alias of AWS KMS. */
  readonly vaultKmsKey?: string | null
  /** Key of a Vault's transit engine: `name` or `mount/name`. */
  readonly vaultTransitKey?: string | null
  /** The Vault of each transit key; null where there is none. */
  readonly vaultServer?: TransitServer | null
  /** While the key-encrypting key is changed: the one before. */
  readonly vaultKeyPrevious?:
    | Secret
    | { readonly kmsKey: string }
    | { readonly transitKey: string }
    | null
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
  const { vaultKey, vaultKmsKey, vaultTransitKey, vaultKeyPrevious } = settings
  const source =
    typeof vaultKmsKey === 'string'
      ? { kmsKey: vaultKmsKey }
      : typeof vaultTransitKey === 'string'
        ? { transitKey: vaultTransitKey }
        : vaultKey
  if (source === null) {
    throw new Error(
      'There is no vault key: set VAULT_KEY, VAULT_KEY_FILE, VAULT_KMS_KEY or VAULT_TRANSIT_KEY.',
    )
  }
  const current = await openWrapper(source, settings)
  const hasPrevious = vaultKeyPrevious !== undefined && vaultKeyPrevious !== null
  const previous = hasPrevious ? await openWrapper(vaultKeyPrevious, settings) : null
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

async function openWrapper(
  source: NonNullable<KekSettings['vaultKeyPrevious']>,
  { vaultServer }: KekSettings,
): Promise<KeyWrapper> {
  if ('kmsKey' in source) {
    const { openKmsKeyWrapper } = await import('./kms-key-wrapper.ts')
    return openKmsKeyWrapper(source.kmsKey)
  }
  if (!('transitKey' in source)) {
    return createLocalKeyWrapper(Buffer.from(source.reveal(), 'base64'))
  }
  if (vaultServer !== undefined && vaultServer !== null) {
    return openTransitKeyWrapper(vaultServer, source.transitKey)
  }
  throw new Error(`The Vault of the transit key ${source.transitKey} is unknown: set VAULT_ADDR.`)
}
