import { findCurrency } from '@tollgate/kernel/currency'
import { phraseText, readPhrase, type SearchPhrase } from './search-phrases.ts'

/** Kinds of search terms, by the word with which a user can insist on one: `last4:1111`. */
export const SEARCH_KINDS = {
  order: 'order id',
  reference: 'your order id',
  transaction: 'transaction id',
  request: 'request id',
  customer: 'customer id',
  membership: 'membership id',
  email: 'e-mail',
  brand: 'card brand',
  status: 'status',
  action: 'action',
  name: 'name',
  part: 'part of a name',
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

/** As the token service makes them. A row of digits alone is no token, but may be a card. */
export const TOKEN = /^(?=.*[a-f])[0-9a-f]{40}$/i
const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' }
const AMOUNT =
  /^(?:([A-Za-z]{3}|[$€£¥]) ?)?(\d[\d,]*(?:\.\d{1,4})?|\.\d{1,4})(?: ?([A-Za-z]{3}|[€£$¥]))?$/

/** `last four 1111`, `amount 12.50 EUR`: the words for a reading. */
export function describeReading({ kind, value, currency }: SearchReading): string {
  const text =
    kind === 'brand' || kind === 'status' || kind === 'action' ? phraseText({ kind, value }) : value
  return `${SEARCH_KINDS[kind]} ${text}${currency === undefined ? '' : ` ${currency}`}`
}

/** The text that means this reading and nothing else. */
export function insistOn({ kind, value, currency }: SearchReading): string {
  return `${kind}:${value}${currency === undefined ? '' : ` ${currency}`}`
}

/** `last4:1111`; null where nothing of that kind begins the text. */
export function readInsisted(words: string): readonly SearchReading[] | null {
  const [, kind = '', rest = ''] = /^([a-z0-9]+): ?(.*)$/i.exec(words) ?? []
  if (!Object.hasOwn(SEARCH_KINDS, kind.toLowerCase())) return null
  const wanted = kind.toLowerCase() as SearchKind
  if (wanted === 'amount') return readAmount(rest)
  const reading = READ[wanted](rest)
  return reading === null ? [] : [{ kind: wanted, value: reading }]
}

/** Everything that one word may mean. */
export function guess(words: string): readonly SearchReading[] {
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
  // An email address or a currency decides the meaning; order ids can have the same form.
  const certain = readings.filter(isCertain)
  if (certain.length > 0) return [...certain, { kind: 'reference', value: words }]
  return readings
}

/** Whether the form leaves no doubt about the meaning. */
export function isCertain({ kind, currency }: SearchReading): boolean {
  return kind === 'email' || currency !== undefined
}

/** The meanings of a text as a name. */
export function readName(words: string): readonly SearchReading[] {
  return (['name', 'part'] as const).flatMap((kind) => {
    const value = READ[kind](words)
    return value === null ? [] : [{ kind, value }]
  })
}

const id = (text: string): string | null => (/^[1-9]\d{0,17}$/.test(text) ? text : null)

/** How each kind is read: its value, or null for an impossible text. */
export const READ: Readonly<Record<SearchKind, (text: string) => string | null>> = {
  order: id,
  reference: (text) => text,
  transaction: id,
  request: id,
  customer: id,
  membership: id,
  email: (text) => (/^[^@ ]+@[^@ ]+$/.test(text) ? text.toLowerCase() : null),
  brand: phraseOf('brand'),
  status: phraseOf('status'),
  action: phraseOf('action'),
  name: (text) => nameOf(text, 2),
  part: (text) => nameOf(text, 3),
  last4: (text) => /^(?:[*•x. ]*)(\d{4})$/i.exec(text)?.[1] ?? null,
  bin: (text) => (/^\d{6}$|^\d{8}$/.test(text) ? text : null),
  amount: () => null,
  token: (text) => (TOKEN.test(text) ? text.toUpperCase() : null),
  auth: (text) => (/^[A-Za-z0-9]{6}$/.test(text) && /\d/.test(text) ? text.toUpperCase() : null),
  rrn: (text) => (/^\d{12}$/.test(text) ? text : null),
  network: (text) => (/^(?=.*\d)[A-Za-z0-9]{9,36}$/.test(text) ? text.toUpperCase() : null),
}

/** In lower case and without commas: `Doe, Jane` is `doe jane`. */
function nameOf(text: string, least: number): string | null {
  const name = text.replace(/[, ]+/g, ' ').trim().toLowerCase()
  return /^\p{L}[\p{L}\p{M}'’. -]{0,99}$/u.test(name) && name.length >= least ? name : null
}

/** Takes the text of a phrase, and the key that stands in an insisted reading. */
function phraseOf(kind: SearchPhrase['kind']): (text: string) => string | null {
  return (text) => {
    const phrase = readPhrase(text)
    if (phrase?.kind === kind) return phrase.value
    return phraseText({ kind, value: text }) === text ? null : text
  }
}

/** `12.50`, `EUR 12.50`, `€12.50`, `1,234.50`; and `12,50`, which is unambiguous. */
export function readAmount(words: string): readonly SearchReading[] {
  const text = words.replace(/^(.*\d),(\d{2})(\D*)$/, '$1.$2$3')
  const [, before, digits = '', after] = AMOUNT.exec(text) ?? []
  if (digits === '' || (before !== undefined && after !== undefined)) return []
  if (digits.includes(',') && !/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)) return []
  const named = before ?? after
  const currency = named === undefined ? undefined : (SIGNS[named] ?? findCurrency(named)?.code)
  if (named !== undefined && currency === undefined) return []
  // A row of digits such as 0012 is the end of a card, and no amount.
  if (/^0\d/.test(digits)) return []
  const value = digits.replaceAll(',', '').replace(/^\./, '0.')
  if (value.replace(/\..*/, '').length > 10) return []
  return [{ kind: 'amount', value, ...(currency === undefined ? {} : { currency }) }]
}
