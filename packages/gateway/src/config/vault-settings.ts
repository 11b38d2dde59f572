import type { DerivedConfig, VaultServer } from './derived-config.ts'
import { oneOf, text, wholeNumber } from './setting-kinds.ts'
import {
  isKmsKey,
  isNamespace,
  isOrigin,
  isPreviousKey,
  isTransitKey,
  isVaultKey,
} from './value-forms.ts'

type Shown = Pick<
  DerivedConfig,
  'vaultKeyFile' | 'vaultKeyPrevious' | 'vaultKmsKey' | 'vaultServer' | 'vaultTransitKey'
>

/** Settings of the key-encrypting key. `VAULT_ADDR` and the like have the names of Vault's own. */
export const VAULT_SETTINGS = {
  VAULT_KEY: {
    ...text('the base64 text of 32 random bytes', isVaultKey),
    fallbackText: 'generated in the sandbox',
    secret: true,
    shown: ({ vaultKmsKey, vaultTransitKey, vaultKeyFile }: Shown): string => {
      if (vaultKmsKey !== null) return '(kept by the KMS)'
      if (vaultTransitKey !== null) return '(kept by the Vault)'
      return vaultKeyFile === null ? '***' : '(from the file)'
    },
  },
  VAULT_KEY_FILE: {
    ...text('a file', () => true),
    fallbackText: '`DATA_DIR`/keys/vault.key in the sandbox',
    shown: ({ vaultKeyFile }: Shown): string => vaultKeyFile ?? '(none)',
  },
  VAULT_KMS_KEY: {
    ...text('a key id, an ARN or an alias of AWS KMS', isKmsKey),
    shown: ({ vaultKmsKey }: Shown): string => vaultKmsKey ?? '(none)',
  },
  VAULT_TRANSIT_KEY: {
    ...text('the name of a transit key, or its mount, a slash and its name', isTransitKey),
    shown: ({ vaultTransitKey }: Shown): string => vaultTransitKey ?? '(none)',
  },
  VAULT_ADDR: {
    ...text('an address such as https://vault.example.com:8200, without path or query', isOrigin),
    shown: ({ vaultServer }: Shown): string => vaultServer?.address ?? '(none)',
  },
  VAULT_TOKEN_FILE: {
    ...text('a file', () => true),
    shown: ({ vaultServer }: Shown): string => vaultServer?.tokenFile ?? '(none)',
  },
  VAULT_NAMESPACE: {
    ...text('a namespace of the Vault, such as payments/live', isNamespace),
    shown: ({ vaultServer }: Shown): string => vaultServer?.namespace || '(none)',
  },
  VAULT_CACERT: {
    ...text('a file', () => true),
    fallbackText: 'the public authorities',
    shown: ({ vaultServer }: Shown): string => vaultServer?.caFile ?? '(the public authorities)',
  },
  VAULT_PROCESS: {
    ...oneOf({ sandbox: 'off', production: 'on' }, ['on', 'off']),
    field: 'vaultProcess' as const,
  },
  VAULT_OPENINGS_PER_MINUTE: {
    ...wholeNumber('30000', 1, 10_000_000),
    field: 'vaultOpeningsPerMinute' as const,
  },
  VAULT_KEY_PREVIOUS: {
    ...text(
      'file: and the path of a key file, kms: and a key of AWS KMS, or transit: and a key of a ' +
        'Vault',
      isPreviousKey,
    ),
    shown: ({ vaultKeyPrevious: key }: Shown): string => {
      if (key === null) return '(none)'
      if ('kmsKey' in key) return `kms:${key.kmsKey}`
      return 'transitKey' in key ? `transit:${key.transitKey}` : '(from a file)'
    },
  },
}

/** Values of the settings that name the Vault; '' for none. */
export interface VaultServerValues {
  readonly VAULT_ADDR: string
  readonly VAULT_TOKEN_FILE: string
  readonly VAULT_NAMESPACE: string
  readonly VAULT_CACERT: string
}

/** The Vault that keeps a transit key; null where none is named. */
export function vaultServerOf(values: VaultServerValues): VaultServer | null {
  if (values.VAULT_ADDR === '') return null
  return {
    address: new URL(values.VAULT_ADDR).origin,
    tokenFile: values.VAULT_TOKEN_FILE,
    namespace: values.VAULT_NAMESPACE.replaceAll(/^\/|\/$/g, ''),
    caFile: values.VAULT_CACERT || null,
  }
}
