import type { RowAccount, StatementMovement } from '../domain/statement.ts'

export type PayoutState = 'announced' | 'deposited' | 'returned'

export const PAYOUT_PARTS = [
  'carried',
  'gross',
  'refunds',
  'chargebacks',
  'fees',
  'reserve',
  'other',
] as const
export type PayoutPart = (typeof PAYOUT_PARTS)[number]

/** The parts of a deposit in minor units; plus is money for the merchant. */
export interface PayoutSums {
  readonly carriedMinor: bigint
  readonly grossMinor: bigint
  readonly refundsMinor: bigint
  readonly chargebacksMinor: bigint
  readonly feesMinor: bigint
  readonly reserveMinor: bigint
  readonly otherMinor: bigint
  readonly leftMinor: bigint
  readonly netMinor: bigint
}

/** A merchant account in one currency, as the acquirer settles it. */
export interface SettlementSource {
  readonly id: bigint
  readonly accountId: bigint
  readonly mode: 'test' | 'live'
  readonly processorName: string
  readonly currency: string
}

/** A payout; dates are ISO 8601. */
export interface PayoutRow extends PayoutSums {
  readonly id: bigint
  readonly accountId: bigint
  readonly mode: 'test' | 'live'
  readonly processorName: string
  readonly state: PayoutState
  readonly currency: string
  readonly payout: string | null
  readonly trace: string | null
  readonly ibanLast4: string | null
  readonly valueDate: string
  readonly arrives: string | null
  readonly fileSeq: bigint
  readonly line: number
}

/** A payout, with those of its source before and after it. */
export interface PayoutDetail extends PayoutRow {
  /** The rest that it left is the first part of what this one carries in. */
  readonly previous: { readonly id: bigint; readonly leftMinor: bigint } | null
  /** It carries in what this one left; null while the rest waits for a payout. */
  readonly nextId: bigint | null
  readonly sourceId: bigint
}

/** Which payouts; null for any. Days are value dates in ISO 8601, both included. */
export interface PayoutFilter {
  readonly merchantId: bigint
  readonly state: PayoutState | null
  readonly currency: string | null
  readonly accountId: bigint | null
  readonly from: string | null
  readonly to: string | null
  readonly find: PayoutSearch | null
}

/** Payouts with this text in their trace or id, or with this net amount of their currency. */
export interface PayoutSearch {
  readonly text: string
  /** Minor units by currency; empty where the text is no amount. */
  readonly netMinor: Readonly<Record<string, string>>
}

export interface PayoutTotals extends PayoutSums {
  readonly currency: string
  readonly payouts: number
}

/** Money at the acquirer that no payout has taken, in minor units. */
export interface UntakenBalance extends SettlementSource {
  readonly balanceMinor: bigint
  readonly leftMinor: bigint
  readonly lastPayoutId: bigint | null
  readonly lines: number
  readonly asOf: string
}

/** The place of a line: its file, and its number there. */
export interface LinePlace {
  readonly fileId: bigint
  readonly n: number
}

/** A line of a settlement file, in minor units of the file's currency. */
export interface PayoutLine extends LinePlace {
  readonly fileSeq: bigint
  readonly lineId: string
  readonly kind: string
  readonly orderId: bigint | null
  readonly orderReference: string
  readonly transactionId: bigint | null
  readonly transactionKind: string | null
  readonly brand: string | null
  /** The open difference of the line. */
  readonly differenceId: bigint | null
  readonly grossMinor: bigint
  readonly fees: {
    readonly interchange: bigint
    readonly scheme: bigint
    readonly acquirer: bigint
    readonly dispute: bigint
    readonly tax: bigint
    readonly other: bigint
  }
  readonly netMinor: bigint
  readonly valueDate: string
  readonly note: string
}

/** The lines of a payout, or of money that no payout has taken. */
export type LineOwner =
  | { readonly kind: 'payout'; readonly id: bigint; readonly part: PayoutPart | null }
  | { readonly kind: 'source'; readonly id: bigint }

/** Payouts of a merchant. Every method leaves out what belongs to another merchant. */
export interface PayoutReader {
  /** The newest first, behind the id `before`. */
  list(filter: PayoutFilter, before: bigint | null, limit: number): Promise<readonly PayoutRow[]>
  totals(filter: PayoutFilter): Promise<readonly PayoutTotals[]>
  read(merchantId: bigint, id: bigint): Promise<PayoutDetail | null>
  /** Announced and not arrived, the next one first; and how many there are. */
  announced(
    merchantId: bigint,
    limit: number,
  ): Promise<{ readonly count: number; readonly payouts: readonly PayoutRow[] }>
  sources(merchantId: bigint): Promise<readonly SettlementSource[]>
  /** Of each source that has a booked file, or of one of them. */
  untaken(merchantId: bigint, sourceId: bigint | null): Promise<readonly UntakenBalance[]>
}

export interface PayoutLineReader {
  /** Behind a place, in the sequence of files and lines. */
  lines(
    merchantId: bigint,
    owner: LineOwner,
    after: LinePlace,
    limit: number,
  ): Promise<readonly PayoutLine[]>
}

/** A month of a source; moments, the second excluded. */
export interface StatementRange {
  readonly from: Date
  readonly until: Date
}

/** A line with the sum of its postings in a row of a statement, in minor units. */
export interface StatementLine extends PayoutLine {
  readonly postedMinor: bigint
}

/** Which lines of a statement: those that posted to these accounts in the range. */
export interface StatementLinesOf {
  readonly merchantId: bigint
  readonly sourceId: bigint
  readonly range: StatementRange
  readonly accounts: readonly RowAccount[]
}

export interface StatementReader {
  /** The figures of a month; null for a source that the merchant does not have. */
  read(
    merchantId: bigint,
    sourceId: bigint,
    range: StatementRange,
  ): Promise<StatementFigures | null>
  /** Behind a place, in the sequence of files and lines. */
  lines(of: StatementLinesOf, after: LinePlace, limit: number): Promise<readonly StatementLine[]>
}

/** In minor units. */
export interface StatementFigures {
  readonly source: SettlementSource
  readonly files: number
  readonly openingMinor: bigint
  readonly closingMinor: bigint
  readonly movements: readonly StatementMovement[]
  readonly operatorFees: {
    readonly salesMinor: bigint
    readonly refundsMinor: bigint
    readonly monthlyMinor: bigint
  }
}
