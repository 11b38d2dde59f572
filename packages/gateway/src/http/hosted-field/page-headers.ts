import { VIOLATIONS_PATH } from './page-violations.ts'

/** Everything a page could ask the browser for and a card field has no use of. */
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((name) => `${name}=()`)
  .join(', ')

/** For everything that is served to browsers. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Headers of the page that takes a card. Only its own scripts run, it connects to its own origin
 * only, and none of its forms can be sent anywhere. Only the site's pages and the gateway's own
 * may frame it.
 */
export function fieldPageHeaders(origins: readonly string[]): Readonly<Record<string, string>> {
  return {
    ...noCardHeaders(),
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      `frame-ancestors ${frameAncestors(origins)}`,
      "form-action 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      `report-uri ${VIOLATIONS_PATH}`,
    ].join('; '),
  }
}

/** Headers of the page that takes none; anybody may see it, so that a shop sees what is wrong. */
export function noCardHeaders(): Readonly<Record<string, string>> {
  return {
    ...COMMON,
    'content-security-policy':
      "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'",
    'cache-control': 'no-store',
    'permissions-policy': PERMISSIONS,
    // A shop whose page is isolated (COEP) may hold the frame only with these two.
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'x-robots-tag': 'noindex',
  }
}

/** Headers of what the page loads. Its address names its content, so it is kept for ever. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

/** Headers of the script that shops load, which they may check by its hash. */
export const SHOP_SCRIPT_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

/** The gateway's own pages are always among them: the virtual terminal of the portal. */
function frameAncestors(origins: readonly string[]): string {
  return origins.includes('*') ? '*' : ["'self'", ...origins].join(' ')
}
