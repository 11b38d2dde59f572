/** What is left to do before somebody who gave the right password is signed in. */
export type NextStep = 'code' | 'second_factor' | 'password'

/** What the gateway asks of everybody. */
export interface SignInPolicy {
  /** Whether nobody works without a second factor. */
  readonly secondFactorRequired: boolean
  /** Days after which a password that is the only factor has to be changed; 0 for never. */
  readonly passwordDays: number
  /** Days without a sign-in after which a person is refused; 0 for never. */
  readonly idleDays: number
}

/** Null: nothing, they are in. */
export function nextStep(
  has: {
    readonly secondFactor: boolean
    /** Whether the second factor was shown in this session. */
    readonly codeGiven: boolean
    readonly passwordAgeDays: number
  },
  { secondFactorRequired, passwordDays }: SignInPolicy,
): NextStep | null {
  if (has.secondFactor) return has.codeGiven ? null : 'code'
  if (secondFactorRequired) return 'second_factor'
  return passwordDays > 0 && has.passwordAgeDays >= passwordDays ? 'password' : null
}
