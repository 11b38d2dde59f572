/** The facts that decide whether the advices of an order may go, read under its lock. */
export interface AdviceFacts {
  /** Since the bank acknowledged the last one; null while one is queued. */
  readonly quietDays: number | null
  /** The bank refused one: it is the evidence of a difference. */
  readonly hasRefused: boolean
  readonly hasRunningTransaction: boolean
  /**
   * A batch is open or being agreed on: a void names the advice of its capture, and a comparison
   * reads all advices.
   */
  readonly hasOpenBatch: boolean
  readonly hasOpenDifference: boolean
  /** A settlement file that comes late names the advice. */
  readonly hasSettlementDifference: boolean
}

/** Advices of an order go together, so that those that are left are numbered without a gap. */
export function mayEraseAdvices(facts: AdviceFacts, days: number): boolean {
  return (
    facts.quietDays !== null &&
    facts.quietDays >= days &&
    !facts.hasRefused &&
    !facts.hasRunningTransaction &&
    !facts.hasOpenBatch &&
    !facts.hasOpenDifference &&
    !facts.hasSettlementDifference
  )
}
