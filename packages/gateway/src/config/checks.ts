import { isLoopback } from './loopback.ts'
import { checkPlaces } from './portal-place.ts'
import { checkServers, isReadable, type Check } from './server-checks.ts'
import type { SettingName, SettingValues } from './settings.ts'

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

/** The settings that name a file with certificates, and its key. */
const CERTIFICATE_FILES = [
  'TLS_CERT',
  'TLS_KEY',
  'DATABASE_CA',
  'SMTP_CA',
  'AUDIT_PUSH_CA',
  'VAULT_CACERT',
] as const

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
  for (const name of CERTIFICATE_FILES) {
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
