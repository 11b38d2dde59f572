import { maskCardNumber } from '../../base/card-masking.ts'
import { numberInGroups } from '../../base/card-number-text.ts'
import { isLuhnValid } from '../../base/check-digit.ts'
import { withoutPastedSecrets } from '../../base/pasted-secrets.ts'
import { withPlainDigits } from '../../base/plain-digits.ts'
import { cardBrand, normalizePan, readPan } from '../../domain/payments/card.ts'
import { describeParameter, rankOf } from './parameter-names.ts'
import { PARAMETERS } from './parameters.ts'

type Params = ReadonlyMap<string, string>

/**
 * References by which a shop finds its records: a masked one would never be found again. An order
 * number may look like a card number, so only the card number of the same request is refused.
 */
const REFERENCES: ReadonlySet<string> = new Set([
  'XTL_ORDER_ID',
  'XTL_CUST_ID',
  'PMT_ID_XTL',
  'CUST_LOGIN',
  'MBSHP_ID_XTL',
  'ORIG_CARD_BRAND_TRANSID',
  'PROC_GUID',
  'DEVICE_ID_XTL',
  'DEVICE_FINGERPRINT_XTL',
  'TPPE_ID',
  'LI_PROD_ID_n',
  'LI_XTL_PROD_ID_n',
])
const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'printable', 'unbroken', 'phone'])

/** Texts that are kept and shown as typed, and never looked up. */
const FREE_TEXTS: ReadonlySet<string> = new Set(
  PARAMETERS.filter(
    ({ name, kind, use }) =>
      (use === 'stores' || use === 'echoes') && TEXT_KINDS.has(kind) && !REFERENCES.has(name),
  ).map(({ name }) => name),
)

/** Longer groups of digits are no year of an expiry and no code. */
const LONGEST_CODE = 4
/** A shorter text has no room for a card number. */
const SHORTEST = 12

/**
 * The first parameter, in the order of the table, that is kept as it was sent and holds the
 * request's own card number.
 * @param countedName the name that a parameter is read under; null for an ignored one
 */
export function parameterWithCardNumber(
  params: Params,
  countedName: (name: string) => string | null,
): string | null {
  const own = ownNumber(params)
  if (own === null) return null
  let found: string | null = null
  for (const [sentName, value] of params) {
    if (value.length < SHORTEST) continue
    const name = countedName(sentName)
    if (name === null || !isKept(name) || !holds(value, own)) continue
    if (found === null || rankOf(name) < rankOf(found)) found = name
  }
  return found
}

/**
 * A free text without card numbers, codes and stripes; any other value unchanged. Each number is
 * cut down to its first six and last four digits. `own`: the request's own number.
 */
export function maskFreeText(name: string, value: string, own: string | null): string {
  return FREE_TEXTS.has(name) ? maskPastedNumbers(value, own) : value
}

/** A value as an answer may repeat it: without the request's own card number. */
export function withoutOwnNumber(params: Params, value: string): string {
  if (value.length < SHORTEST) return value
  const own = ownNumber(params)
  return own === null || !holds(value, own) ? value : maskOwn(value, own)
}

/** The digits of the card that pays; null when none was sent, or none that has the form of one. */
export function ownNumber(params: Params): string | null {
  const sent = params.get('PMT_NUMB')
  if (sent === undefined) return null
  return readPan(sent).kind === 'pan' ? normalizePan(sent) : null
}

function isKept(name: string): boolean {
  if (name === 'PMT_NUMB' || FREE_TEXTS.has(name)) return false
  return KEPT.has(describeParameter(name)?.use ?? '')
}

const KEPT: ReadonlySet<string> = new Set(['acts', 'echoes', 'stores'])

/** Whether the text holds the digits, with any separators between them, in any script's digits. */
function holds(text: string, digits: string): boolean {
  return withPlainDigits(text)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .includes(digits)
}

function maskOwn(text: string, own: string): string {
  const pattern = new RegExp([...own].join('[^\\p{L}\\p{N}]*'), 'gu')
  return withPlainDigits(text).replace(pattern, maskCardNumber(own))
}

/** 13 digits or more with at most three blanks, dashes, dots or strokes between any two. */
const DIGIT_RUN = /(?<!\p{N})\+?[0-9](?:[\s\p{Pd}._/]{0,3}[0-9]){12,}/gu
/** A telephone number has no more (E.164). */
const LONGEST_PHONE = 15

/** A text with every card number in it cut down; `own` is one that is sure to be one. */
export function maskPastedNumbers(pasted: string, own: string | null): string {
  const text = withoutPastedSecrets(pasted)
  if (text.length < SHORTEST) return text
  const readable = withPlainDigits(text)
  const masked = (own !== null && holds(text, own) ? maskOwn(text, own) : readable).replace(
    DIGIT_RUN,
    maskRun,
  )
  return masked === readable ? text : masked
}

/**
 * Cuts down each card number that begins and ends where groups of digits do. Removes what stands
 * behind it if it is short enough for its expiry and code.
 */
function maskRun(run: string): string {
  if (run.startsWith('+') && run.replace(/[^0-9]/g, '').length <= LONGEST_PHONE) return run
  const parts = run.split(/([^0-9]+)/)
  let masked = ''
  for (let at = 0; at < parts.length;) {
    const found = cardNumberAt(parts, at)
    if (found === null) {
      masked += parts[at] ?? ''
      at += 1
      continue
    }
    masked += found.masked
    at = found.next
    while (at + 1 < parts.length && (parts[at + 1] ?? '').length <= LONGEST_CODE) {
      masked += `${parts[at]}${'*'.repeat((parts[at + 1] ?? '').length)}`
      at += 2
    }
  }
  return masked
}

/** Groups and what separates them take turns, groups first. */
function cardNumberAt(
  parts: readonly string[],
  from: number,
): { readonly masked: string; readonly next: number } | null {
  if (from % 2 === 1) return null
  const found = numberInGroups(parts, from, isCardNumber)
  if (found !== null) return { masked: maskCardNumber(found.digits), next: found.next }
  return withoutGap(parts[from] ?? '', from)
}

/** A number with its expiry or code right behind it, without a gap. */
function withoutGap(
  group: string,
  at: number,
): { readonly masked: string; readonly next: number } | null {
  for (const length of [16, 15, 19, 14]) {
    const start = group.slice(0, length)
    if (group.length <= length || group.length > length + 10 || !isCardNumber(start)) continue
    return { masked: maskCardNumber(start) + '*'.repeat(group.length - length), next: at + 1 }
  }
  return null
}

function isCardNumber(digits: string): boolean {
  // UATP, which owns all that starts with 1, is left out: times and many ids start with it.
  return !digits.startsWith('1') && isLuhnValid(digits) && cardBrand(digits) !== null
}
