import { holdsCardNumber } from '@tollgate/kernel/card-number-text'
import { findCurrency } from '@tollgate/kernel/currency'
import { withPlainDigits } from '@tollgate/kernel/plain-digits'

/** Kinds of search terms, by the word with which a user can insist on one: `last4:1111`. */
export const SEARCH_KINDS = {
  order: 'order id',
  reference: 'your order id',
  transaction: 'transaction id',
  request: 'request id',
  customer: 'customer id',
  membership: 'membership id',
  email: 'e-mail',
  name: 'name',
  last4: 'last four digits',
  bin: 'first digits of the card',
  amount: 'amount',
  token: 'card token',
  auth: 'authorization code',
  rrn: 'retrieval reference',
  network: 'network transaction id',
} as const

export type SearchKind = keyof typeof SEARCH_KINDS

/** One thing that a text may mean. */
export interface SearchReading {
  readonly kind: SearchKind
  /** The form for comparison: lower case where it is stored so. */
  readonly value: string
  /** For an amount: decimal text without separators, and the currency if one was named. */
  readonly currency?: string
}

/** Days in UTC, both ends included: 2026-11-21. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

export type SearchText =
  | { readonly kind: 'nothing' }
  /** It may hold a full card number. It is never echoed, sent or kept. */
  | { readonly kind: 'card_number' }
  | { readonly kind: 'days'; readonly days: DayRange }
  | { readonly kind: 'readings'; readonly readings: readonly SearchReading[] }

/** Longer texts are cut: nothing that can be looked for is longer. */
const MAX_SEARCH_LENGTH = 255

/** The answer to a full card number. */
export const CARD_NUMBER_REFUSED =
  'That looks like a full card number. It was not sent anywhere. Search by its last four digits instead.'

const DAY = String.raw`\d{4}-\d{2}-\d{2}`
const ONE_DAY = new RegExp(`^${DAY}$`)
const TWO_DAYS = new RegExp(`^(${DAY})(?: to | ?(?:\\.\\.|–) ?| - | )(${DAY})$`)
/** As the token service makes them. A row of digits alone is no token, but may be a card. */
const TOKEN = /^(?=.*[a-f])[0-9a-f]{40}$/i
const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' }
const AMOUNT =
  /^(?:([A-Za-z]{3}|[$€£¥]) ?)?(\d[\d,]*(?:\.\d{1,4})?|\.\d{1,4})(?: ?([A-Za-z]{3}|[€£$¥]))?$/

/**
 * Splits a text into its possible meanings, the likeliest first. `today` is a day in UTC. A number
 * may have many meanings; the caller finds out which of them exist.
 */
export function readSearch(text: string, today: string): SearchText {
  const words = withPlainDigits(text).replace(/\s+/g, ' ').trim().slice(0, MAX_SEARCH_LENGTH)
  if (words === '') return { kind: 'nothing' }
  const days = readDays(words, today)
  if (days !== null) return { kind: 'days', days }
  if (isRefusedSearch(words) && !TOKEN.test(words)) return { kind: 'card_number' }
  const readings = readInsisted(words) ?? guess(words)
  return readings.length === 0 ? { kind: 'nothing' } : { kind: 'readings', readings }
}

/** Whether a text is refused because it holds a card number. */
export function isRefusedSearch(text: string): boolean {
  return holdsCardNumber(text, 'groups')
}

/** `last four 1111`, `amount 12.50 EUR`: the words for a reading. */
export function describeReading({ kind, value, currency }: SearchReading): string {
  return `${SEARCH_KINDS[kind]} ${value}${currency === undefined ? '' : ` ${currency}`}`
}

/** The text that means this reading and nothing else. */
export function insistOn({ kind, value, currency }: SearchReading): string {
  return `${kind}:${value}${currency === undefined ? '' : ` ${currency}`}`
}

function readDays(words: string, today: string): DayRange | null {
  const text = words.toLowerCase()
  if (text === 'today') return { from: today, to: today }
  if (text === 'yesterday') return { from: addDays(today, -1), to: addDays(today, -1) }
  if (text === '7 days' || text === 'last 7 days') return { from: addDays(today, -6), to: today }
  if (text === 'this month') return { from: `${today.slice(0, 8)}01`, to: today }
  if (text === 'last month') {
    const last = addDays(`${today.slice(0, 8)}01`, -1)
    return { from: `${last.slice(0, 8)}01`, to: last }
  }
  if (ONE_DAY.test(text)) return isDay(text) ? { from: text, to: text } : null
  const [, from = '', to = ''] = TWO_DAYS.exec(text) ?? []
  return isDay(from) && isDay(to) && from <= to ? { from, to } : null
}

/** `day` moved by whole days; both as 2026-11-21. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Whether there is such a day, of a time in which there may be payments: 2026-11-21. */
export function isDay(text: string): boolean {
  if (text < '1900-01-01' || text > '9998-12-31') return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** `last4:1111`; null where nothing of that kind begins the text. */
function readInsisted(words: string): readonly SearchReading[] | null {
  const [, kind = '', rest = ''] = /^([a-z0-9]+): ?(.+)$/i.exec(words) ?? []
  if (!(kind.toLowerCase() in SEARCH_KINDS)) return null
  const wanted = kind.toLowerCase() as SearchKind
  if (wanted === 'amount') return readAmount(rest)
  const reading = READ[wanted](rest)
  return reading === null ? [] : [{ kind: wanted, value: reading }]
}

function guess(words: string): readonly SearchReading[] {
  if (TOKEN.test(words))
    return [
      { kind: 'token', value: words.toUpperCase() },
      { kind: 'reference', value: words },
    ]
  const kinds = (Object.keys(READ) as SearchKind[]).filter((kind) => kind !== 'token')
  const readings = kinds.flatMap((kind): readonly SearchReading[] => {
    if (kind === 'amount') return readAmount(words)
    const value = READ[kind](words)
    return value === null ? [] : [{ kind, value }]
  })
  // An email address or a decimal point decides the meaning; order ids can have the same form.
  const certain = readings.filter(
    ({ kind, currency }) => kind === 'email' || currency !== undefined,
  )
  if (certain.length > 0) return [...certain, { kind: 'reference', value: words }]
  return readings
}

const id = (text: string): string | null => (/^[1-9]\d{0,17}$/.test(text) ? text : null)

/** How each kind is read: its value, or null for an impossible text. */
const READ: Readonly<Record<SearchKind, (text: string) => string | null>> = {
  order: id,
  reference: (text) => text,
  transaction: id,
  request: id,
  customer: id,
  membership: id,
  email: (text) => (/^[^@ ]+@[^@ ]+$/.test(text) ? text.toLowerCase() : null),
  name: (text) => (/^\p{L}[\p{L}\p{M}'’. -]{1,99}$/u.test(text) ? text.toLowerCase() : null),
  last4: (text) => /^(?:[*•x. ]*)(\d{4})$/i.exec(text)?.[1] ?? null,
  bin: (text) => (/^\d{6}$|^\d{8}$/.test(text) ? text : null),
  amount: () => null,
  token: (text) => (TOKEN.test(text) ? text.toUpperCase() : null),
  auth: (text) => (/^[A-Za-z0-9]{6}$/.test(text) && /\d/.test(text) ? text.toUpperCase() : null),
  rrn: (text) => (/^\d{12}$/.test(text) ? text : null),
  network: (text) => (/^(?=.*\d)[A-Za-z0-9]{9,36}$/.test(text) ? text.toUpperCase() : null),
}

/** `12.50`, `EUR 12.50`, `€12.50`, `1,234.50`; and `12,50`, which is unambiguous. */
function readAmount(words: string): readonly SearchReading[] {
  const text = words.replace(/^(.*\d),(\d{2})(\D*)$/, '$1.$2$3')
  const [, before, digits = '', after] = AMOUNT.exec(text) ?? []
  if (digits === '' || (before !== undefined && after !== undefined)) return []
  if (digits.includes(',') && !/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)) return []
  const named = before ?? after
  const currency = named === undefined ? undefined : (SIGNS[named] ?? findCurrency(named)?.code)
  if (named !== undefined && currency === undefined) return []
  const value = digits
    .replaceAll(',', '')
    .replace(/^\./, '0.')
    .replace(/^0+(?=\d)/, '')
  if (value.replace(/\..*/, '').length > 10) return []
  return [{ kind: 'amount', value, ...(currency === undefined ? {} : { currency }) }]
}
