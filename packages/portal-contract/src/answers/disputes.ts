import type { DisputeEvent, DisputeMovementKind, DisputeState } from '../dispute-words.ts'

/** A case of a dispute; amounts in minor units. */
export interface Dispute {
  readonly id: string
  readonly merchantAccountId: string
  /** The acquirer's id. */
  readonly caseId: string
  readonly state: DisputeState
  /** Null: no order of the account fits. */
  readonly orderId: string | null
  readonly brand: string
  readonly amountMinor: string
  readonly currency: string
  /** The network's reason code, and its name where it is listed. */
  readonly reason: string | null
  readonly reasonName: string | null
  /** Whether the issuer took money, or will. */
  readonly isCharged: boolean
  /** ISO 8601 dates; null where nothing is due. */
  readonly networkDue: string | null
  readonly respondBy: string | null
  /** Days until `respondBy`; below zero where it passed. */
  readonly daysLeft: number | null
  /** `respondBy` passed without an answer. */
  readonly isOverdue: boolean
  /** The newest answer that was not refused; null for none. */
  readonly answer: DisputeAnswerKind | null
  readonly answerState: DisputeAnswerState | null
  readonly canAnswer: boolean
  readonly openedAt: string
  readonly changedAt: string
  readonly endedAt: string | null
  /** The acquirer's charges for the case so far. */
  readonly fees: readonly { readonly currency: string; readonly minor: string }[]
}

export type DisputeAnswerKind = 'accept' | 'contest'
export type DisputeAnswerState = 'queued' | 'sent' | 'acknowledged' | 'refused'

export interface DisputeList {
  readonly disputes: readonly Dispute[]
  /** The place that the next page begins behind; null on the last. */
  readonly next: string | null
  /** Of everything that the filters find. */
  readonly totals: readonly {
    readonly currency: string
    readonly count: number
    readonly amountMinor: string
  }[]
  /** The merchant accounts that have cases. */
  readonly accounts: readonly string[]
}

/** A case with everything that is known of it. */
export interface WholeDispute extends Dispute {
  /** Evidence that usually wins for this reason; null for a code that is not listed. */
  readonly evidenceHint: string | null
  /** The history, in sequence. */
  readonly notices: readonly DisputeNotice[]
  readonly movements: readonly DisputeMovement[]
  readonly files: readonly EvidenceFile[]
  readonly answers: readonly DisputeAnswer[]
  /** Amounts that were posted as a loss, or as the refund of a rapid resolution. */
  readonly losses: readonly { readonly currency: string; readonly minor: string }[]
  /** The limits of evidence. */
  readonly limits: EvidenceLimits
}

export interface DisputeNotice {
  readonly n: string
  readonly event: DisputeEvent
  readonly at: string
  readonly amountMinor: string
  readonly currency: string
  readonly reason: string | null
  readonly networkDue: string | null
  readonly state: DisputeState
}

/** A line of a settlement file that moved money for the case. */
export interface DisputeMovement {
  readonly fileId: string
  readonly line: number
  readonly kind: DisputeMovementKind
  /** Plus: taken from the merchant. In the currency of the file. */
  readonly takenMinor: string
  /** The acquirer's charge for the case; below zero where it returns that. */
  readonly feeMinor: string
  readonly currency: string
  readonly valueDate: string
  /** The payout that the line is in; null while no file announces one. */
  readonly payoutId: string | null
}

export interface EvidenceFile {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly sha256: string
  readonly uploadedBy: string
  readonly uploadedAt: string
  /** The answer that took it along; null: it can still be removed. */
  readonly answerId: string | null
  /** Its content was erased after the days of retention. */
  readonly isErased: boolean
}

export interface DisputeAnswer {
  readonly id: string
  readonly answer: DisputeAnswerKind
  readonly state: DisputeAnswerState
  /** Null without a text, and once it was erased. */
  readonly text: string | null
  readonly madeBy: string
  readonly madeAt: string
  readonly sentAt: string | null
  readonly acknowledgedAt: string | null
  readonly refusedReason: string | null
}

export interface EvidenceLimits {
  readonly fileBytes: number
  readonly files: number
  readonly totalBytes: number
  readonly textCharacters: number
  /** Media types. */
  readonly types: readonly string[]
}

/** Months with disputes or reports of fraud, by account and brand, the newest first. */
export interface DisputeMonitoring {
  readonly months: readonly DisputeMonth[]
}

export interface DisputeMonth {
  readonly merchantAccountId: string
  readonly brand: string
  /** `2026-11`. */
  readonly month: string
  readonly disputes: number
  readonly fraudReports: number
  readonly sales: number
  readonly amounts: readonly { readonly currency: string; readonly minor: string }[]
  readonly standings: readonly DisputeStanding[]
}

/** The events of a month beside the limits of a monitoring programme. */
export interface DisputeStanding {
  readonly programme: string
  readonly counts: 'fraud_and_disputes' | 'disputes'
  readonly events: number
  readonly mostEvents: number
  readonly sales: number
  /** Hundredths of a percent; null without sales. */
  readonly ratioBasisPoints: number | null
  readonly mostBasisPoints: number
  /** How much of both limits is reached. */
  readonly percent: number | null
  /** 50, 75, 90 or 100; null below the first. */
  readonly warning: number | null
}
