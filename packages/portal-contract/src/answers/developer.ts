import type { RequestOutcome } from '../request-outcomes.ts'
import type { TestValueKind } from '../test-value-kinds.ts'
import type { TransactionKind, TransactionState } from './order.ts'
import type { Mode } from './shell.ts'

/** A request in the list. */
export interface RequestRow {
  readonly id: string
  readonly receivedAt: string
  readonly siteId: string | null
  readonly username: string
  readonly address: string
  readonly action: string
  readonly outcome: RequestOutcome
  readonly state: string
  readonly httpStatus: number
  readonly apiCode: string
  readonly serviceCode: number
  readonly refField: string
  readonly orderId: string | null
  readonly transactionId: string | null
  readonly tookMs: number
}

/** A request with everything in words. */
export interface RequestDetail extends RequestRow {
  readonly path: string | null
  readonly refusal: {
    readonly name: string
    readonly text: string
    readonly meaning: string
  } | null
  readonly parameters: readonly {
    readonly name: string
    readonly value: string
    readonly meaning: string
  }[]
  /** Names that no action knows. */
  readonly unknown: readonly string[]
  readonly warnings: readonly string[]
  readonly codes: readonly {
    readonly tier: string
    readonly code: string
    readonly text: string
    readonly meaning: string
  }[]
  /** `BASE` stands for where the gateway is, which the browser knows. */
  readonly curl: string | null
}

/** The reasons of an answer. */
export interface WhyAnswer {
  readonly request: Pick<RequestRow, 'id' | 'receivedAt' | 'action' | 'outcome'> | null
  readonly transaction: WhyTransaction | null
  readonly site: { readonly id: string; readonly mode: Mode } | null
  readonly steps: readonly WhyStep[]
  readonly followed: readonly (Followed & { readonly currency: string })[]
  readonly changes: readonly LaterChange[]
}

/** The transaction that the answer is about. */
export interface WhyTransaction {
  readonly id: string
  readonly orderId: string
  readonly kind: TransactionKind
  readonly state: TransactionState
  readonly serviceCode: number
  readonly amountMinor: string
  readonly currency: string
  readonly createdAt: string
}

export interface WhyStep {
  readonly key: WhyKey
  readonly title: string
  readonly verdict: WhyVerdict
  readonly inputs: readonly (readonly [name: string, value: string])[]
  readonly says: string
  /** A payment that would have been approved, in plain words; on the deciding step. */
  readonly approve: string | null
}

/** The subject of a step: a key of the gateway's list of steps. */
export type WhyKey = string

/** `decided` is the step that made the answer; exactly one step has it. */
export type WhyVerdict = 'passed' | 'decided' | 'skipped' | 'not_reached'

/** The gateway's consequence of the ending. */
export interface Followed {
  readonly kind: 'capture' | 'refund' | 'reversal'
  readonly state: 'queued' | 'acknowledged'
  readonly amountMinor: string
  readonly reason: string
  readonly at: string
}

/** A change of the site's settings after the request came. */
export interface LaterChange {
  readonly number: string
  readonly at: string
  readonly actor: string
  readonly operation: string
}

/** A test value and its outcome. Card numbers are cut down to first six and last four digits. */
export interface TestValueRow {
  /** Identifies the row in a request: `card 3`. */
  readonly key: string
  readonly kind: TestValueKind
  readonly value: string
  readonly outcome: string
  /** DE 39 or the AVS or CVV result of the answer, where the row has one. */
  readonly code: string
  readonly hasRequest: boolean
}

export interface BankAccount {
  readonly id: string
  /** Null for other cards, of which the bank knows the end alone. */
  readonly first6: string | null
  readonly last4: string
  readonly meaning: string
  readonly status: string
  /** Whole major units, the same in each currency. */
  readonly funds: { readonly opening: string; readonly restored: string } | null
  readonly limits: {
    readonly perTransaction: string | null
    readonly perDay: string | null
    readonly approvalsPerDay: number | null
  }
  readonly balances: readonly BankBalance[]
}

/**
 * Money of one account at the bundled bank in one currency (ISO 4217 numeric), minor units as text.
 */
export interface BankBalance {
  readonly currency: string
  readonly availableMinor: string
  readonly heldMinor: string
  readonly ledgerMinor: string
  /** The UTC day of the sums that follow. */
  readonly day: string
  readonly approvedMinor: string
  readonly approvals: number
}

export interface BankLine {
  /** Names the message; its last part is month, day and time. */
  readonly key: string
  readonly day: string
  readonly kind: string
  readonly state: string
  readonly currency: string
  readonly amountMinor: string
  readonly heldMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
}

/** A test site with the time of its clock. */
export interface SiteClock {
  readonly siteId: string
  readonly name: string
  readonly clock: ClockView
}

/** A site's clock as it is shown. */
export interface ClockView {
  readonly time: string
  readonly machineTime: string
  readonly hasOwnClock: boolean
  /** How many times as fast as the machine's; 0: it stands still. */
  readonly speed: number
  /** The destination of a move in progress; null: none. */
  readonly target: string | null
  readonly movedFrom: string | null
  /** Events of the latest move, counted by kind. */
  readonly done: Readonly<Record<string, number>>
}

export interface ClockAgenda {
  readonly entries: readonly AgendaEntry[]
  /** To be sent as `after` for more; null: nothing more is known of. */
  readonly next: string | null
}

/** One thing that will happen at a site. */
export interface AgendaEntry {
  readonly at: string
  /** The event in the field's words: `authorization expires`. */
  readonly what: string
  /** To what, as kind and id: `order 600001`. */
  readonly object: string
}

/** A reset as far as it has come. */
export interface ResetState {
  readonly id: string
  readonly begunAt: string
  /** Null: not over yet. Ask again with the same key. */
  readonly doneAt: string | null
  readonly done: ResetCounts
}

/** How much was done on a reset, by kind. */
export interface ResetCounts {
  readonly memberships: number
  readonly authorizations: number
  readonly references: number
  readonly logins: number
  readonly tokens: number
  readonly requests: number
  /** The clock was ahead of the real time and stays: past events would lie in the future. */
  readonly clocksLeft: number
}

export interface RequestList {
  readonly rows: readonly RequestRow[]
  readonly next: string | null
  readonly lookedBackTo: string | null
  readonly actions: readonly string[]
}

/** A scripted fault: its messages, its effect, and how often it still happens. */
export interface BankRule {
  readonly id: number
  readonly match: Readonly<Record<string, string>>
  readonly action: Readonly<Record<string, string | number | boolean>> & { readonly kind: string }
  readonly count: number | null
  readonly seen: number
  readonly done: number
  /** Whether it belongs to the reader's merchant, and so may be removed. */
  readonly isOwn: boolean
}
