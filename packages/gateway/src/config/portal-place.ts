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
  const isTls = tls !== null && (http === null || !tls.selfMade)
  const address = values.PORTAL_HOST || (isTls ? tls.host : values.HOST)
  const endpoint = { host: address, port: values.PORTAL_PORT }
  return {
    portalEndpoint: { ...endpoint, isTls },
    portalUrl: stated || originOf(isTls ? 'https' : 'http', endpoint),
  }
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

/** Reports the faults of the portal's own address. */
export function checkPortalPlace(
  values: SettingValues,
  check: (names: readonly SettingName[], isFault: () => boolean, problem: string) => void,
): void {
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
