/** An answer of the bank that came after its timeout, or a second time. */
export interface LateAnswer {
  readonly mti: string
  /** Of the message that it answers; null when that was none of ours. */
  readonly messageNumber: bigint | null
  readonly responseCode: string
  readonly authCode: string
}
