import { isLuhnValid } from './check-digit.ts'
import { withPlainDigits } from './plain-digits.ts'

/**
 * The rule by which digits in a text are a card number. Digits of every script count. A run may
 * hold up to three signs between two digits that are neither letter nor digit.
 *
 * - `digits`: 12 digits or more; the check digit does not count. For names that are refused or
 *   digested, where a false alarm costs a name and a miss keeps a card number.
 * - `inside`: the check digit fits the whole run of 12 to 19 digits. Or it fits any 13 to 19 digits
 *   in it that begin as card numbers do. For logs and journals: a false alarm costs a few digits.
 * - `groups`: the check digit fits 13 to 19 digits that begin and end where groups of digits do. In
 *   a longer run, any 13 to 19 digits count. For texts and searches of portal users: a reference of
 *   17 digits and a retrieval reference of 12 have to pass.
 */
export type CardNumberRule = 'digits' | 'inside' | 'groups'

/** The longest card number (ISO/IEC 7812-1). */
export const LONGEST_CARD_NUMBER = 19
/** The shortest that is searched for inside of more digits. */
const SHORTEST_PART = 13

/** The fewest digits of a run. */
const SHORTEST_RUN = 12

const DIGIT_RUN = /[0-9](?:[^\p{L}\p{N}]{0,3}[0-9]){11,}/gu
/** As issuers begin them: UATP's 1 is left out, since times and many ids begin with it. */
const BEGINNING = /^(?:[2-6]|8[12]|9792)/

/** Whether a text holds what the rule takes for a card number. */
export function holdsCardNumber(text: string, rule: CardNumberRule): boolean {
  for (const [run] of withPlainDigits(text).matchAll(DIGIT_RUN)) {
    if (isCardNumberRun(run, rule)) return true
  }
  return false
}

/**
 * The text with each run of digits that holds a card number replaced. `replacement` gets the digits
 * of the run without what separates them: 12 or more. A text without one is returned as it is.
 */
export function replaceCardNumbers(
  text: string,
  rule: CardNumberRule,
  replacement: (digits: string) => string,
): string {
  const plain = withPlainDigits(text)
  if (plain.length < SHORTEST_RUN) return text
  const replaced = plain.replace(DIGIT_RUN, (run) =>
    isCardNumberRun(run, rule) ? replacement(digitsOf(run)) : run,
  )
  return replaced === plain ? text : replaced
}

/**
 * The digits from the group at `from` to the end of a group that pass the test, and the index of
 * the part behind them. Null if none pass. `parts` alternates between groups of digits and their
 * separators, and `from` is the index of a group.
 */
export function numberInGroups(
  parts: readonly string[],
  from: number,
  isNumber: (digits: string) => boolean,
): { readonly digits: string; readonly next: number } | null {
  let digits = ''
  for (let at = from; at < parts.length && digits.length < LONGEST_CARD_NUMBER; at += 2) {
    digits += parts[at] ?? ''
    const isLong = digits.length >= SHORTEST_PART && digits.length <= LONGEST_CARD_NUMBER
    if (isLong && isNumber(digits)) return { digits, next: at + 1 }
  }
  return null
}

function isCardNumberRun(run: string, rule: CardNumberRule): boolean {
  if (rule === 'digits') return true
  const digits = digitsOf(run)
  if (rule === 'inside') {
    const isWhole = digits.length <= LONGEST_CARD_NUMBER && isLuhnValid(digits)
    return isWhole || holdsPart(digits, (part) => BEGINNING.test(part))
  }
  if (digits.length > LONGEST_CARD_NUMBER) return holdsPart(digits, () => true)
  const parts = run.split(/([^0-9]+)/)
  return parts.some((_, at) => at % 2 === 0 && numberInGroups(parts, at, isLuhnValid) !== null)
}

/** Whether the check digit fits 13 to 19 digits in a row that begin in the right way. */
function holdsPart(digits: string, mayBegin: (part: string) => boolean): boolean {
  for (let start = 0; start + SHORTEST_PART <= digits.length; start += 1) {
    if (!mayBegin(digits.slice(start, start + 4))) continue
    for (let end = start + SHORTEST_PART; end <= digits.length; end += 1) {
      if (end - start > LONGEST_CARD_NUMBER) break
      if (isLuhnValid(digits.slice(start, end))) return true
    }
  }
  return false
}

function digitsOf(run: string): string {
  return run.replace(/[^0-9]/g, '')
}
