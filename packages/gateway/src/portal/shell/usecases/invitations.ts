import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { nameFault } from '../domain/portal-user-name.ts'
import { hashNewPassword, type NewPasswordDeps } from './new-password.ts'
import type { Whence } from './portal-user.ts'
import type { AuditNames, NewSession, SignInUser } from './sign-in-ports.ts'

/** A link that was not taken up yet. */
export interface OpenInvitation<User extends SignInUser> {
  readonly kind: 'invitation' | 'reset'
  readonly user: User
  /** The name of the merchant, or of another place that the link leads to. */
  readonly merchant: string
  readonly expiresAt: Date
  /** Newest first. */
  readonly lastPasswords: readonly string[]
}

export interface InvitationStore<User extends SignInUser> {
  find(tokenDigest: Buffer): Promise<OpenInvitation<User> | null>
  /**
   * Sets name and password, ends the link and begins a session; false when it was taken meanwhile.
   */
  take(
    tokenDigest: Buffer,
    taken: { readonly name: string; readonly passwordHash: string },
    session: NewSession,
    entry: AuditEntry,
  ): Promise<boolean>
}

/** The data of the page behind a link, before any input. */
export interface InvitationView {
  readonly kind: 'invitation' | 'reset'
  readonly email: string
  readonly name: string
  readonly merchant: string
  readonly expiresAt: Date
}

export interface Invitations {
  look(token: string): Promise<Result<{ readonly invitation: InvitationView }>>
  /** Gives the value of the cookie of a new session. */
  take(
    token: string,
    given: { readonly name: string; readonly password: Secret },
    from: Whence,
  ): Promise<Result<{ readonly token: string }>>
}

const GONE = refused(
  'missing',
  'This link is not valid. It was used, replaced, or is older than 24 hours. Ask for a new one.',
)

/**
 * Links of invitations and resets. One that was used, replaced or is too old is answered like one
 * that never was.
 */
export function createInvitations<User extends SignInUser>(
  deps: NewPasswordDeps & {
    readonly store: InvitationStore<User>
    readonly names: AuditNames<User>
    readonly randomToken: () => string
    readonly digest: (token: string) => Buffer
  },
): Invitations {
  const { store } = deps
  return {
    async look(token) {
      const found = await store.find(deps.digest(token))
      if (found === null) return GONE
      const { kind, merchant, expiresAt, user } = found
      return {
        ok: true,
        invitation: { kind, email: user.email, name: user.name, merchant, expiresAt },
      }
    },

    async take(token, { name, password }, from) {
      const fault = nameFault(name)
      if (fault !== null) return refused('invalid', fault, { field: 'name' })
      const tokenDigest = deps.digest(token)
      const found = await store.find(tokenDigest)
      if (found === null) return GONE
      const { user, kind } = found
      const hashed = await hashNewPassword(
        deps,
        password,
        { email: user.email, name, merchant: found.merchant },
        found.lastPasswords,
        from.address,
      )
      if (!hashed.ok) return hashed
      const cookie = deps.randomToken()
      const taken = await store.take(
        tokenDigest,
        { name, passwordHash: hashed.hash },
        {
          userId: user.id,
          tokenDigest: deps.digest(cookie),
          csrfToken: deps.randomToken(),
          ...from,
        },
        deps.names.entry(user, 'invitation_taken', from.address, { kind }),
      )
      return taken ? { ok: true, token: cookie } : GONE
    },
  }
}
