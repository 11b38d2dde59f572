/** The last run that found nothing wrong. */
export interface RunMark {
  /** The position of the last event that there was when it began. */
  readonly position: bigint
  /** The day of that event, `YYYY-MM-DD`: no later event has an earlier one. */
  readonly day: string
  readonly beganAt: Date
}

/** The notes of a run from before it checks anything. */
export interface RunStart {
  readonly position: bigint
  readonly beganAt: Date
}
