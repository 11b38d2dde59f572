/** A site's settings for 3-D Secure. */
export interface ThreeDsPolicy {
  /** Decline where the browser's data are missing, instead of going on without authentication. */
  readonly required: boolean
  /** The behaviour if no authentication is possible. */
  readonly whenUnavailable: 'authorize' | 'decline'
  readonly paResRequired: boolean
  /** threeDSRequestorChallengeInd; null leaves it out. */
  readonly challengePreference: string | null
  /** Hosts that a return URL may name; empty: any. */
  readonly returnHosts: readonly string[]
}
