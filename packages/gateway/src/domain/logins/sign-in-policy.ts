/** The gateway's requirements for every sign-in to the portal. */
export interface SignInPolicy {
  /** Whether every portal user needs a second factor. */
  readonly secondFactorRequired: boolean
  /** Days after which a password that is the only factor has to be changed; 0 for never. */
  readonly passwordDays: number
  /** Days without a sign-in after which a portal user is refused; 0 for never. */
  readonly idleDays: number
}
