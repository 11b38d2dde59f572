import { maskText } from '../../base/card-masking.ts'
import type { BankEntry } from './bank-statement.ts'
import { searchTexts } from './bank-statement.ts'
import { LONGEST_CELL } from './bounded-pattern.ts'

/** How the deposits of a source look in bank statements. */
export interface DepositPayer {
  readonly sourceId: bigint
  /** The acquirer's name as the bank writes it; '' for any. */
  readonly payerName: string
  /** A bounded pattern of its references; '' for none. */
  readonly referencePattern: string
}

/** The names of a payout in its settlement file. */
export interface PayoutNames {
  readonly trace: string | null
  readonly payout: string | null
}

/** The acquirer that an entry names. */
export interface RecognisedEntry {
  /** Sources whose deposits look like this; none for other business. */
  readonly sources: readonly bigint[]
  /** Whether a text has the form of the acquirer's references. */
  readonly hasReference: boolean
}

/** A shorter name would be found by accident inside of longer texts. */
const SHORTEST_PART = 6

/**
 * Finds the sources whose acquirer an entry names. The name of the other side, the pattern of the
 * references or an announced payout shows that.
 * @param announced the announced payouts of the merchant in the currency
 */
export function recogniseEntry(
  entry: Pick<BankEntry, 'details' | 'counterparties'>,
  payers: readonly DepositPayer[],
  announced: readonly (PayoutNames & { readonly sourceId: bigint })[],
): RecognisedEntry {
  const texts = searchTexts(entry)
  const names = new Set(entry.counterparties.map(comparable))
  const byPattern = payers.filter((payer) => fitsPattern(payer, texts))
  const byName = payers.filter(
    ({ payerName }) => payerName !== '' && names.has(comparable(payerName)),
  )
  const byPayout = announced.filter((payout) => namesPayout(texts, payout))
  const sources = new Set([...byPayout, ...byPattern, ...byName].map(({ sourceId }) => sourceId))
  return { sources: [...sources], hasReference: byPattern.length > 0 }
}

function fitsPattern({ referencePattern }: DepositPayer, texts: readonly string[]): boolean {
  if (referencePattern === '') return false
  const pattern = new RegExp(referencePattern, 'u')
  // The bound of a pattern holds for texts up to this length.
  return texts.some((text) => pattern.test(text.slice(0, LONGEST_CELL)))
}

/** Banks fill names with blanks, and write them in capitals. */
function comparable(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toUpperCase()
}

/**
 * Whether the texts of an entry name a payout by its trace id or its id. A whole text may have any
 * length. A part of a text has at least six characters, and a number in it does not go on.
 * @param texts without white space, as `searchTexts` gives them
 */
export function namesPayout(texts: readonly string[], { payout, trace }: PayoutNames): boolean {
  return [trace, payout].some((name) => {
    const wanted = (name ?? '').replaceAll(/\s+/gu, '').toUpperCase()
    if (wanted === '') return false
    return texts.some((text) => hasName(text.toUpperCase(), wanted))
  })
}

/**
 * Whether stored texts have a name of a payout cut down. The digits of a reference may look like a
 * card number, which is cut down before a text is stored.
 */
export function namesPayoutCutDown(
  texts: readonly string[],
  { payout, trace }: PayoutNames,
): boolean {
  const [cutTrace, cutPayout] = [trace, payout].map((name) => {
    const cut = name === null ? null : maskText(name)
    return cut === name ? null : cut
  })
  return namesPayout(texts, { trace: cutTrace ?? null, payout: cutPayout ?? null })
}

function hasName(text: string, wanted: string): boolean {
  if (text === wanted) return true
  if (wanted.length < SHORTEST_PART) return false
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1] ?? ''
    const after = text[at + wanted.length] ?? ''
    if (!isOneNumber(before, wanted.charAt(0)) && !isOneNumber(wanted.slice(-1), after)) return true
  }
  return false
}

/** Whether two characters side by side belong to one number. */
function isOneNumber(one: string, other: string): boolean {
  return /^\d$/.test(one) && /^\d$/.test(other)
}
