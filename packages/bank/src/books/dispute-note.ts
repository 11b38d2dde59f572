import type { WaitingLine } from './settlement-note.ts'

/** The events of notices, as docs/dispute-notices.md describes them. */
export type DisputeEvent =
  | 'inquiry'
  | 'fraud_report'
  | 'chargeback'
  | 'representment'
  | 'pre_arbitration'
  | 'arbitration'
  | 'won'
  | 'lost'
  | 'withdrawn'
  | 'accepted'
  | 'rapid_resolution'

/** The first four stages wait for an answer or a decision; the others are ends. */
export type DisputeStage =
  | 'inquiry'
  | 'chargeback'
  | 'pre_arbitration'
  | 'arbitration'
  | 'fraud_report'
  | 'won'
  | 'lost'
  | 'withdrawn'
  | 'accepted'

/** A notice as it is served, in the sequence of its members. */
export interface Notice {
  /** 1, 2, 3 and so on for each merchant account. */
  readonly n: number
  readonly id: string
  /** UTC, ISO 8601, by the site's clock. */
  readonly at: string
  readonly case: string
  readonly event: DisputeEvent
  readonly order: string
  readonly rrn?: string
  /** The key of the 0220. */
  readonly ref: string
  readonly brand: string
  /** Major units, exact decimal text. */
  readonly amount: string
  /** ISO 4217 alphabetic. */
  readonly currency: string
  readonly reason: string
  /** `YYYY-MM-DD`; absent where the merchant's side has nothing to answer. */
  readonly network_due?: string
  /** The id of the merchant's answer that it acknowledges. */
  readonly answer?: string
}

/** The bank's decision about a contested case; `escalate` begins the next stage. */
export type Verdict = 'won' | 'lost' | 'escalate'

/** A dispute of one order. Amounts are minor units as text. */
export interface DisputeCase {
  readonly id: string
  /** Keys of the 0100 and of the 0220, as messages have them. */
  readonly order: string
  readonly capture: string
  /** DE 37; '' for none. */
  readonly rrn: string
  readonly brand: string
  readonly reason: string
  /** The order's currency, ISO 4217 numeric. */
  readonly currency: string
  /** The disputed amount in that currency. */
  readonly minor: string
  /** Of the order: settlement currency and rate; '' if it settles in its own currency. */
  readonly conversion: string
  readonly stage: DisputeStage
  /** The network's limit for an answer, `YYYY-MM-DD`; '' where nothing is due. */
  readonly due: string
  /** An answer that contests the stage: its verdict, and the day on which it came. */
  readonly answered: { readonly verdict: Verdict; readonly on: string } | null
  /** The day on which an inquiry becomes a chargeback by itself; '' for none. */
  readonly chargebackOn: string
  /** The sum of its lines in the settlement currency, without the fee. */
  readonly moved: string
}

/** The content of a journal record of kind `dispute`: a step of one or more cases, as a whole. */
export interface DisputeNote {
  readonly notices: readonly Notice[]
  /** The cases of the notices as they are from now on. */
  readonly cases: readonly DisputeCase[]
  /** The money of the step, for the next settlement file of the record's merchant and currency. */
  readonly lines: readonly WaitingLine[]
  /** The key of the disputed capture that this step disposes of. */
  readonly planned?: string
  /** The merchant's answer: its id, the digest of its content, and the number of the notice. */
  readonly answer?: { readonly id: string; readonly digest: string; readonly n: number }
}
