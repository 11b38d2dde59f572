import {
  CONSOLE_RIGHTS,
  mayOperate,
  type ConsoleRight,
} from '@tollgate/portal-contract/console-rights'
import type { Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { NoAccess, NoAccessState } from '../../shell/usecases/no-access.ts'
import type { UnfinishedView, Whence } from '../../shell/usecases/portal-user.ts'
import type { SignInDeps, SignInStore } from '../../shell/usecases/sign-in-ports.ts'
import { createSignIn } from '../../shell/usecases/sign-in.ts'
import type { ConsoleOperator, ConsoleSession, ConsoleView } from './console-operator.ts'

/** Stores operators and their sessions. */
export interface ConsoleSignInStore extends SignInStore<ConsoleOperator> {
  /** The open session, marked as seen if the operator was active; null when there is none. */
  findSession(tokenDigest: Buffer, isSeen: boolean): Promise<ConsoleSession | null>
}

export interface ConsoleSessions {
  /** The new cookie's value. Refusals of unknown addresses and wrong passwords are alike. */
  signIn(email: string, password: Secret, from: Whence): Promise<Result<{ readonly token: string }>>
  giveCode(
    session: ConsoleSession,
    code: string,
    address: string,
  ): Promise<Result<{ readonly token: string }>>
  checkPassword(operator: ConsoleOperator, password: Secret, address: string): Promise<Result>
  find(token: string, isSeen: boolean): Promise<ConsoleSession | null>
  view(session: ConsoleSession): Promise<ConsoleView | UnfinishedView>
  signOut(session: ConsoleSession, address: string): Promise<void>
}

const ASK = 'Ask an owner, or use "tollgate operators enable" on a node.'

/** Why the right password of an operator opens nothing. */
export const OPERATOR_NO_ACCESS: Readonly<
  Record<Exclude<NoAccessState, 'merchant disabled'>, NoAccess>
> = {
  idle: {
    reason: 'operator idle',
    fault: `Your access was locked after a long time without a sign-in. ${ASK}`,
  },
  disabled: { reason: 'operator disabled', fault: `Your access is disabled. ${ASK}` },
}

/** Signing in to the console, by the rules of the portal. */
export function createConsoleSessions(
  deps: Omit<SignInDeps<ConsoleOperator>, 'noAccess'> & { readonly store: ConsoleSignInStore },
): ConsoleSessions {
  const { store, digest } = deps
  const noAccess = { ...OPERATOR_NO_ACCESS, 'merchant disabled': OPERATOR_NO_ACCESS.disabled }
  const signIn = createSignIn({ ...deps, noAccess })
  return {
    signIn: signIn.signIn,
    giveCode: ({ id, operator }, code, address) => signIn.giveCode(id, operator, code, address),
    checkPassword: signIn.checkPassword,
    find: (token, isSeen) => store.findSession(digest(token), isSeen),

    view({ operator, csrfToken, next }) {
      const { email, name, role } = operator
      if (next !== null) return Promise.resolve({ next, user: { email, name }, csrfToken })
      const rights = (Object.keys(CONSOLE_RIGHTS) as ConsoleRight[]).filter((right) =>
        mayOperate(role, right),
      )
      return Promise.resolve({ next: null, operator, rights, csrfToken })
    },

    signOut: ({ id, operator }, address) => signIn.signOut(id, operator, address),
  }
}
