import type { Result } from '../../base/refusal.ts'
import type { Currency } from '../../domain/currency.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Site } from '../merchants/merchant-directory.ts'

/** The result of an operation for its reader: names and values. */
export type OperationReport = Readonly<
  Record<string, string | number | null | readonly Readonly<Record<string, string | number>>[]>
>

export type OperationResult = Result<{ readonly report: OperationReport }>

/** An order of a test site at the bundled bank. */
export interface OperationOrder {
  readonly accountId: bigint
  /** The bank's name of the account (DE 42). */
  readonly account: string
  readonly currency: Currency
  /** DE 37. */
  readonly rrn: string
  readonly state: string
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  /** Null where the authorization does not expire. */
  readonly expiresAt: Date | null
  readonly releasedAt: Date | null
}

/** A capture or refund with the identity of its message. */
export interface OperationMovement {
  readonly accountId: bigint
  readonly account: string
  readonly orderId: bigint
  readonly kind: 'sale' | 'capture' | 'refund'
  /** The key of its message at the bank. */
  readonly key: string
}

/** A case as an operation shows it. */
export interface OperationDispute {
  readonly id: bigint
  readonly accountId: bigint
  readonly account: string
  readonly caseId: string
  readonly state: string
  readonly orderId: bigint | null
  readonly currency: Currency
  readonly amountMinor: bigint
  /** ISO 8601 date; null where no answer is due. */
  readonly respondBy: string | null
}

/** The last charge of a membership, and what came of it. */
export interface OperationCharge {
  readonly outcome: string
  readonly reason: string
  readonly orderId: bigint
  readonly transactionId: bigint
  readonly state: string
  readonly nextAt: Date | null
}

/** Reads within one test site; everything else does not exist. */
export interface OperationStore {
  findOrder(site: Site, orderId: bigint): Promise<OperationOrder | null>
  findMovement(site: Site, transactionId: bigint): Promise<OperationMovement | null>
  findDispute(site: Site, disputeId: bigint): Promise<OperationDispute | null>
  findCase(site: Site, accountId: bigint, caseId: string): Promise<OperationDispute | null>
  /** Captures and refunds of an account that the bank has not answered. */
  countUnanswered(accountId: bigint): Promise<number>
  /** Batches of an account that are closed and not yet agreed. */
  countClosing(accountId: bigint): Promise<number>
  /** Brings the expiry forward to `at`; false where it is earlier already, or past. */
  expire(site: Site, orderId: bigint, at: Date): Promise<boolean>
  lastCharge(membershipId: bigint): Promise<OperationCharge | null>
}

/** A settlement file that the bank has written. `currency` is ISO 4217 alphabetic. */
export interface WrittenFile {
  readonly name: string
  readonly currency: string
  readonly seq: bigint
  readonly businessDate: string
  readonly lines: number
}

/** Operations of the bundled bank. It refuses with its own sentence, or is away. */
export interface BankOperations {
  writeFiles(account: string): Promise<Result<{ readonly files: readonly WrittenFile[] }>>
  reject(account: string, key: string): Promise<Result>
  raise(
    account: string,
    dispute: {
      readonly rrn: string
      readonly event: string
      readonly minor: bigint | null
      readonly reason: string | null
    },
  ): Promise<Result<{ readonly caseId: string }>>
  decide(account: string, caseId: string, verdict: 'won' | 'escalate'): Promise<Result>
  move(account: string, caseId: string, to: 'won' | 'lost'): Promise<Result>
}

export interface OperationDeps {
  readonly store: OperationStore
  readonly bank: BankOperations
  /** Closes the account's open batch; null where it holds nothing that the bank has answered. */
  readonly closeBatch: (
    site: Site,
    accountId: bigint,
    by: AuditAuthor,
  ) => Promise<{ readonly batchId: bigint; readonly nextId: bigint } | null>
  /** Imports the bank's new files of an account: the last booked numbers, and refusals. */
  readonly importFiles: (accountId: bigint) => Promise<
    Result<{
      readonly booked: ReadonlyMap<string, bigint>
      readonly refusals: readonly string[]
    }>
  >
  /** Records the bank's new notices of an account. */
  readonly fetchNotices: (accountId: bigint) => Promise<Result>
  /** Answers a case as the merchant, and sends the answer to the bank. */
  readonly answer: (
    site: Site,
    disputeId: bigint,
    answer: { readonly kind: 'accept' | 'contest'; readonly text: string },
    by: AuditAuthor,
  ) => Promise<Result>
  /** Announces that an authorization expires, unless that was done. */
  readonly announceExpiry: (site: Site, orderId: bigint, now: Date) => Promise<void>
  /** Releases an authorization that has expired. */
  readonly release: (site: Site, orderId: bigint) => Promise<void>
  /** Makes a membership due now. Null: the site has none; false: nothing can be charged. */
  readonly makeDue: (
    site: Site,
    membershipId: bigint,
    /** The words of a test for the charge; null: none. */
    bankTest: string | null,
  ) => Promise<boolean | null>
  /** Charges the memberships of the site that are due. */
  readonly chargeDue: (site: Site) => Promise<void>
  /** Wakes the job that agrees batches. */
  readonly batchClosed: () => void
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
}

const LOOK_EVERY_MS = 100

/** Looks until something is found, or until the time is over; null then. */
export async function untilFound<Found>(
  { monotonicMs, pause }: Pick<OperationDeps, 'monotonicMs' | 'pause'>,
  patienceMs: number,
  look: () => Promise<Found | null>,
): Promise<Found | null> {
  const untilMs = monotonicMs() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== null || monotonicMs() >= untilMs) return found
    await pause(LOOK_EVERY_MS)
  }
}
