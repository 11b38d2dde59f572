import { DISPUTE_STATES, type DisputeState } from './dispute-states.ts'

/** The events that an acquirer states of a case, with the state that each leads to. */
export const STATE_OF_EVENT = {
  inquiry: 'inquiry',
  fraud_report: 'reported',
  chargeback: 'chargeback',
  representment: 'represented',
  pre_arbitration: 'pre_arbitration',
  arbitration: 'arbitration',
  won: 'won',
  lost: 'lost',
  withdrawn: 'withdrawn',
  accepted: 'accepted',
  rapid_resolution: 'lost',
} as const satisfies Readonly<Record<string, DisputeState>>

export type DisputeEvent = keyof typeof STATE_OF_EVENT

export const DISPUTE_EVENTS = Object.keys(STATE_OF_EVENT) as readonly DisputeEvent[]

/** One statement of an acquirer about a case. */
export interface Notice {
  /** 1, 2, 3 … for each account, without gaps. */
  readonly n: bigint
  /** Unique for each sender, for ever. */
  readonly id: string
  readonly at: Date
  readonly caseId: string
  readonly event: DisputeEvent
  /** Keys of the order, as in settlement lines: at least one of `order` and `rrn`. */
  readonly order: string | null
  readonly rrn: string | null
  readonly ref: string | null
  readonly brand: string
  /** Above zero, in minor units. */
  readonly amountMinor: bigint
  /** ISO 4217 alphabetic. */
  readonly currency: string
  readonly reason: string | null
  /** ISO 8601 date; null where nothing is due. */
  readonly networkDue: string | null
  /** The id of the merchant's answer that it acknowledges. */
  readonly answerId: bigint | null
  /** SHA-256 over its members: a repetition has the same. */
  readonly contentSha256: string
}

/** Events that open a case. */
const OPENING: ReadonlySet<DisputeEvent> = new Set([
  'inquiry',
  'fraud_report',
  'chargeback',
  'rapid_resolution',
])

/** Events with which the issuer takes money. */
const CHARGING: ReadonlySet<DisputeEvent> = new Set(['chargeback', 'rapid_resolution'])

/** The state that a notice moves its case to, or the contradiction between the two. */
export type NoticeEffect =
  | { readonly kind: 'moves'; readonly state: DisputeState; readonly isCharged: boolean }
  | { readonly kind: 'contradicts'; readonly reason: string }

/**
 * The effect of a notice on its case.
 * @param found the case as it stands; null: this is its first notice
 */
export function effectOf(
  notice: Pick<Notice, 'event' | 'caseId'>,
  found: { readonly state: DisputeState; readonly isCharged: boolean } | null,
): NoticeEffect {
  const { caseId, event } = notice
  const state: DisputeState = STATE_OF_EVENT[event]
  if (found === null) {
    if (OPENING.has(event)) return { kind: 'moves', state, isCharged: CHARGING.has(event) }
    return contradicts(`Case ${caseId} begins with ${event}; expected a notice that opens it.`)
  }
  if (event === 'rapid_resolution' || event === 'fraud_report' || event === 'inquiry') {
    return contradicts(`Case ${caseId} is there already, and ${event} opens a case.`)
  }
  if (!(state in DISPUTE_STATES[found.state].next)) {
    return contradicts(`Case ${caseId} is in state ${found.state}, which ${event} cannot follow.`)
  }
  return { kind: 'moves', state, isCharged: found.isCharged || CHARGING.has(event) }
}

function contradicts(reason: string): NoticeEffect {
  return { kind: 'contradicts', reason }
}
