import type { CompellingPair } from '../../domain/disputes/compelling-evidence.ts'
import type { DisputeState } from '../../domain/disputes/dispute-states.ts'
import type { EvidenceType } from '../../domain/disputes/evidence.ts'
import type { DisputeEvent } from '../../domain/disputes/notice.ts'

/** A case in a list. Amounts are minor units. */
export interface DisputeView {
  readonly id: bigint
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  /** The acquirer's id. */
  readonly caseId: string
  readonly state: DisputeState
  /** Null: no order of the account fits. */
  readonly orderId: bigint | null
  readonly brand: string
  readonly amountMinor: bigint
  /** ISO 4217 alphabetic. */
  readonly currency: string
  /** The network's reason code, and its name where it is listed. */
  readonly reason: string | null
  readonly reasonName: string | null
  readonly isCharged: boolean
  /** ISO 8601 dates; null where nothing is due. */
  readonly networkDue: string | null
  readonly respondBy: string | null
  /** Days until `respondBy` on the clock of the account's site; below zero where it passed. */
  readonly daysLeft: number | null
  /** `respondBy` passed without an answer. */
  readonly isOverdue: boolean
  /** The newest answer that was not refused; null for none. */
  readonly answer: 'accept' | 'contest' | null
  readonly answerState: AnswerState | null
  /** Whether the merchant can answer now. */
  readonly canAnswer: boolean
  readonly openedAt: Date
  readonly changedAt: Date
  readonly endedAt: Date | null
  /** The acquirer's charges for the case so far, without currencies of zero. */
  readonly fees: readonly { readonly currency: string; readonly minor: bigint }[]
}

export type AnswerState = 'queued' | 'sent' | 'acknowledged' | 'refused'

export interface DisputeFilter {
  /** Null: an operator, for all merchants. */
  readonly merchantId: bigint | null
  readonly merchantAccountId: bigint | null
  readonly orderId: bigint | null
  /**
   * open: not ended, and no fraud report. due: an answer is possible and missing. charged: the
   * issuer takes the money, or took it. counted: charged cases and fraud reports.
   */
  readonly group: 'open' | 'due' | 'ended' | 'reported' | 'charged' | 'counted' | null
  readonly state: DisputeState | null
  readonly brand: string | null
  /** ISO 4217 alphabetic. */
  readonly currency: string | null
  /** `2026-11`: the month of the charge, or of the notice that opened the case. */
  readonly month: string | null
}

/** newest: the newest case first. due: the first day of answer first, the others behind. */
export type DisputeOrder = 'newest' | 'due'

/** The place of a case in a list. */
export interface DisputePlace {
  readonly id: bigint
  /** `dueDayOf` the case. */
  readonly day: string
}

/** The day by which the order `due` sorts a case, ISO 8601: the last one where nothing is due. */
export function dueDayOf({ canAnswer, respondBy }: DisputeView): string {
  return canAnswer && respondBy !== null ? respondBy : NOTHING_DUE
}

export const NOTHING_DUE = '9999-12-31'

export interface DisputePage {
  readonly order: DisputeOrder
  /** The last case of the page before; null: the first page. */
  readonly after: DisputePlace | null
  readonly limit: number
}

/** The cases that a filter finds, of one currency. */
export interface DisputeTotal {
  readonly currency: string
  readonly count: number
  readonly amountMinor: bigint
}

/** One step of the history of a case. */
export interface DisputeNoticeView {
  readonly n: bigint
  readonly event: DisputeEvent
  readonly at: Date
  readonly amountMinor: bigint
  readonly currency: string
  readonly reason: string | null
  readonly networkDue: string | null
  readonly answerId: bigint | null
  readonly state: DisputeState
}

/** A line of a settlement file that moved money for the case. */
export interface DisputeMovementView {
  readonly fileId: bigint
  readonly line: number
  readonly kind: 'chargeback' | 'chargeback_again' | 'dispute_reversal' | 'dispute_fee'
  /** Plus: taken from the merchant. In the currency of the file. */
  readonly takenMinor: bigint
  /** The acquirer's charge for the case; below zero where it returns that. */
  readonly feeMinor: bigint
  readonly currency: string
  /** ISO 8601 date. */
  readonly valueDate: string
}

export interface EvidenceFileView {
  readonly id: bigint
  readonly name: string
  readonly type: EvidenceType
  readonly bytes: number
  readonly sha256: string
  readonly uploadedBy: string
  readonly uploadedAt: Date
  /** The answer that took it along; null: it can still be removed. */
  readonly answerId: bigint | null
  /** Its content was erased after the days of retention. */
  readonly isErased: boolean
}

export interface AnswerView {
  readonly id: bigint
  readonly answer: 'accept' | 'contest'
  readonly state: AnswerState
  /** Null without a text, and once it was erased. */
  readonly text: string | null
  readonly madeBy: string
  readonly madeAt: Date
  readonly sentAt: Date | null
  readonly acknowledgedAt: Date | null
  readonly refusedReason: string | null
}

/** A case with everything that is known of it. */
export interface WholeDispute extends DisputeView {
  /** Evidence that usually wins for this reason; null for a code that is not listed. */
  readonly evidenceHint: string | null
  /** Two earlier sales for Compelling Evidence 3.0; null where the reason or the data lack it. */
  readonly compellingPair: CompellingPair | null
  readonly notices: readonly DisputeNoticeView[]
  readonly movements: readonly DisputeMovementView[]
  readonly files: readonly EvidenceFileView[]
  readonly answers: readonly AnswerView[]
  /** The posted loss, or refund of a rapid resolution, by currency. */
  readonly lossMinor: readonly { readonly currency: string; readonly minor: bigint }[]
}

export interface DisputeReader {
  list(filter: DisputeFilter, page: DisputePage, now: Date): Promise<readonly DisputeView[]>
  /** The merchant accounts of a merchant that have cases. */
  accounts(merchantId: bigint): Promise<readonly bigint[]>
  /** The sums of everything that a filter finds, by currency. */
  total(filter: DisputeFilter, now: Date): Promise<readonly DisputeTotal[]>
  /** A case of a merchant, or of any for null. Null: there is none. */
  read(id: bigint, merchantId: bigint | null, now: Date): Promise<WholeDispute | null>
  /** The content of a file of evidence; null: there is none, or it was erased. */
  readFile(
    disputeId: bigint,
    fileId: bigint,
    merchantId: bigint | null,
  ): Promise<{ readonly file: EvidenceFileView; readonly content: Uint8Array } | null>
}
