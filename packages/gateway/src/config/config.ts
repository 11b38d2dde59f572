import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { Secret } from '../base/secret.ts'
import { auditPushOf } from './audit-push-settings.ts'
import { backupOf, backupWarning, oneKeyForTwo } from './backup-settings.ts'
import { crossCheck } from './checks.ts'
import { databaseLinkRisk, wholeDatabaseUrl } from './database-url.ts'
import {
  SIMULATOR_SETTINGS,
  type DerivedConfig,
  type SimulatorSetting,
  type ThreeDsConfig,
} from './derived-config.ts'
import { httpOf, tlsOf } from './endpoints.ts'
import { isLoopback } from './loopback.ts'
import { smtpOf } from './mail-settings.ts'
import { consolePlace, originOf, portalPlace, withoutSlash } from './portal-place.ts'
import { plainConfig, readSettings } from './read-settings.ts'
import { retentionOf } from './retention-settings.ts'
import type { PlainConfig, SettingValues } from './settings.ts'
import { readThreeDsDirectoryFile } from './three-ds-directory-file.ts'
import { metricsOf, tracesOf } from './trace-settings.ts'
import { readPreviousKey, readVaultKeyFile } from './vault-key.ts'
import { vaultServerOf } from './vault-settings.ts'
import { isKeyless } from './vault-socket.ts'

export { isLoopback } from './loopback.ts'
export { describeConfig } from './describe-config.ts'
export { SANDBOX, saleCommand } from './sandbox-credentials.ts'
export { SECRET_FILES } from './read-settings.ts'
export { SETTINGS } from './settings.ts'
export { createSandboxVaultKey, readVaultKeyFile } from './vault-key.ts'
export type { VaultKeyFile } from './vault-key.ts'

/** The configuration in force, read once at the start and never changed. */
export type GatewayConfig = PlainConfig & DerivedConfig

export type LoadedConfig =
  | { readonly ok: true; readonly config: GatewayConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

type Environment = Readonly<Record<string, string | undefined>>

/** The file with the settings: `.env` in a folder, unless the environment names another one. */
export function environmentFile(folder: string, env: Environment): string {
  return env['TOLLGATE_ENV_FILE'] ?? join(folder, '.env')
}

/** The settings of that file; none where a folder has no `.env`. */
export function readEnvironmentFile(folder: string, env: Environment): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(environmentFile(folder, env), 'utf8'))
  } catch (error) {
    // An unreadable or named file was meant to be read: starting without it would be wrong.
    const isNamed = env['TOLLGATE_ENV_FILE'] !== undefined
    if (isNamed || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return {}
  }
}

/**
 * The environment with its file of settings beneath it: what is in both, the environment decides.
 */
export function readEnvironment(
  folder: string,
  env: Environment,
): Record<string, string | undefined> {
  return { ...readEnvironmentFile(folder, env), ...env }
}

interface FoundVaultKey {
  readonly key: Secret | null
  readonly file: string | null
  readonly problems: readonly string[]
  readonly warning?: string | null
}

function findVaultKey(values: SettingValues, dataDir: string): FoundVaultKey {
  if (values.VAULT_KEY !== '')
    return { key: new Secret(values.VAULT_KEY), file: null, problems: [] }
  if (values.VAULT_KMS_KEY !== '' || values.VAULT_TRANSIT_KEY !== '')
    return { key: null, file: null, problems: [] }
  const named = values.VAULT_KEY_FILE !== ''
  if (!named && values.MODE === 'production') return { key: null, file: null, problems: [] }
  const file = named ? resolve(values.VAULT_KEY_FILE) : join(dataDir, 'keys', 'vault.key')
  const found = readVaultKeyFile(file)
  if (found.kind === 'faulty') return { key: null, file, problems: [found.problem] }
  if (found.kind === 'missing') {
    // A key that an operator named and that is gone must never be replaced by a new one in silence.
    const problems = named ? [`VAULT_KEY_FILE is ${file}, a file that is not there.`] : []
    return { key: null, file, problems }
  }
  const refused = found.isSandboxKey && values.MODE === 'production'
  const problems = refused
    ? [
        `VAULT_KEY_FILE is ${file}, a key that the sandbox made for itself; production needs ` +
          'one of its own.',
      ]
    : []
  return { key: found.key, file, problems, warning: found.warning }
}

type FoundDirectories = Pick<ThreeDsConfig, 'directoryFile' | 'liveDirectories' | 'liveResults'>

function findDirectories(named: string): {
  readonly found: FoundDirectories
  readonly problems: readonly string[]
} {
  const none = { directoryFile: null, liveDirectories: [], liveResults: null }
  if (named === '') return { found: none, problems: [] }
  const file = resolve(named)
  const failed = (faults: readonly string[]) => ({
    found: none,
    problems: faults.map((fault) => `THREE_DS_DIRECTORY_FILE is ${file}: ${fault}`),
  })
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return failed([`it cannot be read (${(error as NodeJS.ErrnoException).code}).`])
  }
  const read = readThreeDsDirectoryFile(text, dirname(file), systemClock.now())
  if (!read.ok) return failed(read.faults)
  const { directories, results } = read
  return {
    found: { directoryFile: file, liveDirectories: directories, liveResults: results },
    problems: [],
  }
}

function warningsOf(
  values: SettingValues,
  { warning = null }: FoundVaultKey,
  databaseUrl: string,
): string[] {
  const risk = values.MODE === 'production' ? databaseLinkRisk(databaseUrl) : null
  const warnings = [warning, risk, backupWarning(values, databaseUrl)].filter(
    (text) => text !== null,
  )
  if (values.MODE === 'production' && values.DATABASE_URL === '') {
    warnings.push(
      'DATABASE_URL is not set, so production runs on the embedded PostgreSQL: it has no ' +
        'standby and gets ' +
        'security updates late. A PostgreSQL of your own is better.',
    )
  }
  if (values.BANK !== 'off' && !isLoopback(values.BANK_HOST)) {
    warnings.push(
      `BANK_HOST is ${values.BANK_HOST}, and the link to the bundled bank there is not ` +
        'encrypted: use test cards only, in a network of your own.',
    )
  }
  return warnings
}

function serverConfig(
  values: SettingValues,
): Pick<DerivedConfig, 'auditPush' | 'backup' | 'bank' | 'bankSecret' | 'smtp' | 'traces'> {
  return {
    auditPush: auditPushOf(values),
    backup: backupOf(values),
    bank: { host: values.BANK_HOST, port: values.BANK_PORT },
    smtp: smtpOf(values),
    traces: tracesOf(values),
    bankSecret: values.BANK_SECRET === '' ? null : new Secret(values.BANK_SECRET),
  }
}

function signInPolicyOf(values: SettingValues): DerivedConfig['portal'] {
  return {
    secondFactorRequired: values.PORTAL_SECOND_FACTOR === 'required',
    passwordDays: values.PORTAL_PASSWORD_DAYS,
    idleDays: values.PORTAL_IDLE_DAYS,
  }
}

function threeDsConfig(values: SettingValues, found: FoundDirectories): ThreeDsConfig {
  return {
    ...found,
    simulator: values.THREE_DS_SIMULATOR === 'on' && values.BANK === 'on',
    timeoutMs: values.THREE_DS_TIMEOUT_MS,
    resultsHost: values.THREE_DS_RESULTS_HOST,
    resultsPort: values.THREE_DS_RESULTS_PORT,
    resultsUrl: values.THREE_DS_RESULTS_URL || null,
    simulatorSettings: Object.fromEntries(
      SIMULATOR_SETTINGS.map((name) => [name, String(values[name] ?? '')]),
    ) as Record<SimulatorSetting, string>,
  }
}

/** Reads the whole configuration and reports every fault at once, each as a whole sentence. */
export function loadConfig(env: Environment): LoadedConfig {
  const { values, faulty, problems: faults } = readSettings(env)
  const dataDir = resolve(values.DATA_DIR)
  const vaultKey = isKeyless(env)
    ? { key: null, file: null, problems: [] }
    : findVaultKey(values, dataDir)
  const previous = readPreviousKey(values.VAULT_KEY_PREVIOUS)
  const directories = findDirectories(values.THREE_DS_DIRECTORY_FILE)
  const database = wholeDatabaseUrl(values, faulty)
  const problems = [
    ...faults,
    ...crossCheck(values, faulty),
    ...vaultKey.problems,
    ...directories.problems,
    ...oneKeyForTwo(values, vaultKey.key),
    ...(previous.ok ? [] : [previous.problem]),
    ...(database.ok ? [] : [database.problem]),
  ]
  if (problems.length > 0 || !previous.ok || !database.ok) return { ok: false, problems }

  const http = httpOf(values)
  const tls = tlsOf(values, dataDir)
  const ownUrl = http !== null ? originOf('http', http) : tls !== null ? originOf('https', tls) : ''
  const publicUrl = withoutSlash(values.PUBLIC_URL) || ownUrl
  const config: GatewayConfig = {
    ...plainConfig(values),
    http,
    tls,
    baseUrl: ownUrl,
    publicUrl,
    ...portalPlace(values, { http, publicUrl, tls }),
    ...consolePlace(values, { http, tls }),
    dataDir,
    databaseUrl: database.url === '' ? null : new Secret(database.url),
    databaseWaitMs: values.DATABASE_WAIT_S * 1_000,
    ...serverConfig(values),
    threeDs: threeDsConfig(values, directories.found),
    ...metricsOf(values),
    vaultKey: vaultKey.key,
    vaultKeyFile: vaultKey.file,
    vaultKmsKey: values.VAULT_KMS_KEY || null,
    vaultTransitKey: values.VAULT_TRANSIT_KEY || null,
    vaultServer: vaultServerOf(values),
    vaultKeyPrevious: previous.key,
    portal: signInPolicyOf(values),
    retention: retentionOf(values),
    requestRate: { perSecond: values.REQUEST_RATE_LIMIT, burst: values.REQUEST_RATE_BURST },
  }
  return {
    ok: true,
    config: Object.freeze(config),
    warnings: warningsOf(values, vaultKey, database.url),
  }
}
