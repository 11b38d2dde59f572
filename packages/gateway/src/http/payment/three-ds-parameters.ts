import { isIP } from 'node:net'
import type { SentBrowser } from '../../usecases/three-ds/three-ds-request.ts'
import type { SentRequest } from './sent-request.ts'

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
export function readBrowser(sent: SentRequest): SentBrowser {
  const ip = (sent.XTL_IP ?? sent.P3DS_IP_ADDRESS ?? '').trim()
  return {
    acceptHeader: header(sent.P3DS_BROWSER_HEADER),
    userAgent: header(sent.USER_AGENT_XTL),
    language: (sent.P3DS_BROWSER_LANGUAGE ?? '').trim(),
    javaEnabled: sent.P3DS_JAVA_ENABLED ?? null,
    javascriptEnabled: sent.P3DS_JAVASCRIPT_ENABLED ?? null,
    colorDepth: colorDepth(sent.P3DS_BROWSER_COLOR_DEPTH),
    screenHeight: sent.P3DS_SCREEN_HEIGHT ?? null,
    screenWidth: sent.P3DS_SCREEN_WIDTH ?? null,
    timeZone: withoutSign(sent.P3DS_BROWSER_TIME_ZONE),
    ip: isIP(ip) === 0 ? '' : ip,
  }
}

function header(value = ''): string {
  return value.trim().slice(0, LONGEST_HEADER)
}

/** The interface has positive minutes only, and not all clients know. */
function withoutSign(minutes: number | undefined): number | null {
  return minutes === undefined ? null : Math.abs(minutes)
}

function colorDepth(bits: number | undefined): number | null {
  if (bits === undefined) return null
  return COLOR_DEPTHS.find((known) => known <= bits) ?? null
}
