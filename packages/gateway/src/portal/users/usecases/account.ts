import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { nameFault } from '../../shell/domain/portal-user-name.ts'
import { markDetails } from '../../shell/domain/reset-mark.ts'
import { hashNewPassword, type NewPasswordDeps } from '../../shell/usecases/new-password.ts'
import {
  portalUserActor,
  portalUserObject,
  type PortalUser,
  type PortalSession,
} from '../../shell/usecases/portal-user.ts'
import {
  proveSecondFactor,
  type NewSecondFactor,
  type RecoveryCodes,
  type SealedSecondFactor,
  type SecondFactors,
} from '../../shell/usecases/second-factor.ts'
import type { PortalSessions } from '../../shell/usecases/sessions.ts'

/** An open session as its portal user sees it. */
export interface OpenSession {
  readonly id: bigint
  readonly address: string
  readonly browser: string
  readonly startedAt: Date
  readonly lastSeenAt: Date
  /** Whether it is the one that asks. */
  readonly isThis: boolean
}

/** A user's view of their own account. */
export interface OwnAccountView {
  readonly passwordChangedAt: Date
  readonly secondFactorSetAt: Date | null
  readonly recoveryCodesLeft: number
  /** Whether every user needs a second factor, so that it can only be replaced. */
  readonly secondFactorRequired: boolean
  readonly sessions: readonly OpenSession[]
}

/** Each operation and its entry are one transaction. */
export interface AccountStore {
  read(session: PortalSession): Promise<Omit<OwnAccountView, 'secondFactorRequired'>>
  setName(portalUser: PortalUser, name: string, entry: AuditEntry): Promise<void>
  /** The last passwords, newest first, five at most; and the name of the user's merchant. */
  readForPassword(
    portalUserId: bigint,
  ): Promise<{ readonly last: readonly string[]; readonly merchant: string }>
  /** Ends the portal user's other sessions. False when the password was changed meanwhile. */
  replacePassword(
    session: PortalSession,
    before: string,
    hash: string,
    entry: AuditEntry,
  ): Promise<boolean>
  /** Ends the portal user's other sessions; this one has shown its second factor. */
  setSecondFactor(
    session: PortalSession,
    factor: SealedSecondFactor,
    recoveryDigests: readonly Buffer[],
    entries: readonly AuditEntry[],
  ): Promise<void>
  removeSecondFactor(session: PortalSession, entry: AuditEntry): Promise<void>
  replaceRecoveryCodes(
    portalUserId: bigint,
    digests: readonly Buffer[],
    entry: AuditEntry,
  ): Promise<void>
  /** How many were ended; `id` null for all except the session itself. */
  endSessions(session: PortalSession, id: bigint | null, entry: AuditEntry): Promise<number>
}

export interface AccountDeps extends NewPasswordDeps {
  readonly store: AccountStore
  readonly checkPassword: PortalSessions['checkPassword']
  readonly secondFactor: SecondFactors
  readonly makeRecoveryCodes: () => RecoveryCodes
  readonly secondFactorRequired: boolean
}

/** The origin of a user's operation on their own account. */
export interface OwnOperation {
  readonly session: PortalSession
  readonly address: string
}

/** A user's operations on their own account; sensitive ones ask for the password again. */
export interface Account {
  view(operation: OwnOperation): Promise<OwnAccountView>
  setName(operation: OwnOperation, name: string): Promise<Result>
  changePassword(operation: OwnOperation, present: Secret, wanted: Secret): Promise<Result>
  beginSecondFactor(operation: OwnOperation): Promise<NewSecondFactor>
  /** `password`: null where it was just given, on the way in. */
  setSecondFactor(
    operation: OwnOperation,
    given: { readonly sealed: string; readonly code: string; readonly password: Secret | null },
  ): Promise<Result<{ readonly recoveryCodes: readonly string[] }>>
  removeSecondFactor(operation: OwnOperation, password: Secret): Promise<Result>
  makeRecoveryCodes(
    operation: OwnOperation,
    password: Secret,
  ): Promise<Result<{ readonly recoveryCodes: readonly string[] }>>
  endSession(operation: OwnOperation, id: bigint): Promise<Result>
  endOtherSessions(operation: OwnOperation): Promise<Result<{ readonly ended: number }>>
}

/** Users' operations on their own accounts, each with its entry in the audit log. */
export function createAccount(deps: AccountDeps): Account {
  const { store } = deps

  function entry(
    { session: { portalUser }, address }: OwnOperation,
    operation: AuditEntry['operation'],
    details: AuditEntry['details'] = {},
  ): AuditEntry {
    return {
      actor: portalUserActor(portalUser),
      operation,
      object: portalUserObject(portalUser),
      merchantId: portalUser.merchantId,
      address,
      result: 'done',
      details,
    }
  }

  return {
    view: async ({ session }) => ({
      ...(await store.read(session)),
      secondFactorRequired: deps.secondFactorRequired,
    }),

    async setName(operation, name) {
      const { portalUser } = operation.session
      const fault = nameFault(name)
      if (fault !== null) return refused('invalid', fault, { field: 'name' })
      await store.setName(
        portalUser,
        name,
        entry(operation, 'portal_user.name_changed', { before: portalUser.name, after: name }),
      )
      return { ok: true }
    },

    async changePassword(operation, present, wanted) {
      const { session, address } = operation
      const checked = await deps.checkPassword(session.portalUser, present, address)
      if (!checked.ok) return checked
      const { last, merchant } = await store.readForPassword(session.portalUser.id)
      const owner = { ...session.portalUser, merchant }
      const hashed = await hashNewPassword(deps, wanted, owner, last, address)
      if (!hashed.ok) return hashed
      const replaced = await store.replacePassword(
        session,
        last[0] ?? '',
        hashed.hash,
        entry(operation, 'portal_user.password_changed', markDetails(session.cameIn)),
      )
      if (replaced) return { ok: true }
      return refused(
        'conflict',
        'Your password was changed in another session. Nothing was changed here.',
      )
    },

    beginSecondFactor: ({ session }) => deps.secondFactor.make(session.portalUser),

    async setSecondFactor(operation, { sealed, code, password }) {
      const { session, address } = operation
      // On the way in the password was given a moment ago, and nothing else is let through.
      if (session.next !== 'second_factor') {
        const checked = await checkPasswordSent(operation, password)
        if (!checked.ok) return checked
      }
      const proved = await proveSecondFactor(deps, session.portalUser.id, { sealed, code })
      if (!proved.ok) return proved
      const { factor, codes, digests } = proved
      const set = entry(operation, 'portal_user.second_factor_set')
      const signedIn = entry({ session, address }, 'portal_user.signed_in', {
        factors: ['password', 'code'],
      })
      await store.setSecondFactor(
        session,
        factor,
        digests,
        session.next === null ? [set] : [set, signedIn],
      )
      return { ok: true, recoveryCodes: codes }
    },

    async removeSecondFactor(operation, password) {
      if (deps.secondFactorRequired) {
        return refused(
          'conflict',
          'This portal requires a second factor. You can replace it but not turn it off.',
        )
      }
      const checked = await deps.checkPassword(
        operation.session.portalUser,
        password,
        operation.address,
      )
      if (!checked.ok) return checked
      await store.removeSecondFactor(
        operation.session,
        entry(operation, 'portal_user.second_factor_removed'),
      )
      return { ok: true }
    },

    async makeRecoveryCodes(operation, password) {
      const { portalUser } = operation.session
      const checked = await deps.checkPassword(portalUser, password, operation.address)
      if (!checked.ok) return checked
      const { codes, digests } = deps.makeRecoveryCodes()
      await store.replaceRecoveryCodes(
        portalUser.id,
        digests,
        entry(operation, 'portal_user.recovery_codes_made'),
      )
      return { ok: true, recoveryCodes: codes }
    },

    async endSession(operation, id) {
      const ended = await store.endSessions(
        operation.session,
        id,
        entry(operation, 'portal_user.session_ended', { session: id.toString() }),
      )
      return ended > 0 ? { ok: true } : refused('missing', 'This session does not exist.')
    },

    async endOtherSessions(operation) {
      const ended = await store.endSessions(
        operation.session,
        null,
        entry(operation, 'portal_user.session_ended', { session: 'all others' }),
      )
      return { ok: true, ended }
    },
  }

  async function checkPasswordSent(
    { session, address }: OwnOperation,
    password: Secret | null,
  ): Promise<Result> {
    if (password === null) return refused('invalid', 'Enter your password.', { field: 'password' })
    return deps.checkPassword(session.portalUser, password, address)
  }
}
