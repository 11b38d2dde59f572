import type { LinkSummary } from '../../../usecases/merchants/operator.ts'

/** Work of one kind that waits in the database, over all merchants. */
export interface WaitingWork {
  readonly what: string
  readonly count: number
  /** Since when the oldest of it waits; null for none. */
  readonly oldestAt: Date | null
}

/** A merchant with work that waits or differs. */
export interface MerchantHealth {
  readonly id: bigint
  readonly name: string
  readonly queuedAdvices: number
  readonly oldestAdviceAt: Date | null
  /** Open ones. */
  readonly settlementDifferences: number
  readonly reconDifferences: number
}

/** A certificate with the end of its validity. */
export interface EndingCertificate {
  readonly what: string
  readonly endsAt: Date
}

/** A gateway process that started and did not stop on request. */
export interface RunningNode {
  /** Host and process id. */
  readonly name: string
  readonly startedAt: Date
  /** Its versions of Tollgate and Node.js; null where it did not enter them. */
  readonly tollgate: string | null
  readonly node: string | null
}

/** Reads the state of the gateway for operators. */
export interface HealthReader {
  readWaiting(): Promise<readonly WaitingWork[]>
  /** Those with the most queued advices first; at most 50. */
  readMerchants(): Promise<readonly MerchantHealth[]>
  readLinks(): Promise<readonly LinkSummary[]>
  /** In the sequence of their ends. */
  readCertificates(): Promise<readonly EndingCertificate[]>
  /** When the active data key was made; null before the first. */
  readDataKey(): Promise<Date | null>
  /** Newest first; at most 50. */
  readNodes(): Promise<readonly RunningNode[]>
  /** The number of migrations of the database. */
  readSchema(): Promise<number>
}
