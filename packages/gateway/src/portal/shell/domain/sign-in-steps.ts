import type { SignInPolicy } from '../../../domain/logins/sign-in-policy.ts'

/** The next step before a user with the right password is signed in. */
export type SignInStep = 'code' | 'second_factor' | 'password'

/** Null: nothing, they are in. */
export function nextStep(
  has: {
    readonly secondFactor: boolean
    /** Whether the second factor was shown in this session. */
    readonly codeVerified: boolean
    readonly passwordAgeDays: number
  },
  { secondFactorRequired, passwordDays }: SignInPolicy,
): SignInStep | null {
  if (has.secondFactor) return has.codeVerified ? null : 'code'
  if (secondFactorRequired) return 'second_factor'
  return passwordDays > 0 && has.passwordAgeDays >= passwordDays ? 'password' : null
}
