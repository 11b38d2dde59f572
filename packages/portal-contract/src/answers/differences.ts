import type { SettlementDifferenceCode, SettlementDifferenceEnd } from '../difference-words.ts'

/** Minor units and their currency. */
interface Side {
  readonly minor: string
  readonly currency: string
}

export interface SettlementDifference {
  readonly id: string
  readonly code: SettlementDifferenceCode
  readonly state: 'open' | 'ended'
  readonly merchantAccountId: string
  readonly orderId: string | null
  readonly transactionId: string | null
  /** The file and the number of the line; null where no file has it. */
  readonly fileId: string | null
  readonly line: number | null
  /** Null: that side does not have it. */
  readonly here: Side | null
  readonly bank: Side | null
  /** ISO 8601 date of the bank day from which the age counts. */
  readonly since: string
  readonly ageBankDays: number
  /** An e-mail address, or the name of an operator; '' for none. */
  readonly owner: string
}

export interface SettlementDifferenceList {
  readonly differences: readonly SettlementDifference[]
  readonly next: string | null
  /** Of everything that the filters find. */
  readonly totals: readonly {
    readonly currency: string
    readonly count: number
    readonly hereMinor: string
    readonly bankMinor: string
  }[]
  /** Merchant accounts with settlement files. */
  readonly accounts: readonly string[]
  /** Users who may own differences. */
  readonly owners: readonly DifferenceOwner[]
}

export interface DifferenceOwner {
  readonly name: string
  readonly email: string
}

export interface WholeSettlementDifference extends SettlementDifference {
  /** Transactions that together have the amount of the line. */
  readonly proposal: readonly string[]
  readonly fileLine: {
    readonly fileSequence: string
    readonly currency: string
    readonly lineId: string
    readonly kind: string
    readonly grossMinor: string
    readonly netMinor: string
    /** ISO 8601 date. */
    readonly valueDate: string
    /** References of the file; null where the line has none. */
    readonly orderKey: string | null
    readonly rrn: string | null
    readonly arn: string | null
    readonly reason: string | null
  } | null
  /** The payout that it is about, or that its line is in. */
  readonly payoutId: string | null
  readonly notes: readonly { readonly author: string; readonly at: string; readonly text: string }[]
  readonly end: {
    readonly as: SettlementDifferenceEnd
    readonly by: string
    readonly at: string
    readonly reason: string
  } | null
  readonly owners: readonly DifferenceOwner[]
}
