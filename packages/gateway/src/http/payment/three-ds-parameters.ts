import { isIP } from 'node:net'
import type { SentBrowser } from '../../usecases/three-ds/three-ds-request.ts'

type Params = ReadonlyMap<string, string>

/** Without any one of these there is no authentication, by contract, and no word about it. */
export const NEEDED_OF_BROWSER = [
  'P3DS_BROWSER_LANGUAGE',
  'USER_AGENT_XTL',
  'P3DS_BROWSER_HEADER',
] as const

/** Longer headers are cut, as the protocol wants it. */
const LONGEST_HEADER = 2048
/** What the protocol knows; a browser that reports another is given the next lower one. */
const COLOR_DEPTHS = [48, 32, 24, 16, 15, 8, 4, 1]

/** Wire names of what is missing for an authentication. Blanks alone are nothing. */
export function missingOfBrowser(params: Params): string[] {
  return NEEDED_OF_BROWSER.filter((name) => (params.get(name) ?? '').trim() === '')
}

/**
 * What the merchant's server tells of the browser, the form of each value being checked already.
 */
export function readBrowser(params: Params): SentBrowser {
  const ip = params.get('XTL_IP') ?? params.get('P3DS_IP_ADDRESS') ?? ''
  return {
    acceptHeader: header(params, 'P3DS_BROWSER_HEADER'),
    userAgent: header(params, 'USER_AGENT_XTL'),
    language: (params.get('P3DS_BROWSER_LANGUAGE') ?? '').trim(),
    javaEnabled: flag(params, 'P3DS_JAVA_ENABLED'),
    javascriptEnabled: flag(params, 'P3DS_JAVASCRIPT_ENABLED'),
    colorDepth: colorDepth(whole(params, 'P3DS_BROWSER_COLOR_DEPTH')),
    screenHeight: whole(params, 'P3DS_SCREEN_HEIGHT'),
    screenWidth: whole(params, 'P3DS_SCREEN_WIDTH'),
    timeZone: whole(params, 'P3DS_BROWSER_TIME_ZONE'),
    ip: isIP(ip.trim()) === 0 ? '' : ip.trim(),
  }
}

function header(params: Params, name: string): string {
  return (params.get(name) ?? '').trim().slice(0, LONGEST_HEADER)
}

function flag(params: Params, name: string): boolean | null {
  const value = params.get(name)?.toUpperCase()
  return value === undefined ? null : value === 'TRUE' || value === '1'
}

/** Without its sign: the interface has positive minutes only, and not all clients know. */
function whole(params: Params, name: string): number | null {
  const value = params.get(name)
  return value === undefined ? null : Math.abs(Number(value))
}

function colorDepth(bits: number | null): number | null {
  if (bits === null) return null
  return COLOR_DEPTHS.find((known) => known <= bits) ?? null
}
