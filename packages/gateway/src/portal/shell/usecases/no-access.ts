/** Why a sign-in failed, for the audit log. */
export type SignInFailure =
  | 'unknown address'
  | 'wrong password'
  | 'no password set'
  | 'wrong code'
  | 'portal user disabled'
  | 'operator idle'
  | 'operator disabled'
  | 'portal user idle'
  | 'merchant disabled'

export interface NoAccess {
  readonly reason: SignInFailure
  /** A sentence for the user, who has proved the password. */
  readonly fault: string
}

/** The states of a user whose right password opens nothing. */
export type NoAccessState = 'idle' | 'disabled' | 'merchant disabled'

/** The reason of each refusal, for the audit log and for the portal user. */
export const NO_ACCESS: Readonly<Record<NoAccessState, NoAccess>> = {
  idle: {
    reason: 'portal user idle',
    fault:
      'Your access was locked after a long time without a sign-in. ' +
      'Ask an owner or admin to enable it.',
  },
  disabled: {
    reason: 'portal user disabled',
    fault: 'Your access is disabled. Ask an owner or admin to enable it.',
  },
  'merchant disabled': {
    reason: 'merchant disabled',
    fault: 'Your merchant is disabled. Ask the operator of this gateway.',
  },
}
