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
  readonly limit: number
}

export interface DifferenceReader {
  /** The oldest first, without their notes. */
  list(filter: DifferenceFilter, now: Date): Promise<readonly DifferenceView[]>
  read(id: bigint, now: Date): Promise<DifferenceView | null>
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
  /** Locks a difference, then reads it; null for none. */
  lock(id: bigint): Promise<LockedDifference | null>
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
