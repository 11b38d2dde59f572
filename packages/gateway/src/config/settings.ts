import { availableParallelism } from 'node:os'
import type { z } from 'zod'
import { AUDIT_PUSH_SETTINGS } from './audit-push-settings.ts'
import { BACKUP_SETTINGS } from './backup-settings.ts'
import { DATABASE_SETTINGS } from './database-settings.ts'
import type { DerivedConfig } from './derived-config.ts'
import { MAIL_SETTINGS } from './mail-settings.ts'
import { OUTWARD_SETTINGS } from './outward-settings.ts'
import {
  CONSOLE_SETTINGS,
  PORTAL_PLACE_SETTINGS,
  PORTAL_SIGN_IN_SETTINGS,
} from './portal-settings.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import {
  addresses,
  bankSecret,
  bundledBank,
  host,
  hostNames,
  oneOf,
  port,
  portOrNone,
  text,
  wholeNumber,
  type SettingKind,
} from './setting-kinds.ts'
import { TRACE_SETTINGS } from './trace-settings.ts'
import { isHost, isInstitutionId, isOrigin, isResultsUrl } from './value-forms.ts'
import { VAULT_SETTINGS } from './vault-settings.ts'

/**
 * One setting. Most are members of the configuration, under the name in `field`. The others only
 * help to derive it; they state how they are shown.
 */
type Setting = SettingKind<unknown> &
  (
    | {
        readonly field: string
        /** The text that `tollgate config` shows when there is no value. */
        readonly none?: string
      }
    | { readonly shown: (config: DerivedConfig) => string }
  )

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const NO_HTTP = '(no plain HTTP)'
const NO_HTTPS = '(no HTTPS)'

/**
 * Every setting there is, in the order in which `tollgate config`, docs/operators/running.md and
 * .env.example list them (a test holds the three together). The configuration, its defaults and
 * what is shown of it come from these rows.
 */
export const SETTINGS = {
  MODE: { ...oneOf('sandbox', ['sandbox', 'production']), field: 'mode' },
  HOST: {
    ...host('127.0.0.1'),
    shown: ({ http }) => http?.host ?? NO_HTTP,
  },
  PORT: { ...port('8080'), shown: ({ http }) => String(http?.port ?? NO_HTTP) },
  TLS_HOST: { ...host(''), fallbackText: '`HOST`', shown: ({ tls }) => tls?.host ?? NO_HTTPS },
  TLS_PORT: { ...port('8443'), shown: ({ tls }) => String(tls?.port ?? NO_HTTPS) },
  TLS_CERT: {
    ...text('a file', () => true),
    fallbackText: 'generated in the sandbox',
    shown: ({ tls }) => tls?.certFile ?? NO_HTTPS,
  },
  TLS_KEY: {
    ...text('a file', () => true),
    fallbackText: 'generated in the sandbox',
    shown: ({ tls }) => tls?.keyFile ?? NO_HTTPS,
  },
  /** Addresses and networks whose `X-Forwarded-*` is believed. */
  TRUST_PROXY: { ...addresses, field: 'trustProxy' },
  PUBLIC_URL: {
    ...text('an address such as https://pay.example.com, without path or query', isOrigin),
    fallbackText: 'from host and port',
    shown: ({ publicUrl }) => publicUrl,
  },
  /** Names that requests may address beside that of `PUBLIC_URL`; `*`: every name. */
  SERVED_HOSTS: { ...hostNames, field: 'servedHosts' },
  ...PORTAL_PLACE_SETTINGS,
  ...CONSOLE_SETTINGS,
  DATA_DIR: { ...text('a folder', () => true, '.tollgate'), shown: ({ dataDir }) => dataDir },
  ...DATABASE_SETTINGS,
  ...BACKUP_SETTINGS,
  BANK: { ...bundledBank, field: 'bundledBank' },
  BANK_HOST: { ...host('127.0.0.1'), shown: ({ bank }) => bank.host },
  BANK_PORT: { ...port('8583'), shown: ({ bank }) => String(bank.port) },
  /** The control API of the bundled bank, on loopback; null: the port behind the bank's. */
  BANK_CONTROL_PORT: {
    ...portOrNone,
    fallbackText: '`BANK_PORT` + 1',
    field: 'bankControlPort',
    none: '(the port behind BANK_PORT)',
  },
  /** DE 32 with which the gateway signs on at the bundled bank. */
  BANK_INSTITUTION_ID: {
    ...text('1 to 11 digits, the first not 0', isInstitutionId, '414000'),
    field: 'bankInstitutionId',
  },
  BANK_SECRET: bankSecret,
  BANK_TIMEOUT_MS: {
    ...wholeNumber('25000', 100, 120_000, ' of milliseconds'),
    field: 'bankTimeoutMs',
  },
  BANK_DS_PORT: {
    ...portOrNone,
    fallbackText: '`BANK_PORT` + 2',
    shown: ({ threeDs }) => threeDs.simulatorSettings.BANK_DS_PORT || '(two behind BANK_PORT)',
  },
  BANK_ACS_PORT: {
    ...portOrNone,
    fallbackText: '`BANK_PORT` + 3',
    shown: ({ threeDs }) => threeDs.simulatorSettings.BANK_ACS_PORT || '(three behind BANK_PORT)',
  },
  BANK_ACS_BACK_PORT: {
    ...portOrNone,
    fallbackText: '`BANK_PORT` + 4',
    shown: ({ threeDs }) =>
      threeDs.simulatorSettings.BANK_ACS_BACK_PORT || '(four behind BANK_PORT)',
  },
  BANK_DS_HOST: {
    ...text('a host name or an IPv4 address', isHost, 'localhost'),
    shown: ({ threeDs }) => threeDs.simulatorSettings.BANK_DS_HOST,
  },
  BANK_ACS_HOST: {
    ...text('a host name or an IPv4 address', isHost, 'localhost'),
    shown: ({ threeDs }) => threeDs.simulatorSettings.BANK_ACS_HOST,
  },
  BANK_3DS_TIME_SCALE: {
    ...wholeNumber('1', 1, 9_999),
    shown: ({ threeDs }) => threeDs.simulatorSettings.BANK_3DS_TIME_SCALE,
  },
  THREE_DS_SIMULATOR: {
    ...oneOf({ sandbox: 'on', production: 'off' }, ['on', 'off']),
    shown: ({ threeDs }) => (threeDs.simulator ? 'on' : 'off'),
  },
  THREE_DS_DIRECTORY_FILE: {
    ...text('a file', () => true),
    shown: ({ threeDs }) => threeDs.directoryFile ?? '(none)',
  },
  THREE_DS_TIMEOUT_MS: {
    ...wholeNumber('10000', 3_000, 30_000, ' of milliseconds'),
    shown: ({ threeDs }) => String(threeDs.timeoutMs),
  },
  THREE_DS_RESULTS_HOST: { ...host('127.0.0.1'), shown: ({ threeDs }) => threeDs.resultsHost },
  THREE_DS_RESULTS_PORT: {
    ...portOrNone,
    fallbackText: '`BANK_PORT` + 5',
    shown: ({ threeDs }) => String(threeDs.resultsPort ?? '(five behind BANK_PORT)'),
  },
  THREE_DS_RESULTS_URL: {
    ...text('an address such as https://3ds.example.com/3ds/results', isResultsUrl),
    fallbackText: 'https://localhost:`THREE_DS_RESULTS_PORT`/3ds/results',
    shown: ({ threeDs }) => threeDs.resultsUrl ?? '(this machine)',
  },
  WORKERS: {
    ...wholeNumber(String(Math.max(1, availableParallelism() - 1)), 1, 256),
    fallbackText: 'cores - 1, at least 1',
    field: 'workers',
  },
  DRAIN_S: { ...wholeNumber('0', 0, 600, ' of seconds'), field: 'drainS' },
  METRICS_HOST: {
    ...host('127.0.0.1'),
    shown: ({ metrics }) => metrics?.host ?? '(no metrics)',
  },
  METRICS_PORT: {
    ...portOrNone,
    fallbackText: 'none: no metrics are served',
    shown: ({ metrics }) => String(metrics?.port ?? '(no metrics)'),
  },
  ...TRACE_SETTINGS,
  LOG_LEVEL: { ...oneOf('info', LOG_LEVELS), field: 'logLevel' },
  ...VAULT_SETTINGS,
  LOGIN_FAILURE_LIMIT: {
    ...wholeNumber({ sandbox: '100', production: '10' }, 1, 1_000_000),
    field: 'loginFailureLimit',
  },
  API_USER_IDLE_DAYS: {
    ...wholeNumber({ sandbox: '0', production: '90' }, 0, 3_650, ' of days'),
    field: 'apiUserIdleDays',
  },
  ...PORTAL_SIGN_IN_SETTINGS,
  REQUEST_RATE_LIMIT: {
    ...wholeNumber({ sandbox: '0', production: '500' }, 0, 1_000_000),
    shown: ({ requestRate }) => String(requestRate.perSecond),
  },
  REQUEST_RATE_BURST: {
    ...wholeNumber('2000', 1, 1_000_000),
    shown: ({ requestRate }) => String(requestRate.burst),
  },
  ...OUTWARD_SETTINGS,
  ...MAIL_SETTINGS,
  ...AUDIT_PUSH_SETTINGS,
  ...RETENTION_SETTINGS,
  MAX_CONNECTIONS: { ...wholeNumber('2000', 16, 1_000_000), field: 'maxConnections' },
  MAX_CONNECTIONS_PER_ADDRESS: {
    ...wholeNumber({ sandbox: '0', production: '500' }, 0, 1_000_000),
    field: 'maxConnectionsPerAddress',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type SettingValues = { readonly [K in SettingName]: z.infer<(typeof SETTINGS)[K]['schema']> }

/** The settings that are members of the configuration as they are. */
export type PlainConfig = {
  readonly [
    K in SettingName as (typeof SETTINGS)[K] extends { readonly field: infer F extends string }
      ? F
      : never
  ]: SettingValues[K]
}

/** The table row by row, in its order. */
export const SETTING_ROWS = Object.entries(SETTINGS) as unknown as readonly (readonly [
  SettingName,
  Setting,
])[]
