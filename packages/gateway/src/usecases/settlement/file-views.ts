/** A booked settlement file for a reader. Amounts are minor units of `currency`. */
export interface SettlementFileView {
  readonly id: bigint
  readonly merchantAccountId: bigint
  readonly sender: string
  readonly account: string
  readonly currency: string
  readonly seq: bigint
  readonly state: 'staging' | 'booked'
  /** ISO 8601 dates. */
  readonly businessDate: string
  readonly valueDate: string
  readonly lines: number
  readonly openingMinor: bigint
  readonly grossMinor: bigint
  readonly feesMinor: bigint
  readonly netMinor: bigint
  readonly closingMinor: bigint
  readonly contentSha256: string
  readonly mapping: { readonly name: string; readonly version: number } | null
  readonly bookedAt: Date | null
  readonly bookedBy: string | null
  readonly byKind: readonly {
    readonly kind: string
    readonly count: number
    readonly netMinor: bigint
  }[]
}

/** A payout that a file announced. The parts and what was carried in make net and what is left. */
export interface PayoutView {
  readonly id: bigint
  readonly fileId: bigint
  readonly line: number
  readonly state: 'announced' | 'deposited' | 'returned'
  readonly payout: string | null
  readonly trace: string | null
  readonly currency: string
  readonly carriedMinor: bigint
  readonly grossMinor: bigint
  readonly refundsMinor: bigint
  readonly chargebacksMinor: bigint
  readonly feesMinor: bigint
  readonly reserveMinor: bigint
  readonly otherMinor: bigint
  readonly leftMinor: bigint
  readonly netMinor: bigint
  readonly valueDate: string
  readonly arrives: string | null
}

/** The standing in files of the captures and refunds of closed batches, by account and currency. */
export interface SettlementTotals {
  readonly merchantAccountId: bigint
  readonly mode: 'test' | 'live'
  /** Of the orders. */
  readonly currency: string
  readonly settled: SettlementFigure
  readonly rejected: SettlementFigure
  /** With an open difference, or one that ended without a file. */
  readonly differing: SettlementFigure
  /** In no file, before its deadline. */
  readonly waiting: SettlementFigure
}

/** Minor units, refunds below zero. */
export interface SettlementFigure {
  readonly count: number
  readonly minor: bigint
}

export interface SettlementReader {
  /** The newest first. */
  listFiles(limit: number): Promise<readonly SettlementFileView[]>
  /** A file with its payouts and its differences by code; null for none. */
  readFile(id: bigint): Promise<{
    readonly file: SettlementFileView
    readonly payouts: readonly PayoutView[]
    readonly differences: ReadonlyMap<string, number>
  } | null>
  /** Every account with a source. */
  readTotals(): Promise<readonly SettlementTotals[]>
}
