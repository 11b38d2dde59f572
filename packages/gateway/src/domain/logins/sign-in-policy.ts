/** What the gateway asks of everybody who signs in to the portal. */
export interface SignInPolicy {
  /** Whether nobody works without a second factor. */
  readonly secondFactorRequired: boolean
  /** Days after which a password that is the only factor has to be changed; 0 for never. */
  readonly passwordDays: number
  /** Days without a sign-in after which a person is refused; 0 for never. */
  readonly idleDays: number
}
