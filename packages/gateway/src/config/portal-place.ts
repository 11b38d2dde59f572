import { isIP } from 'node:net'
import type { DerivedConfig, Endpoint, TlsEndpoint } from './derived-config.ts'
import type { SettingName, SettingValues } from './settings.ts'

/**
 * The portal's endpoint and address. A portal apart has HTTPS by the operator's certificate; in a
 * sandbox plain HTTP on this machine spares browsers the self-made one.
 */
export function portalPlace(
  values: SettingValues,
  { http, publicUrl, tls }: Pick<DerivedConfig, 'http' | 'publicUrl'> & { tls: TlsEndpoint | null },
): Pick<DerivedConfig, 'portalEndpoint' | 'portalUrl'> {
  const stated = withoutSlash(values.PORTAL_URL)
  if (values.PORTAL_PORT === null) return { portalEndpoint: null, portalUrl: stated || publicUrl }
  const { endpoint, isTls } = endpointApart(values, values.PORTAL_HOST, values.PORTAL_PORT, {
    http,
    tls,
  })
  return {
    portalEndpoint: { ...endpoint, isTls },
    portalUrl: stated || originOf(isTls ? 'https' : 'http', endpoint),
  }
}

/** The console's endpoint and address: always its own, with the certificate of the gateway. */
export function consolePlace(
  values: SettingValues,
  servers: Pick<DerivedConfig, 'http'> & { tls: TlsEndpoint | null },
): Pick<DerivedConfig, 'consoleEndpoint' | 'consoleUrl'> {
  if (values.CONSOLE_PORT === null) return { consoleEndpoint: null, consoleUrl: '' }
  const { CONSOLE_HOST: host, CONSOLE_PORT: port } = values
  const { endpoint, isTls } = endpointApart(values, host, port, servers)
  return {
    consoleEndpoint: { ...endpoint, isTls },
    consoleUrl: withoutSlash(values.CONSOLE_URL) || originOf(isTls ? 'https' : 'http', endpoint),
  }
}

/** An endpoint beside that of payments, and whether it has HTTPS. */
function endpointApart(
  values: SettingValues,
  host: string,
  port: number,
  { http, tls }: Pick<DerivedConfig, 'http'> & { tls: TlsEndpoint | null },
): { readonly endpoint: Endpoint; readonly isTls: boolean } {
  const isTls = tls !== null && (http === null || !tls.selfMade)
  return { endpoint: { host: host || (isTls ? tls.host : values.HOST), port }, isTls }
}

/** An address for this machine: a wildcard is no place to connect to, and IPv6 goes in brackets. */
export function originOf(scheme: 'http' | 'https', endpoint: Endpoint): string {
  const { host: name, port } = endpoint
  const reachable = name === '0.0.0.0' ? '127.0.0.1' : name === '::' ? '::1' : name
  return `${scheme}://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

export function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}

type Check = (names: readonly SettingName[], isFault: () => boolean, problem: string) => void

/** Reports the faults of the addresses of portal and console. */
export function checkPlaces(values: SettingValues, check: Check): void {
  checkPortalPlace(values, check)
  checkConsolePlace(values, check)
}

function checkPortalPlace(values: SettingValues, check: Check): void {
  const isProduction = values.MODE === 'production'
  check(
    ['PORTAL_HOST', 'PORTAL_PORT'],
    () => values.PORTAL_HOST !== '' && values.PORTAL_PORT === null,
    `PORTAL_HOST is ${values.PORTAL_HOST}, but PORTAL_PORT is not set. Set both for a portal ` +
      'with an address of its own, or neither.',
  )
  check(
    ['PORTAL_URL', 'MODE'],
    () => isProduction && values.PORTAL_URL.startsWith('http:'),
    `PORTAL_URL is ${values.PORTAL_URL}, but in production it must start with https.`,
  )
  check(
    ['PORTAL_URL', 'PORTAL_PORT', 'TRUST_PROXY', 'MODE'],
    () =>
      isProduction &&
      values.PORTAL_URL === '' &&
      values.PORTAL_PORT !== null &&
      values.TRUST_PROXY.length > 0,
    'PORTAL_URL must be set in production behind TRUST_PROXY if the portal has a PORTAL_PORT: it ' +
      'is the address of the portal in links.',
  )
}

function checkConsolePlace(values: SettingValues, check: Check): void {
  const isProduction = values.MODE === 'production'
  const { CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_URL: url } = values
  check(
    ['CONSOLE_HOST', 'CONSOLE_PORT', 'CONSOLE_URL'],
    () => port === null && (host !== '' || url !== ''),
    'CONSOLE_HOST or CONSOLE_URL is set, but CONSOLE_PORT is not. Set a port for a console, or ' +
      'none of them.',
  )
  check(
    ['CONSOLE_URL', 'MODE'],
    () => isProduction && url.startsWith('http:'),
    `CONSOLE_URL is ${url}, but in production it must start with https.`,
  )
  check(
    ['CONSOLE_URL', 'CONSOLE_PORT', 'TRUST_PROXY', 'MODE'],
    () => isProduction && url === '' && port !== null && values.TRUST_PROXY.length > 0,
    'CONSOLE_URL must be set in production behind TRUST_PROXY if there is a CONSOLE_PORT: it is ' +
      'the address of the console in links.',
  )
  check(
    ['CONSOLE_URL', 'PUBLIC_URL', 'PORTAL_URL'],
    () =>
      url !== '' &&
      [values.PUBLIC_URL, values.PORTAL_URL].map(withoutSlash).includes(withoutSlash(url)),
    `CONSOLE_URL is ${url}, which is the address of payments or of the portal too. The console ` +
      'needs an address of its own.',
  )
}
