import type {
  DifferenceCode,
  DifferenceEnd,
  EndingDifference,
  WriteOff,
} from '../../domain/settlement/difference.ts'

/** A difference for a reader. Amounts are minor units; null: that side does not have it. */
export interface DifferenceView {
  readonly id: bigint
  readonly code: DifferenceCode
  readonly state: 'open' | 'ended'
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly fileId: bigint | null
  readonly line: number | null
  readonly transactionId: bigint | null
  readonly orderId: bigint | null
  /** The payout and the entry of a bank statement, for differences of deposits. */
  readonly payoutId: bigint | null
  readonly entryId: bigint | null
  /** The case, for differences of disputes. */
  readonly disputeId: bigint | null
  /** Transactions that together have the amount of the line. */
  readonly proposal: readonly bigint[]
  readonly here: { readonly minor: bigint; readonly currency: string } | null
  readonly bank: { readonly minor: bigint; readonly currency: string } | null
  /** ISO 8601 date. */
  readonly since: string
  readonly ageBankDays: number
  /** E-mail address of a portal user, or the name of an operator; empty for none. */
  readonly owner: string
  readonly end: {
    readonly as: DifferenceEnd
    readonly by: string
    readonly at: Date
    readonly reason: string
  } | null
  readonly notes: readonly { readonly author: string; readonly at: Date; readonly text: string }[]
}

export interface DifferenceFilter {
  readonly merchantId: bigint | null
  readonly merchantAccountId: bigint | null
  readonly state: 'open' | 'ended' | null
  /** Null: of every kind. */
  readonly code: DifferenceCode | null
  /** Empty: those that have no owner. Null: everybody's. */
  readonly owner: string | null
  /** Only those whose age is more than so many bank days; null: of every age. */
  readonly olderThanBankDays: number | null
  /** ISO 4217 alphabetic: a side has it. Null: of any currency. */
  readonly currency: string | null
}

/** A page of a list. */
export interface DifferencePage {
  /** The last difference of the page before; null: the first page. */
  readonly after: bigint | null
  readonly limit: number
}

/** Open and ended differences of one currency. */
export interface DifferenceTotal {
  readonly currency: string
  readonly count: number
  /** In minor units: the sums of the sides that have the currency. */
  readonly hereMinor: bigint
  readonly bankMinor: bigint
}

/** The line of a difference, as its file has it. Amounts are minor units. */
export interface DifferenceLine {
  readonly fileSequence: bigint
  readonly currency: string
  readonly lineId: string
  readonly kind: string
  readonly grossMinor: bigint
  readonly netMinor: bigint
  /** ISO 8601 date. */
  readonly valueDate: string
  /** References of the file; null where the line has none. */
  readonly orderKey: string | null
  readonly rrn: string | null
  readonly arn: string | null
  readonly reason: string | null
  /** The payout that the line is in; null while no file announces one. */
  readonly payoutId: bigint | null
}

/** A difference with everything that is known of it. */
export interface WholeDifference extends DifferenceView {
  readonly fileLine: DifferenceLine | null
}

export interface DifferenceReader {
  /** The oldest first, without their notes. */
  list(
    filter: DifferenceFilter,
    page: DifferencePage,
    now: Date,
  ): Promise<readonly DifferenceView[]>
  /** The sums of everything that a filter finds, by currency. */
  total(filter: DifferenceFilter, now: Date): Promise<readonly DifferenceTotal[]>
  /** A difference of a merchant, or of any for null. */
  read(id: bigint, merchantId: bigint | null, now: Date): Promise<WholeDifference | null>
}

/** A difference under its lock. */
export interface LockedDifference extends EndingDifference {
  readonly merchantId: bigint
  readonly owner: string
  /** The balance of its line in suspense, in minor units: see `writeOff`. */
  readonly suspendedMinor: bigint
  /** The value of a capture or refund that is missing at the bank; see `writeOff`. */
  readonly missingMinor: bigint
}

export interface DifferenceTx {
  /**
   * Locks a difference of a merchant, or of any for null, then reads it; null for none. `busy`:
   * another transaction keeps it, such as the booking of a file. Nothing else can be done then.
   */
  lock(id: bigint, merchantId: bigint | null): Promise<LockedDifference | null | 'busy'>
  isPortalUser(merchantId: bigint, email: string): Promise<boolean>
  assign(id: bigint, owner: string): Promise<void>
  addNote(id: bigint, author: string, text: string): Promise<void>
  end(
    id: bigint,
    end: {
      readonly as: DifferenceEnd
      readonly by: string
      readonly at: Date
      readonly reason: string
    },
    posting: WriteOff | null,
  ): Promise<void>
}
