import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { databaseAddresses } from '../adapters/postgres/connection/address-ring.ts'
import { systemClock } from '../base/clock.ts'
import { Secret } from '../base/secret.ts'
import type { SignInPolicy } from '../portal/shell/domain/sign-in-steps.ts'
import type { ResultsCertificate, ThreeDsDirectory } from '../usecases/three-ds/directory.ts'
import { crossCheck, isLoopback } from './checks.ts'
import { readSettings, SETTINGS, type SettingName, type SettingValues } from './settings.ts'
import { readThreeDsDirectoryFile } from './three-ds-directory-file.ts'
import { readPreviousKey, readVaultKeyFile, type PreviousKey } from './vault-key.ts'

export { isLoopback } from './checks.ts'
export { SETTINGS } from './settings.ts'
export { createSandboxVaultKey, readVaultKeyFile } from './vault-key.ts'
export type { VaultKeyFile } from './vault-key.ts'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface TlsEndpoint extends Endpoint {
  readonly certFile: string
  readonly keyFile: string
  /** The two files are made by the gateway itself where they are missing. */
  readonly selfMade: boolean
}

/** Where 3-D Secure messages go and come from. */
export interface ThreeDsConfig {
  /** Whether test accounts are authenticated by the simulator beside the bundled bank. */
  readonly simulator: boolean
  /** Names the Directory Servers of live accounts; null: there are none. */
  readonly directoryFile: string | null
  readonly liveDirectories: readonly ThreeDsDirectory[]
  /** Of the address for their results; null where there are none. */
  readonly liveResults: ResultsCertificate | null
  /** How long an answer to an AReq is waited for. */
  readonly timeoutMs: number
  readonly resultsHost: string
  /** Null: five behind the bank's, or a free one where that is taken. */
  readonly resultsPort: number | null
  /** Null: this machine. */
  readonly resultsUrl: string | null
  /** Of the simulator, which the bank reads for itself. */
  readonly simulatorSettings: Readonly<Record<SimulatorSetting, string>>
}

const SIMULATOR_SETTINGS = [
  'BANK_DS_PORT',
  'BANK_ACS_PORT',
  'BANK_ACS_BACK_PORT',
  'BANK_DS_HOST',
  'BANK_ACS_HOST',
  'BANK_3DS_TIME_SCALE',
] as const
type SimulatorSetting = (typeof SIMULATOR_SETTINGS)[number]

/** What is in force, read once at the start and never changed. */
export interface GatewayConfig {
  readonly mode: 'sandbox' | 'production'
  /** Null where plain HTTP is not served: in production without a trusted proxy in front. */
  readonly http: Endpoint | null
  /** Null where HTTPS is the proxy's work: in production with `TRUST_PROXY` and no certificate. */
  readonly tls: TlsEndpoint | null
  /** Addresses and networks whose `X-Forwarded-*` is believed. */
  readonly trustProxy: readonly string[]
  /** Scheme, host and port that this machine reaches the gateway by; no slash at the end. */
  readonly baseUrl: string
  /** Scheme, host and port that cardholders' browsers reach; no slash at the end. */
  readonly publicUrl: string
  /** Absolute. */
  readonly dataDir: string
  /** Null: the embedded PostgreSQL. A secret, since it may hold a password. */
  readonly databaseUrl: Secret | null
  /** How long a start waits for a database that can't be reached. */
  readonly databaseWaitMs: number
  readonly bank: Endpoint
  /** The control API of the bundled bank, on loopback; null: the port behind the bank's. */
  readonly bankControlPort: number | null
  /** DE 32 with which the gateway signs on at the bundled bank. */
  readonly bankInstitutionId: string
  readonly bankTimeoutMs: number
  readonly threeDs: ThreeDsConfig
  readonly workers: number
  /** Null where no metrics are served. */
  readonly metrics: Endpoint | null
  readonly logLevel: SettingValues['LOG_LEVEL']
  /**
   * Base64 of 32 bytes. Null with a KMS key, and in a sandbox that has not made its key file yet.
   */
  readonly vaultKey: Secret | null
  /** Where the key comes from or, in a new sandbox, goes to; null when it came as `VAULT_KEY`. */
  readonly vaultKeyFile: string | null
  /** Key of AWS KMS that is used instead. */
  readonly vaultKmsKey: string | null
  /** While the key-encrypting key is being replaced, the one before. */
  readonly vaultKeyPrevious: Extract<PreviousKey, { ok: true }>['key']
  /** Failed logins in 10 minutes that lock a user from that address. */
  readonly loginFailureLimit: number
  /** Days without use after which an API user is refused; 0 for never. */
  readonly apiUserIdleDays: number
  /** What is asked of people who sign in to the portal. */
  readonly portal: SignInPolicy
  /** Per user; 0 a second means no limit. */
  readonly requestRate: { readonly perSecond: number; readonly burst: number }
  /** Of clients, for each worker. */
  readonly maxConnections: number
  /** For each worker; 0 means no limit. */
  readonly maxConnectionsPerAddress: number
}

export type LoadedConfig =
  | { readonly ok: true; readonly config: GatewayConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment with the `.env` file of a folder beneath it: what is in both, the environment
 * decides.
 */
export function readEnvironment(
  folder: string,
  env: Environment,
): Record<string, string | undefined> {
  let fromFile: NodeJS.Dict<string> = {}
  try {
    fromFile = parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  } catch (error) {
    // A file that is there and can't be read was meant to be: starting without it would be wrong.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return { ...fromFile, ...env }
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
  if (values.VAULT_KMS_KEY !== '') return { key: null, file: null, problems: [] }
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

function warningsOf(values: SettingValues, { warning = null }: FoundVaultKey): string[] {
  const warnings = warning === null ? [] : [warning]
  if (values.MODE === 'production' && values.DATABASE_URL === '') {
    warnings.push(
      'DATABASE_URL is not set, so production runs on the embedded PostgreSQL: it has no ' +
        'standby and gets ' +
        'security updates late. A PostgreSQL of your own is better.',
    )
  }
  if (!isLoopback(values.BANK_HOST)) {
    warnings.push(`BANK_HOST is ${values.BANK_HOST}, and the bank link there is not encrypted.`)
  }
  return warnings
}

/** An address for this machine: a wildcard is no place to connect to, and IPv6 goes in brackets. */
function originOf(scheme: 'http' | 'https', { host, port }: Endpoint): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${scheme}://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

/** Reads the whole configuration and reports every fault at once, each as a whole sentence. */
export function loadConfig(env: Environment): LoadedConfig {
  const { values, faulty, problems: faults } = readSettings(env)
  const dataDir = resolve(values.DATA_DIR)
  const vaultKey = findVaultKey(values, dataDir)
  const previous = readPreviousKey(values.VAULT_KEY_PREVIOUS)
  const directories = findDirectories(values.THREE_DS_DIRECTORY_FILE)
  const problems = [
    ...faults,
    ...crossCheck(values, faulty),
    ...vaultKey.problems,
    ...directories.problems,
    ...(previous.ok ? [] : [previous.problem]),
  ]
  if (problems.length > 0 || !previous.ok) return { ok: false, problems }

  const isProduction = values.MODE === 'production'
  const proxied = values.TRUST_PROXY.length > 0
  const http = isProduction && !proxied ? null : { host: values.HOST, port: values.PORT }
  const selfMade = values.TLS_CERT === ''
  const tls: TlsEndpoint | null =
    isProduction && selfMade
      ? null
      : {
          host: values.TLS_HOST || values.HOST,
          port: values.TLS_PORT,
          certFile: selfMade ? join(dataDir, 'keys', 'tls-cert.pem') : resolve(values.TLS_CERT),
          keyFile: selfMade ? join(dataDir, 'keys', 'tls-key.pem') : resolve(values.TLS_KEY),
          selfMade,
        }
  const ownUrl = http !== null ? originOf('http', http) : tls !== null ? originOf('https', tls) : ''
  const config: GatewayConfig = {
    mode: values.MODE,
    http,
    tls,
    trustProxy: values.TRUST_PROXY,
    baseUrl: ownUrl,
    publicUrl: values.PUBLIC_URL.replace(/\/$/, '') || ownUrl,
    dataDir,
    databaseUrl: values.DATABASE_URL === '' ? null : new Secret(values.DATABASE_URL),
    databaseWaitMs: values.DATABASE_WAIT_S * 1_000,
    bank: { host: values.BANK_HOST, port: values.BANK_PORT },
    bankControlPort: values.BANK_CONTROL_PORT,
    bankInstitutionId: values.BANK_INSTITUTION_ID,
    bankTimeoutMs: values.BANK_TIMEOUT_MS,
    threeDs: {
      ...directories.found,
      simulator: values.THREE_DS_SIMULATOR === 'on',
      timeoutMs: values.THREE_DS_TIMEOUT_MS,
      resultsHost: values.THREE_DS_RESULTS_HOST,
      resultsPort: values.THREE_DS_RESULTS_PORT,
      resultsUrl: values.THREE_DS_RESULTS_URL || null,
      simulatorSettings: Object.fromEntries(
        SIMULATOR_SETTINGS.map((name) => [name, String(values[name] ?? '')]),
      ) as Record<SimulatorSetting, string>,
    },
    workers: values.WORKERS,
    metrics:
      values.METRICS_PORT === null
        ? null
        : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    logLevel: values.LOG_LEVEL,
    vaultKey: vaultKey.key,
    vaultKeyFile: vaultKey.file,
    vaultKmsKey: values.VAULT_KMS_KEY || null,
    vaultKeyPrevious: previous.key,
    loginFailureLimit: values.LOGIN_FAILURE_LIMIT,
    apiUserIdleDays: values.API_USER_IDLE_DAYS,
    portal: {
      secondFactorRequired: values.PORTAL_SECOND_FACTOR === 'required',
      passwordDays: values.PORTAL_PASSWORD_DAYS,
      idleDays: values.PORTAL_IDLE_DAYS,
    },
    requestRate: { perSecond: values.REQUEST_RATE_LIMIT, burst: values.REQUEST_RATE_BURST },
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
  }
  return { ok: true, config: Object.freeze(config), warnings: warningsOf(values, vaultKey) }
}

/** The database address with its password hidden, also where it stands in the query. */
export function maskDatabaseUrl(value: string): string {
  return databaseAddresses(value).map(maskAddress).join(', ')
}

function maskAddress(value: string): string {
  const url = new URL(value)
  if (url.password !== '') url.password = '***'
  for (const name of new Set(url.searchParams.keys())) {
    if (/pass|secret|key/i.test(name)) url.searchParams.set(name, '***')
  }
  return url.toString()
}

function describePrevious(key: GatewayConfig['vaultKeyPrevious']): string {
  return key === null ? '(none)' : 'kmsKey' in key ? `kms:${key.kmsKey}` : '(from a file)'
}

function simulatorPorts(
  settings: ThreeDsConfig['simulatorSettings'],
): Readonly<Record<SimulatorSetting, string>> {
  return {
    ...settings,
    BANK_DS_PORT: settings.BANK_DS_PORT || '(two behind BANK_PORT)',
    BANK_ACS_PORT: settings.BANK_ACS_PORT || '(three behind BANK_PORT)',
    BANK_ACS_BACK_PORT: settings.BANK_ACS_BACK_PORT || '(four behind BANK_PORT)',
  }
}

/** What is in force, by the names an operator sets, secrets masked. */
export function describeConfig(config: GatewayConfig): Readonly<Record<SettingName, string>> {
  return {
    MODE: config.mode,
    HOST: config.http?.host ?? '(no plain HTTP)',
    PORT: String(config.http?.port ?? '(no plain HTTP)'),
    TLS_HOST: config.tls?.host ?? '(no HTTPS)',
    TLS_PORT: String(config.tls?.port ?? '(no HTTPS)'),
    TLS_CERT: config.tls === null ? '(no HTTPS)' : config.tls.certFile,
    TLS_KEY: config.tls === null ? '(no HTTPS)' : config.tls.keyFile,
    TRUST_PROXY: config.trustProxy.join(',') || '(none)',
    PUBLIC_URL: config.publicUrl,
    DATA_DIR: config.dataDir,
    DATABASE_URL:
      config.databaseUrl === null ? '(embedded)' : maskDatabaseUrl(config.databaseUrl.reveal()),
    DATABASE_WAIT_S: String(config.databaseWaitMs / 1_000),
    BANK_HOST: config.bank.host,
    BANK_PORT: String(config.bank.port),
    BANK_CONTROL_PORT: String(config.bankControlPort ?? '(the port behind BANK_PORT)'),
    BANK_INSTITUTION_ID: config.bankInstitutionId,
    BANK_TIMEOUT_MS: String(config.bankTimeoutMs),
    ...simulatorPorts(config.threeDs.simulatorSettings),
    THREE_DS_SIMULATOR: config.threeDs.simulator ? 'on' : 'off',
    THREE_DS_DIRECTORY_FILE: config.threeDs.directoryFile ?? '(none)',
    THREE_DS_TIMEOUT_MS: String(config.threeDs.timeoutMs),
    THREE_DS_RESULTS_HOST: config.threeDs.resultsHost,
    THREE_DS_RESULTS_PORT: String(config.threeDs.resultsPort ?? '(five behind BANK_PORT)'),
    THREE_DS_RESULTS_URL: config.threeDs.resultsUrl ?? '(this machine)',
    WORKERS: String(config.workers),
    METRICS_HOST: config.metrics?.host ?? '(no metrics)',
    METRICS_PORT: String(config.metrics?.port ?? '(no metrics)'),
    LOG_LEVEL: config.logLevel,
    VAULT_KEY:
      config.vaultKmsKey !== null
        ? '(kept by the KMS)'
        : config.vaultKeyFile === null
          ? '***'
          : '(from the file)',
    VAULT_KEY_FILE: config.vaultKeyFile ?? '(none)',
    VAULT_KMS_KEY: config.vaultKmsKey ?? '(none)',
    VAULT_KEY_PREVIOUS: describePrevious(config.vaultKeyPrevious),
    LOGIN_FAILURE_LIMIT: String(config.loginFailureLimit),
    API_USER_IDLE_DAYS: String(config.apiUserIdleDays),
    PORTAL_SECOND_FACTOR: config.portal.secondFactorRequired ? 'required' : 'optional',
    PORTAL_PASSWORD_DAYS: String(config.portal.passwordDays),
    PORTAL_IDLE_DAYS: String(config.portal.idleDays),
    REQUEST_RATE_LIMIT: String(config.requestRate.perSecond),
    REQUEST_RATE_BURST: String(config.requestRate.burst),
    MAX_CONNECTIONS: String(config.maxConnections),
    MAX_CONNECTIONS_PER_ADDRESS: String(config.maxConnectionsPerAddress),
  } satisfies Record<keyof typeof SETTINGS, string>
}
