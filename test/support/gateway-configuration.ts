import { dirname, join } from 'node:path'
import { createSandboxVaultKey, loadConfig } from '../../packages/gateway/src/config/config.ts'
import { selfMadeCertificate } from '../../packages/gateway/src/http/servers/certificate.ts'
import { layCertificate } from '../../packages/tollgate/test/cluster-template.ts'

/** The vault key's file of a sandbox in this folder; null when the settings give another key. */
export function vaultKeyFile(
  folder: string,
  settings: Readonly<Record<string, string>>,
): string | null {
  const loaded = loadConfig(environment(folder, settings))
  return loaded.ok ? loaded.config.vaultKeyFile : null
}

function environment(folder: string, settings: Readonly<Record<string, string>>) {
  return { PORT: '0', TLS_PORT: '0', DATA_DIR: join(folder, 'data'), ...settings }
}

/** The configuration of a sandbox in a folder of its own, with its key and certificate. */
export async function configure(folder: string, settings: Readonly<Record<string, string>>) {
  const env = environment(folder, settings)
  const first = loadConfig(env)
  if (!first.ok) throw new Error(first.problems.join('\n'))
  const { vaultKeyFile: keyFile, tls } = first.config
  if (keyFile !== null) createSandboxVaultKey(keyFile)
  if (tls !== null) {
    layCertificate(dirname(tls.certFile))
    await selfMadeCertificate(dirname(tls.certFile), new Date())
  }
  const second = loadConfig(env)
  if (!second.ok) throw new Error(second.problems.join('\n'))
  const { config } = second
  if (config.vaultKey === null) throw new Error('The key file that was just made is not there.')
  return { config, vaultKey: config.vaultKey }
}
