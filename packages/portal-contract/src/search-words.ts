import { holdsCardNumber } from '@tollgate/kernel/card-number-text'
import { withPlainDigits } from '@tollgate/kernel/plain-digits'
import { readDays, type DayRange } from './search-days.ts'
import { readPhrase } from './search-phrases.ts'
import {
  guess,
  isCertain,
  READ,
  readAmount,
  readInsisted,
  readName,
  TOKEN,
  type SearchReading,
} from './search-readings.ts'

export type SearchText =
  | { readonly kind: 'nothing' }
  /** It may hold a full card number. It is never echoed, sent or kept. */
  | { readonly kind: 'card_number' }
  | {
      readonly kind: 'search'
      /** The days of the text; null for all of them. */
      readonly days: DayRange | null
      /** An order fits every term; of one term it fits any reading. */
      readonly terms: readonly (readonly SearchReading[])[]
      /** The whole text as an order id of the shop, which may hold blanks; it wins if it exists. */
      readonly whole: SearchReading | null
    }

/** Longer texts are cut: nothing that can be looked for is longer. */
const MAX_SEARCH_LENGTH = 255

/** The answer to a full card number. */
export const CARD_NUMBER_REFUSED =
  'That looks like a full card number. It was not sent anywhere. Search by its last four digits instead.'

/** A text of more terms is no sentence: each of them is looked up. */
const MOST_TERMS = 6
/** The longest phrase is a range of days: `17 Nov 2025 to 3 Dec 2025`. */
const LONGEST_PHRASE = 7
const WORD = /^\p{L}[\p{L}\p{M}'’.-]*,?$/u

/**
 * Splits a text into its terms, and each into its possible meanings, the likeliest first. `today`
 * is the day by the clock of the list. A number may have many meanings; the caller finds out which
 * of them exist.
 */
export function readSearch(text: string, today: string): SearchText {
  const words = withPlainDigits(text).replace(/\s+/g, ' ').trim().slice(0, MAX_SEARCH_LENGTH).trim()
  if (words === '') return { kind: 'nothing' }
  const days = readDays(words, today)
  if (days !== null) return { kind: 'search', days, terms: [], whole: null }
  if (isRefusedSearch(words) && !TOKEN.test(words)) return { kind: 'card_number' }
  const insisted = readInsisted(words)
  if (insisted !== null && insisted.length > 0) return ofOneTerm(insisted)
  const tokens = words.split(' ')
  if (tokens.length === 1) return ofOneTerm(insisted ?? guess(words))
  return readTokens(words, tokens, today)
}

function ofOneTerm(readings: readonly SearchReading[]): SearchText {
  return readings.length === 0
    ? { kind: 'nothing' }
    : { kind: 'search', days: null, terms: [readings], whole: null }
}

/** A text of several words, each phrase of which is a term of its own. */
function readTokens(words: string, tokens: readonly string[], today: string): SearchText {
  const reference: SearchReading = { kind: 'reference', value: words }
  const terms: (readonly SearchReading[])[] = []
  let days: DayRange | null = null
  let name: string[] = []
  const endName = (): void => {
    if (name.length > 0) terms.push(readName(name.join(' ')))
    name = []
  }
  for (let at = 0; at < tokens.length;) {
    const phrase = readLongest(tokens.slice(at, at + LONGEST_PHRASE), days === null ? today : null)
    if (phrase === null && WORD.test(tokens[at] ?? '')) name.push(tokens[at] ?? '')
    else endName()
    if (phrase?.days !== undefined) days = phrase.days
    else if (phrase?.readings !== undefined) {
      if (phrase.readings.length === 0) return { kind: 'nothing' }
      terms.push(phrase.readings)
    } else if (phrase === null && name.length === 0) terms.push(guess(tokens[at] ?? ''))
    at += phrase?.length ?? 1
  }
  endName()
  if (terms.length > MOST_TERMS) return ofOneTerm([reference])
  const [first = []] = terms
  if (terms.length > 1 || days !== null) return { kind: 'search', days, terms, whole: reference }
  return ofOneTerm(first.some(isCertain) ? [...first, reference] : [reference, ...first])
}

interface Phrase {
  readonly length: number
  readonly days?: DayRange
  readonly readings?: readonly SearchReading[]
}

/** The longest beginning of the tokens that is one phrase. Days are read if `today` is given. */
function readLongest(tokens: readonly string[], today: string | null): Phrase | null {
  for (let length = tokens.length; length > 0; length -= 1) {
    const text = tokens.slice(0, length).join(' ')
    const days = today === null ? null : readDays(text, today)
    if (days !== null) return { length, days }
    const readings = readPhraseOf(text, length)
    if (readings !== null) return { length, readings }
  }
  return null
}

function readPhraseOf(text: string, length: number): readonly SearchReading[] | null {
  const insisted = readInsisted(text)
  // `name:kimura 61.00` is a name and an amount.
  if (insisted !== null && (length === 1 || (insisted.length > 0 && !/^reference:/i.test(text))))
    return insisted
  const phrase = readPhrase(text)
  if (phrase !== null) return length === 1 ? [phrase, ...readName(text)] : [phrase]
  if (length === 1) return null
  const last4 = READ.last4(text)
  if (last4 !== null) return [{ kind: 'last4', value: last4 }]
  const amount = readAmount(text)
  return amount.length > 0 ? amount : null
}

/** Whether a text is refused because it holds a card number. */
export function isRefusedSearch(text: string): boolean {
  return holdsCardNumber(text, 'groups')
}
