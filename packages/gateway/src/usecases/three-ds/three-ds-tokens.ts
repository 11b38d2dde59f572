/** A token that the gateway signs for itself and gets back by way of browsers and shops. */
export type ThreeDsTokenKind = 'ddc' | 'step_up' | 'response'

export interface ThreeDsClaims {
  /** jti: 128 random bits; looks the session up. */
  readonly tokenId: string
  readonly merchantAccountId: bigint
  /** DDC_REFERENCEID. */
  readonly reference: string
  /** Step-up only. */
  readonly returnUrl?: string
  /**
   * `{}` of a collection; ACSUrl, Payload and TransactionId of a step-up; TransactionId of a
   * response.
   */
  readonly payload: Readonly<Record<string, string>>
}

/** JSON Web Signatures (ES256) that are pointers to sessions and hold nothing secret. */
export interface ThreeDsTokens {
  sign(kind: ThreeDsTokenKind, claims: ThreeDsClaims): Promise<string>
  /** Null for anything except an unexpired token of this kind that this installation signed. */
  verify(kind: ThreeDsTokenKind, token: string): Promise<ThreeDsClaims | null>
}
