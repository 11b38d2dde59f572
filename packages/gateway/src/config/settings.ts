import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { databaseAddresses } from '../adapters/postgres/connection/address-ring.ts'

/** One setting: what it is called, what it is when nobody sets it, what it must look like. */
interface Setting<T> {
  /** The value in force when the environment is silent, as an operator would write it. */
  readonly fallback: string
  /** What the default depends on, for the documentation; the plain fallback when missing. */
  readonly fallbackText?: string
  /** Secrets are never shown, not even in the sentence that refuses them. */
  readonly secret?: boolean
  /** What a good value is, to finish the sentence "NAME must be ...". */
  readonly expected: string
  readonly schema: z.ZodType<T, string>
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

function text(
  expected: string,
  accepts: (value: string) => boolean,
  fallback = '',
): Setting<string> {
  return {
    fallback,
    expected,
    schema: z.string().refine((value) => value === '' || accepts(value)),
  }
}

function wholeNumber(fallback: string, low: number, high: number, unit = ''): Setting<number> {
  const schema = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= low && value <= high)
  return { fallback, schema, expected: `a whole number${unit} from ${low} to ${high}` }
}

function oneOf<const T extends readonly string[]>(
  fallback: T[number],
  values: T,
): Setting<T[number]> {
  const schema = z.enum(values) as unknown as z.ZodType<T[number], string>
  return { fallback, schema, expected: `one of ${values.join(', ')}` }
}

const port = (fallback: string): Setting<number> => ({
  ...wholeNumber(fallback, 0, 65_535),
  expected: 'a port number from 1 to 65535, or 0 for any free port',
})

/** A port that nobody has to name. */
const portOrNone = {
  ...port(''),
  schema: z.union([z.literal('').transform(() => null), port('').schema]),
}

/** An address or name to listen at or to connect to; no port, no scheme. */
function isHost(value: string): boolean {
  return (
    isIP(value) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)*$/i.test(value)
  )
}

function isAddressOrNetwork(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return (
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  )
}

function isPostgresUrl(value: string): boolean {
  return databaseAddresses(value).every(
    (address) => /^postgres(ql)?:\/\//.test(address) && URL.canParse(address),
  )
}

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return bare && url.pathname === '/'
}

/** Where Directory Servers bring results: the path is given. */
function isResultsUrl(value: string): boolean {
  if (!value.startsWith('https://') || !URL.canParse(value) || value.length > 2_048) return false
  const { hash, password, pathname, search, username } = new URL(value)
  const bare = username === '' && password === '' && search === '' && hash === ''
  return bare && pathname === '/3ds/results'
}

/** Base64 of exactly 32 bytes: 43 digits and one `=`. */
export function isVaultKey(value: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(value) && Buffer.from(value, 'base64').length === 32
}

/** DE 32: an institution id with a zero in front could not be named by a reversal. */
function isInstitutionId(value: string): boolean {
  return /^[1-9][0-9]{0,10}$/.test(value)
}

const addresses: Setting<readonly string[]> = {
  fallback: '',
  expected: 'a comma-separated list of IP addresses or networks such as 10.0.0.5 or 10.0.0.0/8',
  schema: z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((parts) => parts.every(isAddressOrNetwork)),
}

function isKmsKey(value: string): boolean {
  return /^[A-Za-z0-9:/_-]{1,2048}$/.test(value)
}

function isPreviousKey(value: string): boolean {
  return /^file:./.test(value) || (value.startsWith('kms:') && isKmsKey(value.slice(4)))
}

/**
 * Every setting there is, in the order in which `tollgate config` and docs/operators/running.md
 * list them (a test holds the two together).
 */
export const SETTINGS = {
  MODE: oneOf('sandbox', ['sandbox', 'production']),
  HOST: text('an IP address or a host name', isHost, '127.0.0.1'),
  PORT: port('8080'),
  TLS_HOST: { ...text('an IP address or a host name', isHost), fallbackText: '`HOST`' },
  TLS_PORT: port('8443'),
  TLS_CERT: { ...text('a file', () => true), fallbackText: 'self-made in the sandbox' },
  TLS_KEY: { ...text('a file', () => true), fallbackText: 'self-made in the sandbox' },
  TRUST_PROXY: addresses,
  PUBLIC_URL: {
    ...text('an address such as https://pay.example.com, without path or query', isOrigin),
    fallbackText: 'from host and port',
  },
  DATA_DIR: text('a folder', () => true, '.tollgate'),
  DATABASE_URL: {
    ...text('an address such as postgresql://user:password@host:5432/database', isPostgresUrl),
    fallbackText: 'embedded PostgreSQL',
    secret: true,
  },
  DATABASE_WAIT_S: wholeNumber('60', 0, 86_400, ' of seconds'),
  BANK_HOST: text('an IP address or a host name', isHost, '127.0.0.1'),
  BANK_PORT: port('8583'),
  BANK_CONTROL_PORT: {
    ...port(''),
    schema: z.union([z.literal('').transform(() => null), port('').schema]),
    fallbackText: '`BANK_PORT` + 1',
  },
  BANK_INSTITUTION_ID: text('1 to 11 digits, the first not 0', isInstitutionId, '414000'),
  BANK_TIMEOUT_MS: wholeNumber('25000', 100, 120_000, ' of milliseconds'),
  BANK_DS_PORT: { ...portOrNone, fallbackText: '`BANK_PORT` + 2' },
  BANK_ACS_PORT: { ...portOrNone, fallbackText: '`BANK_PORT` + 3' },
  BANK_ACS_BACK_PORT: { ...portOrNone, fallbackText: '`BANK_PORT` + 4' },
  BANK_DS_HOST: text('a host name or an IPv4 address', isHost, 'localhost'),
  BANK_ACS_HOST: text('a host name or an IPv4 address', isHost, 'localhost'),
  BANK_3DS_TIME_SCALE: wholeNumber('1', 1, 9_999),
  THREE_DS_SIMULATOR: {
    ...oneOf('on', ['on', 'off']),
    fallbackText: 'on in the sandbox, off in production',
  },
  THREE_DS_DIRECTORY_FILE: { ...text('a file', () => true), fallbackText: 'none' },
  THREE_DS_TIMEOUT_MS: wholeNumber('10000', 3_000, 30_000, ' of milliseconds'),
  THREE_DS_RESULTS_HOST: text('an IP address or a host name', isHost, '127.0.0.1'),
  THREE_DS_RESULTS_PORT: { ...portOrNone, fallbackText: '`BANK_PORT` + 5' },
  THREE_DS_RESULTS_URL: {
    ...text('an address such as https://3ds.example.com/3ds/results', isResultsUrl),
    fallbackText: 'https://localhost:`THREE_DS_RESULTS_PORT`/3ds/results',
  },
  WORKERS: {
    ...wholeNumber(String(Math.max(1, availableParallelism() - 1)), 1, 256),
    fallbackText: 'cores - 1, at least 1',
  },
  METRICS_HOST: text('an IP address or a host name', isHost, '127.0.0.1'),
  METRICS_PORT: {
    fallback: '',
    fallbackText: 'none: no metrics are served',
    expected: 'a port number from 1 to 65535, or 0 for any free port',
    schema: z.union([z.literal('').transform(() => null), port('0').schema]),
  },
  LOG_LEVEL: oneOf('info', LOG_LEVELS),
  VAULT_KEY: {
    ...text('the base64 text of 32 random bytes', isVaultKey),
    fallbackText: 'self-made in the sandbox',
    secret: true,
  },
  VAULT_KEY_FILE: {
    ...text('a file', () => true),
    fallbackText: '`DATA_DIR`/keys/vault.key in the sandbox',
  },
  VAULT_KMS_KEY: {
    ...text('a key id, an ARN or an alias of AWS KMS', isKmsKey),
    fallbackText: 'none',
  },
  VAULT_KEY_PREVIOUS: {
    ...text('file: and the path of a key file, or kms: and a key of AWS KMS', isPreviousKey),
    fallbackText: 'none',
  },
  LOGIN_FAILURE_LIMIT: {
    ...wholeNumber('', 1, 1_000_000),
    fallbackText: '100 in the sandbox, 10 in production',
  },
  API_USER_IDLE_DAYS: {
    ...wholeNumber('', 0, 3_650, ' of days'),
    fallbackText: '0 in the sandbox, 90 in production',
  },
  PORTAL_SECOND_FACTOR: {
    ...oneOf('optional', ['required', 'optional']),
    fallbackText: 'optional in the sandbox, required in production',
  },
  PORTAL_PASSWORD_DAYS: {
    ...wholeNumber('', 0, 3_650, ' of days'),
    fallbackText: '0 in the sandbox, 90 in production',
  },
  PORTAL_IDLE_DAYS: {
    ...wholeNumber('', 0, 3_650, ' of days'),
    fallbackText: '0 in the sandbox, 90 in production',
  },
  REQUEST_RATE_LIMIT: {
    ...wholeNumber('', 0, 1_000_000),
    fallbackText: '0 in the sandbox, 500 in production',
  },
  REQUEST_RATE_BURST: wholeNumber('2000', 1, 1_000_000),
  MAX_CONNECTIONS: wholeNumber('2000', 16, 1_000_000),
  MAX_CONNECTIONS_PER_ADDRESS: {
    ...wholeNumber('', 0, 1_000_000),
    fallbackText: '0 in the sandbox, 500 in production',
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export type SettingValues = { readonly [K in SettingName]: z.infer<(typeof SETTINGS)[K]['schema']> }

/** Settings whose default differs between the sandbox and production. */
const FALLBACKS_BY_MODE: Readonly<
  Record<'sandbox' | 'production', Partial<Record<SettingName, string>>>
> = {
  sandbox: {
    THREE_DS_SIMULATOR: 'on',
    LOGIN_FAILURE_LIMIT: '100',
    API_USER_IDLE_DAYS: '0',
    PORTAL_SECOND_FACTOR: 'optional',
    PORTAL_PASSWORD_DAYS: '0',
    PORTAL_IDLE_DAYS: '0',
    REQUEST_RATE_LIMIT: '0',
    MAX_CONNECTIONS_PER_ADDRESS: '0',
  },
  production: {
    THREE_DS_SIMULATOR: 'off',
    LOGIN_FAILURE_LIMIT: '10',
    API_USER_IDLE_DAYS: '90',
    PORTAL_SECOND_FACTOR: 'required',
    PORTAL_PASSWORD_DAYS: '90',
    PORTAL_IDLE_DAYS: '90',
    REQUEST_RATE_LIMIT: '500',
    MAX_CONNECTIONS_PER_ADDRESS: '500',
  },
}

export interface ReadSettings {
  readonly values: SettingValues
  /** Names whose value was refused; `values` holds their default, for the checks that go on. */
  readonly faulty: ReadonlySet<SettingName>
  readonly problems: readonly string[]
}

/** Reads each setting by itself. An empty value counts as not set. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ReadSettings {
  const problems: string[] = []
  const faulty = new Set<SettingName>()
  const values: Record<string, unknown> = {}
  const mode = env['MODE'] === 'production' ? 'production' : 'sandbox'
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting: Setting<unknown> = SETTINGS[name]
    const fallback = FALLBACKS_BY_MODE[mode][name] ?? setting.fallback
    const given = env[name]?.trim() || fallback
    const parsed = setting.schema.safeParse(given)
    if (!parsed.success) {
      const found =
        setting.secret === true ? 'is not valid (its value is kept secret)' : `is "${given}"`
      problems.push(`${name} ${found}, but must be ${setting.expected}.`)
      faulty.add(name)
    }
    values[name] = parsed.success ? parsed.data : setting.schema.parse(fallback)
  }
  return { values: values as unknown as SettingValues, faulty, problems }
}
