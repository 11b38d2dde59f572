import { isIP } from 'node:net'
import type { SentBrowser } from '../../usecases/three-ds/three-ds-request.ts'
import type { SentRequest } from './sent-request.ts'

/** By contract, a request without any one of these is silently not authenticated. */
export const NEEDED_OF_BROWSER = [
  'P3DS_BROWSER_LANGUAGE',
  'USER_AGENT_XTL',
  'P3DS_BROWSER_HEADER',
] as const

/** In characters. The protocol has longer headers cut. */
const LONGEST_HEADER = 2048
/** The values of the protocol, in bits; another reported depth becomes the next lower one. */
const COLOR_DEPTHS = [48, 32, 24, 16, 15, 8, 4, 1]

/** Wire names of the missing parameters of the browser. Blanks alone count as missing. */
export function missingOfBrowser(sent: SentRequest): string[] {
  return NEEDED_OF_BROWSER.filter((name) => (sent[name] ?? '').trim() === '')
}

/** Reads the browser as the merchant's server describes it. Forms are checked already. */
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

/** The interface has positive minutes only; some clients send a sign all the same. */
function withoutSign(minutes: number | undefined): number | null {
  return minutes === undefined ? null : Math.abs(minutes)
}

function colorDepth(bits: number | undefined): number | null {
  if (bits === undefined) return null
  return COLOR_DEPTHS.find((known) => known <= bits) ?? null
}
