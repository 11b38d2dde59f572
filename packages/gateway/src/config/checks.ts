import { accessSync, constants } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { checkPlaces } from './portal-place.ts'
import type { SettingName, SettingValues } from './settings.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Whether a host can be reached from this machine only. A name other than localhost counts as not.
 */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const family = isIP(host)
  return family !== 0 && loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

const PORTS = [
  'PORT',
  'TLS_PORT',
  'BANK_PORT',
  'BANK_CONTROL_PORT',
  'BANK_DS_PORT',
  'BANK_ACS_PORT',
  'BANK_ACS_BACK_PORT',
  'THREE_DS_RESULTS_PORT',
  'METRICS_PORT',
  'PORTAL_PORT',
  'CONSOLE_PORT',
] as const

/** The settings that can supply the key-encrypting key. */
const VAULT_KEYS = ['VAULT_KEY', 'VAULT_KEY_FILE', 'VAULT_KMS_KEY', 'VAULT_TRANSIT_KEY'] as const

type Check = (names: readonly SettingName[], isFault: () => boolean, problem: string) => void

function checkBank(values: SettingValues, check: Check): void {
  check(
    ['BANK', 'BANK_PORT'],
    () => values.BANK === 'shared' && values.BANK_PORT === 0,
    'BANK is shared, so BANK_PORT must be the port of that bank: 0 is not the port of any.',
  )
  check(
    ['BANK', 'BANK_SECRET'],
    () => values.BANK === 'shared' && values.BANK_SECRET === '',
    'BANK is shared, so BANK_SECRET must be the secret of that bank. Take BANK_SECRET of its ' +
      'node, or bank/link-secret in its DATA_DIR.',
  )
  check(
    ['BANK', 'THREE_DS_SIMULATOR', 'MODE'],
    () =>
      values.MODE === 'production' && values.THREE_DS_SIMULATOR === 'on' && values.BANK !== 'on',
    'THREE_DS_SIMULATOR is on, but the simulator is a part of the bundled bank: set BANK=on too.',
  )
}

function checkMail(values: SettingValues, check: Check): void {
  check(
    ['SMTP_HOST', 'MAIL_FROM'],
    () => values.SMTP_HOST !== '' && values.MAIL_FROM === '',
    'SMTP_HOST is set, so MAIL_FROM must be the address that mails come from.',
  )
  check(
    ['SMTP_HOST', 'SMTP_TLS'],
    () => values.SMTP_TLS === 'none' && values.SMTP_HOST !== '' && !isLoopback(values.SMTP_HOST),
    `SMTP_TLS is none, and SMTP_HOST is ${values.SMTP_HOST}: mails with names and amounts would ` +
      'cross the network in plain text. Use starttls or implicit, or a server on loopback.',
  )
  check(
    ['SMTP_USER', 'SMTP_PASSWORD'],
    () => (values.SMTP_USER === '') !== (values.SMTP_PASSWORD === ''),
    'SMTP_USER and SMTP_PASSWORD belong together, but only one of them is set.',
  )
  check(
    ['SMTP_HOST', 'SMTP_PORT'],
    () => values.SMTP_HOST !== '' && values.SMTP_PORT === 0,
    'SMTP_PORT must be the port of the mail server: 0 is not the port of any.',
  )
}

function checkBackup(values: SettingValues, check: Check): void {
  check(
    ['BACKUP_TO', 'BACKUP_KEY'],
    () => values.BACKUP_TO !== '' && values.BACKUP_KEY === '',
    'BACKUP_TO is set, so BACKUP_KEY or BACKUP_KEY_FILE must give the key that backups are ' +
      'encrypted under: "tollgate backup key <file>" makes one.',
  )
  check(
    ['BACKUP_S3_ACCESS_KEY', 'BACKUP_S3_SECRET_KEY'],
    () => (values.BACKUP_S3_ACCESS_KEY === '') !== (values.BACKUP_S3_SECRET_KEY === ''),
    'BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY belong together, but only one of them is set.',
  )
}

function checkVault(values: SettingValues, check: Check): void {
  const user =
    values.VAULT_TRANSIT_KEY !== ''
      ? 'VAULT_TRANSIT_KEY'
      : values.VAULT_KEY_PREVIOUS.startsWith('transit:')
        ? 'VAULT_KEY_PREVIOUS'
        : null
  check(
    ['VAULT_TRANSIT_KEY', 'VAULT_KEY_PREVIOUS', 'VAULT_ADDR'],
    () => user !== null && values.VAULT_ADDR === '',
    `${user} names a key of a Vault, so VAULT_ADDR must be the address of that Vault.`,
  )
  check(
    ['VAULT_TRANSIT_KEY', 'VAULT_KEY_PREVIOUS', 'VAULT_TOKEN_FILE'],
    () => user !== null && values.VAULT_TOKEN_FILE === '',
    `${user} names a key of a Vault, so VAULT_TOKEN_FILE must be a file with its token, such as ` +
      'the sink of a Vault Agent.',
  )
  check(
    ['VAULT_ADDR'],
    () => values.VAULT_ADDR.startsWith('http:') && !isLoopback(new URL(values.VAULT_ADDR).hostname),
    `VAULT_ADDR is ${values.VAULT_ADDR}: data keys would cross the network in plain text. Use ` +
      'https, or an agent on loopback.',
  )
}

function checkServers(values: SettingValues, check: Check): void {
  checkBank(values, check)
  checkMail(values, check)
  checkBackup(values, check)
  checkVault(values, check)
}

/** Faults that only show when settings are held against each other and against the disk. */
export function crossCheck(values: SettingValues, faulty: ReadonlySet<SettingName>): string[] {
  const problems: string[] = []
  const check: Check = (names, isFault, problem) => {
    if (!names.some((name) => faulty.has(name)) && isFault()) problems.push(problem)
  }
  const isProduction = values.MODE === 'production'
  const proxied = values.TRUST_PROXY.length > 0
  check(
    ['HOST', 'TRUST_PROXY', 'MODE'],
    () => !isProduction && !isLoopback(values.HOST) && !proxied,
    `HOST is ${values.HOST}, which others can reach. Plain HTTP is served on loopback ` +
      'addresses only: set HOST to 127.0.0.1 (TLS_HOST may differ), or name the proxy in front ' +
      'with TRUST_PROXY.',
  )
  for (const checkPart of [checkPlaces, checkServers]) checkPart(values, check)
  for (const [at, left] of PORTS.entries()) {
    for (const right of PORTS.slice(at + 1)) {
      check(
        [left, right],
        () => values[left] !== null && values[left] !== 0 && values[left] === values[right],
        `${left} and ${right} are both ${values[left]}, but each needs a port of its own.`,
      )
    }
  }
  const hasCertificate = values.TLS_CERT !== '' || values.TLS_KEY !== ''
  check(
    ['TLS_CERT', 'TLS_KEY'],
    () => hasCertificate && (values.TLS_CERT === '' || values.TLS_KEY === ''),
    'TLS_CERT and TLS_KEY belong together, but only one of them is set.',
  )
  for (const name of ['TLS_CERT', 'TLS_KEY', 'DATABASE_CA', 'SMTP_CA', 'VAULT_CACERT'] as const) {
    check(
      [name],
      () => values[name] !== '' && !isReadable(values[name]),
      `${name} is ${values[name]}, a file that is not there or cannot be read.`,
    )
  }
  const keys = VAULT_KEYS.filter((name) => values[name] !== '')
  check(
    VAULT_KEYS,
    () => keys.length > 1,
    `${keys.join(' and ')} are ${keys.length > 2 ? 'all' : 'both'} set, but the key can come from one ` +
      'place only. The key before it is named with VAULT_KEY_PREVIOUS.',
  )
  check(
    ['THREE_DS_DIRECTORY_FILE', 'THREE_DS_RESULTS_URL'],
    () => values.THREE_DS_DIRECTORY_FILE !== '' && values.THREE_DS_RESULTS_URL === '',
    'THREE_DS_RESULTS_URL must be set beside THREE_DS_DIRECTORY_FILE: it is the address at which the ' +
      'Directory Servers bring the results of challenges.',
  )
  if (!isProduction) return problems
  check(
    ['TRUST_PROXY', 'TLS_CERT', 'TLS_KEY'],
    () => !proxied && !hasCertificate,
    'MODE is production, so TLS_CERT and TLS_KEY must name a certificate, or TRUST_PROXY the ' +
      'proxy that has one.',
  )
  check(
    ['PUBLIC_URL'],
    () => values.PUBLIC_URL.startsWith('http:'),
    `PUBLIC_URL is ${values.PUBLIC_URL}, but in production it must start with https.`,
  )
  check(
    ['PUBLIC_URL', 'TRUST_PROXY'],
    () => values.PUBLIC_URL === '' && proxied,
    'PUBLIC_URL must be set in production behind TRUST_PROXY: it is the address that ' +
      'cardholders are sent to.',
  )
  check(
    VAULT_KEYS,
    () => keys.length === 0,
    'MODE is production, so VAULT_KEY, VAULT_KEY_FILE, VAULT_KMS_KEY or VAULT_TRANSIT_KEY must ' +
      'give the key that card data is encrypted under (openssl rand -base64 32 makes one).',
  )
  return problems
}

/** Whether a text is `*` or an origin as browsers send it, of a page safe from eavesdropping. */
export function isPageOrigin(text: string): boolean {
  if (text === '*') return true
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && origin === text
}
