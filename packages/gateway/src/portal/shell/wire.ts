import { secondFactorBinding } from '../../adapters/vault/secret-seal.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { PORTAL_COOKIE, type PortalGuardDeps } from './portal-guard.ts'
import { createInvitationStore } from './store/invitation-store.ts'
import { createPortalUsersStore } from './store/portal-users-store.ts'
import type { JournalNames } from './store/sign-in-journal.ts'
import { createInvitations, type Invitations } from './usecases/invitations.ts'
import type { NewPasswordDeps } from './usecases/new-password.ts'
import { NO_ACCESS } from './usecases/no-access.ts'
import { PORTAL_USER_NAMES } from './usecases/portal-user-names.ts'
import type { PortalSession, PortalUser } from './usecases/portal-user.ts'
import type { SecondFactors } from './usecases/second-factor.ts'
import { createPortalSessions, type PortalSessions } from './usecases/sessions.ts'
import { wireSignInSteps, type SignInParts } from './wire-sign-in.ts'

interface PortalSignInParts extends SignInParts {
  readonly config: Pick<GatewayConfig, 'mode' | 'portal' | 'portalUrl'>
}

export interface PortalSignIn {
  readonly sessions: PortalSessions
  readonly invitations: Invitations
  /** Chooses and checks passwords of users. */
  readonly credentials: NewPasswordDeps
  readonly secondFactor: SecondFactors
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
  /** Counts an answer of the portal's API: its HTTP status, and its time in seconds. */
  readonly onAnswer: (status: number, seconds: number) => void
  readonly guard: Omit<PortalGuardDeps<PortalSession>, 'sessions'>
  /** Enters what the audit log was spared, and forgets what counts no more. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

const NAMES: JournalNames<PortalUser> = {
  ...PORTAL_USER_NAMES,
  failed: 'portal_user.sign_in_failed',
  locked: 'portal_user.locked',
  unknown: 'portal:(unknown)',
  many: 'many portal users',
}

/** The sign-in of the portal. */
export function wirePortalSignIn(parts: PortalSignInParts): PortalSignIn {
  const { config, database } = parts
  const { signIn, credentials, secondFactor, guard, tidy, idle } = wireSignInSteps(parts, {
    names: NAMES,
    counted: 'portal_user',
    passwordAttempts: 'sign-in',
    codeAttempts: 'second factor',
    session: 'portal session',
    secondFactorBinding,
  })
  const { names, randomToken, digest } = signIn
  const store = createInvitationStore(database.pool)
  return {
    sessions: createPortalSessions({
      ...signIn,
      store: createPortalUsersStore(database.pool, config.portal),
      noAccess: NO_ACCESS,
      sandbox: config.mode === 'sandbox',
    }),
    invitations: createInvitations({ ...credentials, store, names, randomToken, digest }),
    credentials,
    secondFactor,
    randomToken,
    digest,
    onAnswer: parts.metrics.watchPages('portal'),
    guard: { ...guard, publicOrigin: config.portalUrl, cookie: PORTAL_COOKIE },
    tidy,
    idle,
  }
}
