import type { ReversalReading } from '../../domain/settlement/bank-statement.ts'
import type { DepositLink, DepositPosting } from '../../domain/settlement/deposit-group.ts'
import type { OpenPayout, UnmatchedEntry } from '../../domain/settlement/deposit-matching.ts'
import type { DepositPayer } from '../../domain/settlement/deposit-naming.ts'
import type { StatementPosition } from '../../domain/settlement/statement-chain.ts'

/** A registered bank account of a merchant. */
export interface BankAccount {
  readonly id: bigint
  readonly merchantId: bigint
  /** SHA-256 of its number, hexadecimal. */
  readonly hash: string
  readonly last4: string
  /** ISO 4217 alphabetic code. */
  readonly currency: string
  readonly reading: ReversalReading
  /** ISO 8601 date: entries of earlier days are no payouts. */
  readonly since: string
}

/** A statement that was imported before. */
export interface KnownStatement {
  readonly id: bigint
  readonly contentSha256: string
  readonly openingMinor: bigint
  readonly closingMinor: bigint
  readonly entries: number
}

export interface NewStatement {
  readonly account: BankAccount
  readonly statement: string
  readonly sequence: string
  readonly openedOn: string | null
  readonly closedOn: string
  readonly openingMinor: bigint
  readonly closingMinor: bigint
  readonly contentSha256: string
  readonly filesSha256: readonly string[]
  readonly followsGap: boolean
  readonly entries: readonly NewEntry[]
}

/** A booked entry. Entries of other business have no texts and no sources. */
export interface NewEntry {
  readonly position: number
  readonly state: 'other' | 'repeated' | 'unknown'
  readonly amountMinor: bigint
  /** ISO 8601 date. */
  readonly bookedOn: string
  readonly reference: string | null
  readonly isReversal: boolean
  readonly chargesMinor: bigint | null
  readonly sources: readonly bigint[]
  /** Without card numbers and white space. */
  readonly texts: readonly string[]
  readonly hasReference: boolean
}

/** The rows that a matching writes. */
export interface DepositChanges {
  readonly links: readonly DepositLink[]
  readonly postings: readonly DepositPosting[]
  readonly payoutStates: readonly {
    readonly payoutId: bigint
    readonly state: 'deposited' | 'returned'
  }[]
  /** Entries that have a payout now. */
  readonly matched: readonly bigint[]
  readonly differences: readonly NewDepositDifference[]
  /** Entries that complete a short deposit, with the payout and the amount. */
  readonly completions: readonly { readonly payoutId: bigint; readonly minor: bigint }[]
}

export interface NewDepositDifference {
  readonly code: 'payout_short' | 'payout_over' | 'payout_unknown'
  readonly entryId: bigint
  readonly payoutId: bigint | null
  /** In minor units; null where no file announces the money. */
  readonly hereMinor: bigint | null
  readonly bankMinor: bigint
  /** Payouts that the entry may be. */
  readonly proposal: readonly bigint[]
}

/** The verbs of deposits in one transaction. */
export interface DepositTx {
  findAccounts(hashes: readonly string[]): Promise<readonly BankAccount[]>
  /** Locks all bank accounts of merchants: no other process matches their deposits meanwhile. */
  lockMerchants(ids: readonly bigint[]): Promise<void>
  /** A row for each source of the merchant in the currency; null without a description. */
  readPayers(
    merchantId: bigint,
    currency: string,
  ): Promise<readonly { readonly merchantAccountId: bigint; readonly payer: DepositPayer | null }[]>
  /** The statement that was imported last; null for none. */
  readPosition(accountId: bigint): Promise<StatementPosition | null>
  findStatement(
    accountId: bigint,
    statement: string,
    sequence: string,
  ): Promise<KnownStatement | null>
  /** Entries of the account with these references of the bank. */
  findEntries(
    accountId: bigint,
    references: readonly string[],
  ): Promise<
    readonly {
      readonly reference: string
      readonly amountMinor: bigint
      readonly bookedOn: string
    }[]
  >
  /** The answer is the id of the statement. */
  addStatement(statement: NewStatement, at: Date, by: string): Promise<bigint>
  /** Entries in state `unknown` that are new, or whose difference is open. */
  readUnmatched(merchantId: bigint, currency: string): Promise<readonly UnmatchedEntry[]>
  /** Announced payouts, and deposits of the last months, which may come back. */
  readPayouts(merchantId: bigint, currency: string): Promise<readonly OpenPayout[]>
  /** Writes the effects of a matching, and ends the differences that it explains. */
  saveMatching(
    merchantId: bigint,
    currency: string,
    changes: DepositChanges,
    at: Date,
    by: string,
  ): Promise<void>
  /** Makes announced payouts returned that a later file returns before a bank had them. */
  returnAnnounced(merchantId: bigint, at: Date, by: string): Promise<number>
  /** An entry and a payout of one merchant and currency; null for none. */
  readPair(
    entryId: bigint,
    payoutId: bigint,
  ): Promise<{
    readonly merchantId: bigint
    readonly currency: string
    readonly entry: UnmatchedEntry | null
    readonly payout: OpenPayout | null
  } | null>
  /** Differences of announced payouts of a source that are expected until `latestDay`. */
  raiseMissingPayouts(sourceId: bigint, latestDay: string, at: Date): Promise<number>
}
