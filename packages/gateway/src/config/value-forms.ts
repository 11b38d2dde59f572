import { isIP } from 'node:net'
import { databaseAddresses } from '../base/database-addresses.ts'

/** An address or name to listen at or to connect to; no port, no scheme. */
export function isHost(value: string): boolean {
  return (
    isIP(value) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)*$/i.test(value)
  )
}

export function isAddressOrNetwork(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return (
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  )
}

export function isPostgresUrl(value: string): boolean {
  return databaseAddresses(value).every(
    (address) => /^postgres(ql)?:\/\//.test(address) && URL.canParse(address),
  )
}

export function isOrigin(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return bare && url.pathname === '/'
}

/** Whether a value is the address of a collector of traces, with its path. */
export function isTracesUrl(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value) || value.length > 2_048) return false
  const { hash, password, pathname, search, username } = new URL(value)
  const bare = username === '' && password === '' && search === '' && hash === ''
  return bare && pathname !== '/'
}

/** Whether a value is an address for results of Directory Servers, whose path is given. */
export function isResultsUrl(value: string): boolean {
  if (!value.startsWith('https://') || !URL.canParse(value) || value.length > 2_048) return false
  const { hash, password, pathname, search, username } = new URL(value)
  const bare = username === '' && password === '' && search === '' && hash === ''
  return bare && pathname === '/3ds/results'
}

/** A folder, or the address of a bucket and perhaps a folder in there. */
export function isBackupPlace(value: string): boolean {
  if (!value.includes('://')) return true
  return /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/.test(value)
}

/** Base64 of exactly 32 bytes: 43 digits and one `=`. */
export function isVaultKey(value: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(value) && Buffer.from(value, 'base64').length === 32
}

/** DE 32: an institution id with a zero in front could not be named by a reversal. */
export function isInstitutionId(value: string): boolean {
  return /^[1-9][0-9]{0,10}$/.test(value)
}

export function isKmsKey(value: string): boolean {
  return /^[A-Za-z0-9:/_-]{1,2048}$/.test(value)
}

/** The name of a transit key, with the mount in front where that is not `transit`. */
export function isTransitKey(value: string): boolean {
  return value.length <= 512 && /^(?:[\w-][\w.-]*\/)*\w(?:[\w.-]*\w)?$/.test(value)
}

export function isNamespace(value: string): boolean {
  return value.length <= 512 && /^\/?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?$/.test(value)
}

export function isPreviousKey(value: string): boolean {
  const [, kind, rest = ''] = /^(file|kms|transit):(.+)$/.exec(value) ?? []
  if (kind === 'kms') return isKmsKey(rest)
  return kind === 'transit' ? isTransitKey(rest) : kind === 'file'
}
