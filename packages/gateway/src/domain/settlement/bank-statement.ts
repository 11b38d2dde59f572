import type { Currency } from '../currency.ts'
import { formatMinor } from '../money.ts'

/** One part of an entry, as the bank details it. */
export interface EntryDetail {
  /** The payer's reference; null where the bank has none. */
  readonly endToEndId: string | null
  /** All lines of the remittance information, joined without white space. */
  readonly remittance: string
  /** In minor units, with its sign; null for none, or for one in another currency. */
  readonly amountMinor: bigint | null
}

/** An entry of a bank account. */
export interface BankEntry {
  /** 1, 2, 3 … in the statement. */
  readonly position: number
  /** The bank's reference of the entry. */
  readonly reference: string | null
  /** In minor units; plus comes into the account, as the bank's indicator says. */
  readonly amountMinor: bigint
  readonly state: 'booked' | 'pending' | 'information'
  /** Whether the entry reverses an earlier one. */
  readonly isReversal: boolean
  /** ISO 8601 dates. */
  readonly bookedOn: string | null
  readonly valueOn: string | null
  /** Domain, family and sub-family, such as PMNT/RCDT/ESCT. */
  readonly code: string | null
  /** The charges that the bank kept, in minor units; null for none. */
  readonly chargesMinor: bigint | null
  readonly details: readonly EntryDetail[]
  /** The names of debtors and creditors, as the bank writes them. */
  readonly counterparties: readonly string[]
}

/** A statement, a page of one, or a notification of entries. */
export interface BankStatement {
  readonly kind: 'statement' | 'notification'
  readonly id: string
  readonly sequence: string | null
  readonly account: {
    readonly last4: string
    /** SHA-256 of the account's number, hexadecimal. */
    readonly hash: string
  }
  readonly currency: Currency
  /** Booked balances; null where this page has none. */
  readonly openingMinor: bigint | null
  readonly closingMinor: bigint | null
  /** ISO 8601 dates of these balances; null where the bank gives none. */
  readonly openedOn: string | null
  readonly closedOn: string | null
  readonly page: number
  readonly isLastPage: boolean
  /** The bank sent it before: it moves no money. */
  readonly isCopy: boolean
  readonly entries: readonly BankEntry[]
}

/** How an account's bank marks entries that reverse others. */
export type ReversalReading = 'standard' | 'inverted'

export type BalanceCheck =
  | { readonly kind: 'balanced'; readonly entries: readonly BankEntry[] }
  | {
      readonly kind: 'refused'
      /** The values found and expected, and the remedy. */
      readonly reason: string
      /** The reading with which the statement would balance. */
      readonly wouldFit: ReversalReading | null
    }

/**
 * Checks that the opening balance and all booked entries make the closing balance. By ISO 20022 the
 * indicator has the direction of the entry itself, also of a reversal. Some banks give that of the
 * reversed entry, which `reading` "inverted" turns round. A statement is never turned round
 * without this setting.
 */
export function checkBalance(statement: BankStatement, reading: ReversalReading): BalanceCheck {
  const { closingMinor, currency, openingMinor } = statement
  if (openingMinor === null || closingMinor === null) {
    const missing = openingMinor === null ? 'opening (OPBD or PRCD)' : 'closing (CLBD)'
    const reason =
      `Statement ${statement.id} has no ${missing} balance; ` + 'ask the bank for whole statements.'
    return { kind: 'refused', reason, wouldFit: null }
  }
  const entries = read(statement.entries, reading)
  if (openingMinor + sumBooked(entries) === closingMinor) return { kind: 'balanced', entries }
  const other: ReversalReading = reading === 'standard' ? 'inverted' : 'standard'
  const wouldFit = openingMinor + sumBooked(read(statement.entries, other)) === closingMinor
  const show = (minor: bigint): string => formatMinor(minor, currency)
  const booked = sumBooked(entries)
  const found =
    `Statement ${statement.id} opens with ${show(openingMinor)} and has booked entries of ` +
    `${show(booked)}, which make ${show(openingMinor + booked)}; ` +
    `its closing balance is ${show(closingMinor)}.`
  const remedy = wouldFit
    ? `It balances with "${other}" reversals: set that for this account if its bank confirms it.`
    : 'Entries are missing or damaged: get the statement from the bank again.'
  return { kind: 'refused', reason: `${found} ${remedy}`, wouldFit: wouldFit ? other : null }
}

function read(entries: readonly BankEntry[], reading: ReversalReading): readonly BankEntry[] {
  if (reading === 'standard') return entries
  return entries.map((entry) =>
    entry.isReversal ? { ...entry, amountMinor: -entry.amountMinor } : entry,
  )
}

function sumBooked(entries: readonly BankEntry[]): bigint {
  return entries.reduce(
    (sum, { amountMinor, state }) => (state === 'booked' ? sum + amountMinor : sum),
    0n,
  )
}

/**
 * Joins the pages of each statement. The balances hold over all pages only. Copies stay apart.
 * @returns the whole statements, and a sentence for each that misses pages
 */
export function joinPages(pages: readonly BankStatement[]): {
  readonly statements: readonly BankStatement[]
  readonly faults: readonly string[]
} {
  const groups = Map.groupBy(pages, ({ account, id, isCopy, kind, sequence }) =>
    JSON.stringify([kind, account.hash, id, sequence, isCopy]),
  )
  const statements: BankStatement[] = []
  const faults: string[] = []
  for (const group of groups.values()) {
    const sorted = group.toSorted((one, other) => one.page - other.page)
    const [first] = sorted
    if (first === undefined) continue
    const isWhole = sorted.every(
      ({ isLastPage, page }, at) => page === at + 1 && isLastPage === (at === sorted.length - 1),
    )
    if (isWhole) statements.push(joined(first, sorted))
    else {
      const found = sorted.map(({ page }) => page).join(', ')
      faults.push(
        `Statement ${first.id} has the pages ${found}; expected 1 to the last one, each once. ` +
          'Give all its files at once.',
      )
    }
  }
  return { statements, faults }
}

function joined(first: BankStatement, pages: readonly BankStatement[]): BankStatement {
  return {
    ...first,
    isLastPage: true,
    openingMinor: pages.map((page) => page.openingMinor).find((minor) => minor !== null) ?? null,
    closingMinor:
      pages.map((page) => page.closingMinor).findLast((minor) => minor !== null) ?? null,
    openedOn: pages.map((page) => page.openedOn).find((day) => day !== null) ?? null,
    closedOn: pages.map((page) => page.closedOn).findLast((day) => day !== null) ?? null,
    entries: pages
      .flatMap((page) => page.entries)
      .map((entry, at) => ({ ...entry, position: at + 1 })),
  }
}

/** The texts of an entry in which a payout's trace id is sought, without white space. */
export function searchTexts({ details }: Pick<BankEntry, 'details'>): string[] {
  return details
    .flatMap(({ endToEndId, remittance }) => [endToEndId ?? '', remittance])
    .map((text) => text.replaceAll(/\s+/gu, ''))
    .filter((text) => text !== '')
}
