import { isIPv4, isIPv6 } from 'node:net'
import type { MessageVersion } from '../../domain/three-ds/trans-status.ts'
import type { Browser } from '../../usecases/three-ds/three-ds-server.ts'
import { shortened, withoutNulls } from './plain-text.ts'
import type { Message } from './protocol-fault.ts'

const HEADER_MAX = 2_048
const LANGUAGE_MAX = 8
const COLOR_DEPTHS = [48, 32, 24, 16, 15, 8, 4, 1]
const FARTHEST_TIME_ZONE_MIN = 14 * 60

/**
 * The browser as an AReq of the version describes it, or names of what is missing: 2.1.0 knows no
 * browser without scripts.
 */
export function browserElements(
  browser: Browser,
  version: MessageVersion,
): { readonly elements: Message } | { readonly missing: readonly string[] } {
  const script = {
    browserColorDepth: colorDepth(browser.colorDepth),
    browserScreenHeight: pixels(browser.screenHeight),
    browserScreenWidth: pixels(browser.screenWidth),
    browserTZ: timeZone(browser.timeZone),
  }
  const missing = Object.entries(script).flatMap(([name, value]) => (value === null ? [name] : []))
  if (version === '2.1.0' && missing.length > 0) return { missing }
  const hasScript = missing.length === 0 && (version === '2.1.0' || browser.javascriptEnabled)
  return {
    elements: withoutNulls({
      browserAcceptHeader: shortened(browser.acceptHeader, HEADER_MAX) ?? '*/*',
      // A customer with nothing readable in it is asked about all the same.
      browserUserAgent: shortened(browser.userAgent, HEADER_MAX) ?? 'unknown',
      browserLanguage: shortLanguage(browser.language),
      browserJavascriptEnabled: version === '2.1.0' ? null : hasScript,
      // A browser without a statement about Java runs none.
      ...(hasScript ? { browserJavaEnabled: browser.javaEnabled ?? false, ...script } : {}),
      browserIP: fullAddress(browser.ip),
    }),
  }
}

/** A language tag of at most eight characters: subtags are left out from the end. */
export function shortLanguage(tag: string): string {
  // Some send the header instead of the tag, and some write an underscore.
  const [first = ''] = tag.trim().split(/[,;\s]/)
  let parts = first.replaceAll('_', '-').split('-')
  const end = parts.findIndex((part) => !/^[A-Za-z0-9]{1,8}$/.test(part))
  if (end >= 0) parts = parts.slice(0, end)
  while (parts.length > 1 && parts.join('-').length > LANGUAGE_MAX) parts.pop()
  const language = parts.join('-')
  return /^[A-Za-z]/.test(language) && /^[A-Za-z]+(-|$)/.test(language) ? language : 'und'
}

/** The next depth at or below that messages may name; null when there is none. */
function colorDepth(bits: number | null): string | null {
  if (bits === null) return null
  const depth = COLOR_DEPTHS.find((allowed) => allowed <= bits)
  return depth === undefined ? null : String(depth)
}

function pixels(count: number | null): string | null {
  return count !== null && Number.isInteger(count) && count >= 0 && count <= 999_999
    ? String(count)
    : null
}

function timeZone(minutes: number | null): string | null {
  const isOne =
    minutes !== null && Number.isInteger(minutes) && Math.abs(minutes) <= FARTHEST_TIME_ZONE_MIN
  // A zero has no sign here.
  return isOne ? String(minutes === 0 ? 0 : minutes) : null
}

/** IPv4 as it is, IPv6 with all eight groups; null for what is no address. */
export function fullAddress(text: string): string | null {
  const [address = ''] = text.trim().split('%')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  // The parser turns an IPv4 end into groups.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const front = groups(head)
  const back = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  const all = [...front, ...zeros, ...back]
  if (all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff') {
    const [high = 0, low = 0] = all.slice(6).map((group) => Number.parseInt(group, 16))
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  return all.map((group) => group.padStart(4, '0')).join(':')
}
