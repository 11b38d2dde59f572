export interface ReconciliationView {
  /** The newest first. */
  readonly runs: readonly ReconRun[]
  /** The hour of the day, in UTC, of the daily comparison; null: none. */
  readonly dailyHour: number | null
  readonly portalUsers: readonly PortalUserName[]
  readonly accounts: { readonly bundled: number; readonly others: number }
}

export interface ReconRun {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** `portal:<e-mail>`, or `gateway` for the daily one. */
  readonly requestedBy: string
  readonly requestedAt: string
  readonly finishedAt: string | null
  readonly doing: string
  readonly ordersSeen: number
  /** Why it could not be made; '' otherwise. */
  readonly fault: string
  /** Null before it is done; so are the differences. */
  readonly orders: number | null
  readonly differences: number | null
  readonly totals: readonly CurrencyTotals[]
}

export interface CurrencyTotals {
  readonly currency: string
  readonly orders: number
  readonly gateway: OrderFigures
  readonly ledger: OrderFigures
  readonly bank: OrderFigures
}

/** One order's money in one set of books, in minor units of the order's currency. */
export interface OrderFigures {
  /** The amount that may be captured in all: authorized less voided. */
  readonly approvedMinor: string
  /** Captured and not voided. */
  readonly capturedMinor: string
  readonly refundedMinor: string
}

export interface PortalUserName {
  readonly id: string
  readonly name: string
  readonly email: string
}

export interface DifferenceList {
  readonly differences: readonly ReconDifference[]
  readonly next: string | null
}

export interface ReconDifference {
  readonly id: string
  readonly orderId: string
  readonly currency: string
  /** Set where the bank has the order in another currency. */
  readonly bankCurrency: string | null
  /** Null where the books do not know the order. */
  readonly gateway: OrderFigures | null
  readonly ledger: OrderFigures | null
  readonly bank: OrderFigures | null
  /** Explanations, in words. */
  readonly reasons: readonly string[]
  readonly firstSeenAt: string
  readonly lastSeenAt: string
  readonly goneAt: string | null
  readonly owner: PortalUserName | null
  readonly resolvedBy: PortalUserName | null
  readonly resolvedAt: string | null
  readonly version: number
  readonly notes: readonly ReconNote[]
}

export interface ReconNote {
  readonly portalUser: string
  readonly at: string
  readonly what: 'taken' | 'handed' | 'noted' | 'resolved' | 'reopened'
  readonly text: string
}
