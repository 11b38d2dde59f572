// What the portal's API answers about the reconciliation.
import type { Wire } from '../shell/api.ts'
import type * as recon from './usecases/recon.ts'

export interface ReconciliationAnswer {
  /** The newest first. */
  readonly runs: readonly recon.ReconRun[]
  /** The hour of the day, in UTC, of the daily comparison; null: none. */
  readonly dailyHour: number | null
  readonly colleagues: readonly recon.Colleague[]
  readonly accounts: { readonly bundled: number; readonly others: number }
}

export interface DifferencesAnswer {
  readonly differences: readonly recon.ReconDifference[]
  readonly next: bigint | null
}

export type ReconciliationView = Wire<ReconciliationAnswer>
export type DifferenceList = Wire<DifferencesAnswer>
export type ReconRun = Wire<recon.ReconRun>
export type ReconDifference = Wire<recon.ReconDifference>
export type Colleague = Wire<recon.Colleague>
