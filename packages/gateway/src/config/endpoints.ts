import { join, resolve } from 'node:path'
import type { Endpoint, TlsEndpoint } from './derived-config.ts'
import type { SettingValues } from './settings.ts'

/** Production serves plain HTTP to a trusted proxy only. */
export function httpOf(values: SettingValues): Endpoint | null {
  const isProxied = values.TRUST_PROXY.length > 0
  if (values.MODE === 'production' && !isProxied) return null
  return { host: values.HOST, port: values.PORT }
}

/** Production has HTTPS with the operator's certificate only. */
export function tlsOf(values: SettingValues, dataDir: string): TlsEndpoint | null {
  const selfMade = values.TLS_CERT === ''
  if (values.MODE === 'production' && selfMade) return null
  return {
    host: values.TLS_HOST || values.HOST,
    port: values.TLS_PORT,
    certFile: selfMade ? join(dataDir, 'keys', 'tls-cert.pem') : resolve(values.TLS_CERT),
    keyFile: selfMade ? join(dataDir, 'keys', 'tls-key.pem') : resolve(values.TLS_KEY),
    selfMade,
  }
}
