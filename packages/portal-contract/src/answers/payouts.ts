import type { Mode } from './shell.ts'

export type PayoutState = 'announced' | 'deposited' | 'returned'

/** The parts of a deposit, each of which has lines. */
export type PayoutPart =
  | 'carried'
  | 'gross'
  | 'refunds'
  | 'chargebacks'
  | 'fees'
  | 'reserve'
  | 'other'

/**
 * The parts that add up to a deposit, in minor units. Plus is money for the merchant: refunds,
 * chargebacks and charged fees are below zero. All of them together are `netMinor` and `leftMinor`.
 */
export interface PayoutSums {
  /** The balance at the acquirer before: from files without a payout. */
  readonly carriedMinor: string
  readonly grossMinor: string
  readonly refundsMinor: string
  readonly chargebacksMinor: string
  readonly feesMinor: string
  readonly reserveMinor: string
  readonly otherMinor: string
  /** The rest that stays at the acquirer. */
  readonly leftMinor: string
  /** The deposit. Below zero: the acquirer debits the merchant's bank account. */
  readonly netMinor: string
}

export interface PayoutView extends PayoutSums {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly processorName: string
  readonly state: PayoutState
  readonly currency: string
  /** The payout's id at the acquirer; null where its file has none. */
  readonly payout: string | null
  /** The text by which a bank statement names the deposit. */
  readonly trace: string | null
  readonly ibanLast4: string | null
  /** ISO 8601 dates. */
  readonly valueDate: string
  readonly arrives: string | null
  /** The sequence number of the file, and the number of the payout's line there. */
  readonly fileSeq: string
  readonly line: number
}

/** A payout, with those of its source before and after it. */
export interface PayoutDetail extends PayoutView {
  /** The rest that it left is the first part of what this one carries in. */
  readonly previous: { readonly id: string; readonly leftMinor: string } | null
  /** It carries in what this one left; null while the rest waits for a payout. */
  readonly nextId: string | null
  readonly sourceId: string
}

/** Of all payouts that the filters leave, in one currency. */
export interface PayoutTotals extends PayoutSums {
  readonly currency: string
  readonly payouts: number
}

export interface PayoutList {
  readonly payouts: readonly PayoutView[]
  readonly next: string | null
  readonly totals: readonly PayoutTotals[]
  readonly sources: readonly SettlementSource[]
}

/** A merchant account in one currency, as the acquirer settles it. */
export interface SettlementSource {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly processorName: string
  readonly currency: string
}

/** Money at the acquirer that no payout has taken. */
export interface UntakenBalance extends SettlementSource {
  /** The balance after the last booked file. */
  readonly balanceMinor: string
  /** Left by the last payout. */
  readonly leftMinor: string
  readonly lastPayoutId: string | null
  /** Since the last payout. */
  readonly lines: number
  /** The business date of the last booked file. */
  readonly asOf: string
}

export interface ExpectedPayouts {
  /** Announced and not arrived, the next one first. */
  readonly announced: readonly PayoutView[]
  /** How many there are; the list has the first of them. */
  readonly announcedCount: number
  readonly untaken: readonly UntakenBalance[]
}

/** A line of a settlement file; amounts in minor units of the file's currency. */
export interface PayoutLine {
  /** Names the line in `after`. */
  readonly key: string
  readonly fileSeq: string
  readonly line: number
  readonly lineId: string
  readonly kind: string
  /** Null where the line belongs to no order, or to one that was not found. */
  readonly orderId: string | null
  /** The merchant's own id of the order; '' for none. */
  readonly orderReference: string
  readonly transactionId: string | null
  readonly transactionKind: string | null
  readonly brand: string | null
  /** The open difference of the line. */
  readonly differenceId: string | null
  readonly grossMinor: string
  readonly fees: Readonly<Record<FeeName, string>>
  readonly netMinor: string
  readonly valueDate: string
  /** The acquirer's words for it: a reason, a fee's code, a case. */
  readonly note: string
}

export type FeeName = 'interchange' | 'scheme' | 'acquirer' | 'dispute' | 'tax' | 'other'

export interface PayoutLines {
  readonly lines: readonly PayoutLine[]
  readonly next: string | null
}

/** A line with the part of it that a row of a statement has, in minor units. */
export interface StatementLine extends PayoutLine {
  readonly postedMinor: string
}

export interface StatementLines {
  readonly lines: readonly StatementLine[]
  readonly next: string | null
}

/** Rows of a statement, in their sequence. */
export type StatementRowName =
  | 'captures'
  | 'refunds'
  | 'chargebacks'
  | 'fee_interchange'
  | 'fee_scheme'
  | 'fee_acquirer'
  | 'fee_dispute'
  | 'fee_tax'
  | 'fee_other'
  | 'reserve'
  | 'adjustments'
  | 'exchange'
  | 'carried'
  | 'unexplained'
  | 'payouts'

export interface StatementRow {
  readonly name: StatementRowName
  /** Postings; a return counts as well. */
  readonly count: number
  /** Plus raises the balance. */
  readonly minor: string
}

/** A month of a merchant account in one currency, in minor units. */
export interface Statement {
  readonly source: SettlementSource
  /** `2026-11`, in the merchant's time zone. */
  readonly month: string
  readonly timeZone: string
  /** Whether the month is over: before that, rows are added. */
  readonly isOver: boolean
  readonly files: number
  readonly openingMinor: string
  readonly rows: readonly StatementRow[]
  readonly closingMinor: string
  /** The operator's fees. They are charged apart, and are no part of the balance. */
  readonly operatorFees: OperatorFees
}

/** Plus is a charge. */
export interface OperatorFees {
  readonly salesMinor: string
  readonly refundsMinor: string
  /** Of the merchant, for all accounts together. */
  readonly monthlyMinor: string
}

/** One sum of the operator's fees, or `all` of them. */
export type OperatorFee = 'sales' | 'refunds' | 'monthly' | 'all'

/** A fee that the operator charged; amounts in minor units. */
export interface ChargedFee {
  /** Names the fee in `after`. */
  readonly id: string
  /** A monthly fee has no transaction. */
  readonly transactionId: string | null
  readonly orderId: string | null
  /** The merchant's own id of the order; '' for none. */
  readonly orderReference: string
  readonly kind: string | null
  readonly brand: string | null
  readonly batchId: string | null
  /** The day of the transaction, or the first day of the month, in ISO 8601. */
  readonly day: string
  readonly amountMinor: string | null
  /** Plus is a charge. */
  readonly feeMinor: string
}

export interface ChargedFees {
  readonly fees: readonly ChargedFee[]
  readonly next: string | null
}
