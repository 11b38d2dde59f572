import type { AdviceRequest } from '../banks/processor.ts'

/** An advice that this process has taken on to send; others leave it alone until the lease ends. */
export interface DueAdvice {
  readonly id: bigint
  readonly tries: number
  readonly request: AdviceRequest
}

/** The places of a process for advices under way. */
export interface AdvicePlaces {
  readonly free: number
  /** The places that advices of each merchant use; merchants that use none are not in it. */
  readonly used: ReadonlyMap<bigint, number>
}

export interface AdviceStore {
  /**
   * Leases due advices: of each order only the first that is not acknowledged, so that the bank
   * gets them in sequence. No merchant gets more places than are left free, and the one with the
   * fewest comes first. The lease ends at `until`.
   */
  take(places: AdvicePlaces, now: Date, until: Date): Promise<readonly DueAdvice[]>
  /**
   * `batchId` is the batch that the message named, if it named one. A cut-off may have moved the
   * advice to another one meanwhile: it is due again then, and the bank moves it too.
   */
  acknowledge(id: bigint, responseCode: string, at: Date, batchId: bigint | null): Promise<void>
  /** `responseCode` is the bank's, if it gave one; it is kept for an investigation. */
  postpone(id: bigint, nextTryAt: Date, responseCode: string | null): Promise<void>
}
