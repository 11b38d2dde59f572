import { ClientError } from './client-error.ts'
import type { Parameters } from './parameters.ts'

/** The part of the options that each request needs. */
export interface Connection {
  /** Scheme, host and port, without a path: 'https://pay.example'. */
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  /** A positive whole number, or its digits. */
  readonly siteId: string | number
  /** Replaces the built-in fetch, for example to trust a self-signed certificate. */
  readonly fetch?: typeof fetch
}

/**
 * @throws ClientError with `accepted: 'no'` that names the option, its value and the expected form
 */
export function checkConnection({ baseUrl, username, password, siteId }: Connection): void {
  checkBaseUrl(baseUrl)
  checkSiteId(siteId)
  for (const [name, value] of Object.entries({ username, password })) {
    // The value is not shown: the password is a secret.
    if (typeof value !== 'string' || value === '') {
      throw refused(
        `${name} is ${typeof value === 'string' ? 'empty' : typeof value}; expected text`,
      )
    }
  }
}

/** @throws ClientError with `accepted: 'no'` */
export function checkBaseUrl(baseUrl: unknown): void {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isAddress =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username + url.password + url.search + url.hash === '' &&
    url.pathname === '/'
  if (isAddress) return
  // Credentials in an address are not shown.
  const found =
    typeof baseUrl === 'string' && !baseUrl.includes('@') ? shown(baseUrl) : 'no address'
  throw refused(
    `baseUrl is ${found}; expected http or https, host and port without a path or credentials, ` +
      `such as 'https://pay.example'`,
  )
}

/** @throws ClientError with `accepted: 'no'` */
export function checkSiteId(siteId: unknown): void {
  const isNumber = typeof siteId === 'number' && Number.isSafeInteger(siteId) && siteId > 0
  if (isNumber || (typeof siteId === 'string' && /^[1-9]\d{0,17}$/.test(siteId))) return
  throw refused(`siteId is ${shown(siteId)}; expected a positive whole number, such as 1001`)
}

/**
 * Amounts are decimal text. A JavaScript number is refused even if it is whole, because the sum of
 * numbers such as 0.1 and 0.2 has already lost the cents.
 * @throws ClientError with `accepted: 'no'`
 */
export function checkAmount(name: string, amount: unknown): void {
  if (amount === undefined) return
  if (typeof amount === 'string' && /^(\d{1,15}(\.\d{0,3})?|\.\d{1,3})$/.test(amount)) return
  throw refused(`${name} is ${shown(amount)}; expected decimal text such as '12.50'`)
}

/**
 * @param limit longest accepted text, in characters
 * @throws ClientError with `accepted: 'no'`
 */
export function checkReference(name: string, reference: unknown, limit: number): void {
  if (typeof reference === 'string' && reference.trim() !== '' && reference.length <= limit) return
  throw refused(
    `${name} is ${shown(reference)}; expected text of 1 to ${limit} characters that you stored ` +
      `before this call, because a repeat is recognized by it`,
  )
}

/** @throws ClientError with `accepted: 'no'` */
export function checkKey(key: unknown): void {
  if (typeof key === 'string' && /^[!-~]([ -~]{0,62}[!-~])?$/.test(key)) return
  throw refused(
    `idempotencyKey is ${shown(key)}; expected 1 to 64 printable characters that you stored ` +
      `before this call, such as the number of the return, because a repeat is recognized by it`,
  )
}

/** Parameters of `more` may not replace what makes a repeat safe. Names have no case. */
export function checkMore(more: Parameters | undefined): void {
  const reserved = Object.keys(more ?? {}).find((name) => RESERVED.includes(name.toUpperCase()))
  if (reserved === undefined) return
  throw refused(`more has ${reserved}, which makes repeats unsafe; remove it`)
}

const RESERVED: readonly string[] = [
  'REQUEST_ACTION',
  'REQUEST_RESPONSE_FORMAT',
  'XTL_ORDER_ID',
  'XTL_PO_ID',
  'UNIQUE_XTL_ORDER_ID',
  'IDEMPOTENCY_KEY',
  // An unreferenced credit names a card in place of the order.
  'FORCE_CREDIT',
]

function refused(found: string): ClientError {
  return new ClientError(`Nothing was sent: ${found}.`, 'no')
}

/** Types and short values; long texts may be pasted secrets. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 60 ? `'${value}'` : 'a long text'
  if (typeof value === 'number' || typeof value === 'bigint') return `the ${typeof value} ${value}`
  return value === undefined
    ? 'missing'
    : value === null
      ? 'null'
      : `a value of type ${typeof value}`
}
