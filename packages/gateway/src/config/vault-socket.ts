import { Secret } from '../base/secret.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The variables by which a supervisor names the vault process to the other processes. */
export const VAULT_SOCKET = 'TOLLGATE_VAULT_SOCKET'
export const VAULT_SECRET = 'TOLLGATE_VAULT_SECRET'

/** The address of the vault process, and its secret; null for a process without one. */
export function vaultSocketOf(
  env: Environment,
): { readonly path: string; readonly secret: Secret } | null {
  const path = env[VAULT_SOCKET] ?? ''
  const secret = env[VAULT_SECRET] ?? ''
  return path === '' || secret === '' ? null : { path, secret: new Secret(secret) }
}

/** Settings that lead to the key-encrypting key; a worker with a vault process does without. */
export const KEY_SETTINGS: readonly string[] = [
  'VAULT_KEY',
  'VAULT_KEY_FILE',
  'VAULT_KMS_KEY',
  'VAULT_TRANSIT_KEY',
  'VAULT_ADDR',
  'VAULT_TOKEN_FILE',
  'VAULT_NAMESPACE',
  'VAULT_CACERT',
  'VAULT_KEY_PREVIOUS',
]

/** Whether this process must not read the key-encrypting key, even where it could. */
export function isKeyless(env: Environment): boolean {
  return (env[VAULT_SOCKET] ?? '') !== ''
}
