import type { AdviceRequest } from '../banks/processor.ts'

/** An advice that this process has taken on to send; others leave it alone until the lease ends. */
export interface DueAdvice {
  readonly id: bigint
  readonly tries: number
  readonly request: AdviceRequest
}

export interface AdviceStore {
  /**
   * Leases due advices: of each order only the first that is not acknowledged, so that the bank
   * gets them in sequence. The lease ends at `until`.
   */
  take(limit: number, now: Date, until: Date): Promise<readonly DueAdvice[]>
  acknowledge(id: bigint, responseCode: string, at: Date): Promise<void>
  /** `responseCode` is the bank's, if it gave one; it is kept for an investigation. */
  postpone(id: bigint, nextTryAt: Date, responseCode: string | null): Promise<void>
}
