/** A range of card numbers that take part in 3-D Secure. */
export interface StoredCardRange {
  /** First and last number, both of the same length, 13 to 19 digits. */
  readonly start: string
  readonly end: string
  readonly acsFrom: string
  readonly acsTo: string
  readonly methodUrl: string | null
}

/** A Directory Server's list of its ranges. */
export interface RangeList {
  readonly ranges: readonly StoredCardRange[]
  /** For the next question; null: the next one asks for everything. */
  readonly serialNum: string | null
  readonly dsFrom: string
  /** Null: no limit. */
  readonly dsTo: string | null
}

export interface RangeState {
  /** Changes with the ranges; 0: there are none yet. */
  readonly revision: number
  /** When they were last confirmed by the Directory Server. */
  readonly refreshedAt: Date | null
  /** Why the last question failed; '' when it did not. */
  readonly lastFault: string
}

/** The card ranges of all Directory Servers, shared by all processes. */
export interface CardRangeStore {
  /**
   * Lets one process ask, and no other until `leaseUntil`. Null when it is not time to ask, or
   * another one does. `staleBefore`: ranges confirmed since then need no question.
   */
  claim(
    directory: string,
    now: Date,
    staleBefore: Date,
    leaseUntil: Date,
  ): Promise<{ readonly serialNum: string | null } | null>
  /** The known state; null for a directory that was never asked. */
  readState(directory: string): Promise<RangeState | null>
  readList(directory: string): Promise<RangeList | null>
  /** Keeps a new list, or confirms the old one with `changed` null. The next question waits. */
  save(directory: string, changed: RangeList | null, now: Date, nextAskAt: Date): Promise<void>
  /** Puts the next question off; `forgetSerial`: it will ask for everything. */
  postpone(directory: string, fault: string, nextAskAt: Date, forgetSerial: boolean): Promise<void>
}
