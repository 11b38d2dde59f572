import { X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync } from 'node:fs'
import { hostOf, isLoopback } from './loopback.ts'
import type { SettingName, SettingValues } from './settings.ts'

/** Reports a problem between settings, unless one of them is faulty by itself. */
export type Check = (names: readonly SettingName[], isFault: () => boolean, problem: string) => void

/** Whether a file exists and may be read. */
export function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function isPlainReceiver(url: string): boolean {
  return /^(?:http|syslog\+tcp):/.test(url)
}

function isCertificateFile(file: string): boolean {
  try {
    return new X509Certificate(readFileSync(file)).subject !== undefined
  } catch {
    return false
  }
}

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
    () => values.VAULT_ADDR.startsWith('http:') && !isLoopback(hostOf(values.VAULT_ADDR)),
    `VAULT_ADDR is ${values.VAULT_ADDR}: data keys would cross the network in plain text. Use ` +
      'https, or an agent on loopback.',
  )
}

function checkAuditPush(values: SettingValues, check: Check): void {
  const { AUDIT_PUSH_URL: url } = values
  for (const name of ['AUDIT_PUSH_CA', 'AUDIT_PUSH_SECRET'] as const) {
    check(
      ['AUDIT_PUSH_URL', name],
      () => url === '' && values[name] !== '',
      `${name} is set, so AUDIT_PUSH_URL must be the address of the receiver.`,
    )
  }
  check(
    ['AUDIT_PUSH_URL', 'AUDIT_PUSH_SECRET'],
    () => url.startsWith('syslog') && values.AUDIT_PUSH_SECRET !== '',
    'AUDIT_PUSH_SECRET is set, and syslog has no secret: remove it, or use https.',
  )
  check(
    ['AUDIT_PUSH_URL'],
    () => isPlainReceiver(url) && !isLoopback(hostOf(url)),
    `AUDIT_PUSH_URL is ${url}: names and addresses of operators and users would cross the ` +
      'network in plain text. Use https or syslog+tls, or a relay on loopback.',
  )
  check(
    ['AUDIT_PUSH_URL', 'AUDIT_PUSH_CA'],
    () => isPlainReceiver(url) && values.AUDIT_PUSH_CA !== '',
    'AUDIT_PUSH_CA is set, and the address has no TLS: remove it, or use https or syslog+tls.',
  )
  check(
    ['AUDIT_PUSH_CA'],
    () => isReadable(values.AUDIT_PUSH_CA) && !isCertificateFile(values.AUDIT_PUSH_CA),
    `AUDIT_PUSH_CA is ${values.AUDIT_PUSH_CA}, which holds no certificate in PEM form.`,
  )
}

/** Faults of the servers that a gateway uses, such as the mail server. */
export function checkServers(values: SettingValues, check: Check): void {
  checkBank(values, check)
  checkMail(values, check)
  checkBackup(values, check)
  checkVault(values, check)
  checkAuditPush(values, check)
}
