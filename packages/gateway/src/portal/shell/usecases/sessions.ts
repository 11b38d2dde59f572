import { mayDo, RIGHTS, type Right } from '@tollgate/portal-contract/rights'
import type { Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type {
  PortalSession,
  MerchantSummary,
  PortalUser,
  SessionView,
  UnfinishedView,
  Whence,
} from './portal-user.ts'
import type { SignInDeps, SignInStore } from './sign-in-ports.ts'
import { createSignIn } from './sign-in.ts'

/** Stores portal users and their sessions. */
export interface PortalUsersStore extends SignInStore<PortalUser> {
  /**
   * The open session, marked as seen if the user was active. Null when there is none, or it was
   * left idle for too long.
   */
  findSession(tokenDigest: Buffer, isSeen: boolean): Promise<PortalSession | null>
  readMerchant(merchantId: bigint): Promise<MerchantSummary>
}

export interface PortalSessionsDeps extends SignInDeps<PortalUser> {
  readonly store: PortalUsersStore
  readonly sandbox: boolean
}

export interface PortalSessions {
  /** The new cookie's value. Refusals of unknown addresses and wrong passwords are alike. */
  signIn(email: string, password: Secret, from: Whence): Promise<Result<{ readonly token: string }>>
  /** Goes on with a code of the second factor, or a recovery code; gives another cookie's value. */
  giveCode(
    session: PortalSession,
    code: string,
    address: string,
  ): Promise<Result<{ readonly token: string }>>
  /** Whether the password is that portal user's; guesses are counted. */
  checkPassword(portalUser: PortalUser, password: Secret, address: string): Promise<Result>
  /** `isSeen`: the user was active, so that the session is not idle. */
  find(token: string, isSeen: boolean): Promise<PortalSession | null>
  view(session: PortalSession): Promise<SessionView | UnfinishedView>
  signOut(session: PortalSession, address: string): Promise<void>
}

/** Signing in to the portal, step by step, and the sessions that come of it. */
export function createPortalSessions(deps: PortalSessionsDeps): PortalSessions {
  const { store } = deps
  const signIn = createSignIn(deps)
  return {
    signIn: signIn.signIn,
    giveCode: ({ id, portalUser }, code, address) => signIn.giveCode(id, portalUser, code, address),
    checkPassword: signIn.checkPassword,
    find: (token, isSeen) => store.findSession(deps.digest(token), isSeen),

    async view({ portalUser, csrfToken, next }) {
      if (next !== null)
        return { next, user: { email: portalUser.email, name: portalUser.name }, csrfToken }
      const { name, timeZone, sites } = await store.readMerchant(portalUser.merchantId)
      return {
        next: null,
        portalUser,
        merchant: { id: portalUser.merchantId, name, timeZone },
        rights: (Object.keys(RIGHTS) as Right[]).filter((right) => mayDo(portalUser.role, right)),
        sites,
        csrfToken,
        sandbox: deps.sandbox,
        visit: null,
      }
    },

    signOut: ({ id, portalUser }, address) => signIn.signOut(id, portalUser, address),
  }
}
