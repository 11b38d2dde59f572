import type { Result } from '../../base/refusal.ts'
import type { CardTestingRule, SubjectFacts } from '../../domain/card-testing/card-testing.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'

/** Rules as an operator describes them. */
export interface CardTestingDraft {
  readonly rules: readonly CardTestingRule[]
  /** Normalized. */
  readonly exceptAddresses: readonly string[]
}

export type CardTestingSetting = 'off' | 'watch' | 'enforce'

/** The operator's view of a site. */
export interface CardTestingView extends CardTestingDraft {
  readonly mode: CardTestingSetting
  /** Goes up with each change of the rules; 0 before the first. */
  readonly revision: number
  /** By rule, also those that were replaced meanwhile. */
  readonly hits: readonly {
    readonly rule: string
    readonly lastHour: number
    readonly lastDay: number
    /** How many of the last day's were refused; the others were watched. */
    readonly refused: number
    readonly lastAt: Date
    /** TRANS_ID of the last. */
    readonly lastTransactionId: bigint
  }[]
}

/** A payment of the past, as the rules would have seen it. */
export interface PastPayment {
  readonly atMs: number
  readonly rules: 'all' | 'card' | 'none'
  readonly facts: SubjectFacts
  readonly state: string
  readonly serviceCode: number
}

/** The rules that the caller believes to be in force. */
export type SeenCardTesting = Pick<CardTestingView, 'mode' | 'revision'>

export interface CardTestingAdmin {
  /** Null for no such site. */
  show(siteId: bigint): Promise<CardTestingView | null>
  /** `seen`: the revision that the caller takes to be in force; null for whichever it is. */
  put(
    siteId: bigint,
    draft: CardTestingDraft,
    by: AuditAuthor,
    seen?: number | null,
  ): Promise<Result<{ readonly revision: number }>>
  setMode(
    siteId: bigint,
    mode: CardTestingSetting,
    by: AuditAuthor,
    seen?: SeenCardTesting | null,
  ): Promise<Result<{ readonly from: CardTestingSetting }>>
  /** The site's payments since then, the oldest first, in pages. */
  readPastPayments(siteId: bigint, days: number): AsyncIterable<readonly PastPayment[]>
}
