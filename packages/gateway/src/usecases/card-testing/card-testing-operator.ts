import type { SubjectFacts } from '../../domain/card-testing/card-testing.ts'
import type { SiteRules } from '../../domain/card-testing/rules-change.ts'

/** The operator's view of a site. */
export interface CardTestingView extends SiteRules {
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

/** A site's rules, and what they have hit or would have hit. */
export interface CardTestingReader {
  /** Null for no such site. */
  show(siteId: bigint): Promise<CardTestingView | null>
  /** The site's payments since then, the oldest first, in pages. */
  readPastPayments(siteId: bigint, days: number): AsyncIterable<readonly PastPayment[]>
}
