import type { DerivedConfig } from './derived-config.ts'
import { host, oneOf, portOrNone, text, wholeNumber } from './setting-kinds.ts'
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

const OFF = '(no console)'
type ConsolePlace = Pick<DerivedConfig, 'consoleEndpoint' | 'consoleUrl'>

/** Settings of the operator's console; without a port there is none. */
export const CONSOLE_SETTINGS = {
  CONSOLE_HOST: {
    ...host(''),
    fallbackText: '`TLS_HOST`',
    shown: ({ consoleEndpoint }: ConsolePlace): string => consoleEndpoint?.host ?? OFF,
  },
  CONSOLE_PORT: {
    ...portOrNone,
    fallbackText: 'none: no console',
    shown: ({ consoleEndpoint }: ConsolePlace): string => String(consoleEndpoint?.port ?? OFF),
  },
  CONSOLE_URL: {
    ...text('an address such as https://console.example.com, without path or query', isOrigin),
    fallbackText: 'from host and port',
    shown: ({ consoleUrl }: ConsolePlace): string => consoleUrl || OFF,
  },
} as const

type SignIn = Pick<DerivedConfig, 'portal'>

/** Settings of the portal's sign-in. */
export const PORTAL_SIGN_IN_SETTINGS = {
  PORTAL_SECOND_FACTOR: {
    ...oneOf({ sandbox: 'optional', production: 'required' }, ['required', 'optional']),
    shown: ({ portal }: SignIn): string => (portal.secondFactorRequired ? 'required' : 'optional'),
  },
  PORTAL_PASSWORD_DAYS: {
    ...wholeNumber({ sandbox: '0', production: '90' }, 0, 3_650, ' of days'),
    shown: ({ portal }: SignIn): string => String(portal.passwordDays),
  },
  PORTAL_IDLE_DAYS: {
    ...wholeNumber({ sandbox: '0', production: '90' }, 0, 3_650, ' of days'),
    shown: ({ portal }: SignIn): string => String(portal.idleDays),
  },
} as const
