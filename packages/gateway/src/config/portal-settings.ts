import type { DerivedConfig } from './derived-config.ts'
import { host, portOrNone, text } from './setting-kinds.ts'
import { isOrigin } from './value-forms.ts'

const WITH_PAYMENTS = '(with the payments)'
type Place = Pick<DerivedConfig, 'portalEndpoint' | 'portalUrl'>

/** Settings of the portal's own address; without a port it is served with the payments. */
export const PORTAL_PLACE_SETTINGS = {
  PORTAL_HOST: {
    ...host(''),
    fallbackText: '`TLS_HOST`',
    shown: ({ portalEndpoint }: Place): string => portalEndpoint?.host ?? WITH_PAYMENTS,
  },
  PORTAL_PORT: {
    ...portOrNone,
    fallbackText: 'none: served with the payments',
    shown: ({ portalEndpoint }: Place): string => String(portalEndpoint?.port ?? WITH_PAYMENTS),
  },
  PORTAL_URL: {
    ...text('an address such as https://portal.example.com, without path or query', isOrigin),
    fallbackText: '`PUBLIC_URL`, or from host and port',
    shown: ({ portalUrl }: Place): string => portalUrl,
  },
} as const
