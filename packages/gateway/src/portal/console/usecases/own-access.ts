import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { hashNewPassword, type NewPasswordDeps } from '../../shell/usecases/new-password.ts'
import {
  proveSecondFactor,
  type NewSecondFactor,
  type RecoveryCodes,
  type SealedSecondFactor,
  type SecondFactors,
} from '../../shell/usecases/second-factor.ts'
import { OPERATOR_NAMES, type ConsoleSession } from './console-operator.ts'
import type { ConsoleSessions } from './console-sessions.ts'

/** The place that the names of a password must not be made of. */
export const CONSOLE_NAME = 'the operator console'

/** Each operation and its entry are one transaction; the other sessions of the operator end. */
export interface OwnAccessStore {
  /** The last passwords, newest first, five at most. */
  readLastPasswords(operatorId: bigint): Promise<readonly string[]>
  /** False when the password was changed meanwhile. */
  replacePassword(
    session: ConsoleSession,
    before: string,
    hash: string,
    entry: AuditEntry,
  ): Promise<boolean>
  setSecondFactor(
    session: ConsoleSession,
    factor: SealedSecondFactor,
    recoveryDigests: readonly Buffer[],
    entries: readonly AuditEntry[],
  ): Promise<void>
}

export interface OwnAccessDeps extends NewPasswordDeps {
  readonly store: OwnAccessStore
  readonly checkPassword: ConsoleSessions['checkPassword']
  readonly secondFactor: SecondFactors
  readonly makeRecoveryCodes: () => RecoveryCodes
}

interface OwnOperation {
  readonly session: ConsoleSession
  readonly address: string
}

/** An operator's operations on their own access; outside of the sign-in with the password again. */
export interface OwnAccess {
  changePassword(operation: OwnOperation, present: Secret, wanted: Secret): Promise<Result>
  beginSecondFactor(operation: OwnOperation): Promise<NewSecondFactor>
  /** `password`: null during the sign-in, where it was just given. */
  setSecondFactor(
    operation: OwnOperation,
    given: { readonly sealed: string; readonly code: string; readonly password: Secret | null },
  ): Promise<Result<{ readonly recoveryCodes: readonly string[] }>>
}

export function createOwnAccess(deps: OwnAccessDeps): OwnAccess {
  const { store } = deps
  return {
    async changePassword({ session, address }, present, wanted) {
      const { operator } = session
      const checked = await deps.checkPassword(operator, present, address)
      if (!checked.ok) return checked
      const last = await store.readLastPasswords(operator.id)
      const owner = { ...operator, merchant: CONSOLE_NAME }
      const hashed = await hashNewPassword(deps, wanted, owner, last, address)
      if (!hashed.ok) return hashed
      const entry = OPERATOR_NAMES.entry(operator, 'password_changed', address, {})
      if (await store.replacePassword(session, last[0] ?? '', hashed.hash, entry)) {
        return { ok: true }
      }
      return refused(
        'conflict',
        'Your password was changed in another session. Nothing was changed here.',
      )
    },

    beginSecondFactor: ({ session }) => deps.secondFactor.make(session.operator),

    async setSecondFactor({ session, address }, { sealed, code, password }) {
      const { operator, next } = session
      if (next !== 'second_factor') {
        if (password === null) {
          return refused('invalid', 'Enter your password.', { field: 'password' })
        }
        const checked = await deps.checkPassword(operator, password, address)
        if (!checked.ok) return checked
      }
      const proved = await proveSecondFactor(deps, operator.id, { sealed, code })
      if (!proved.ok) return proved
      const set = OPERATOR_NAMES.entry(operator, 'second_factor_set', address, {})
      const factors = ['password', 'code']
      const signedIn = OPERATOR_NAMES.entry(operator, 'signed_in', address, { factors })
      const entries = next === null ? [set] : [set, signedIn]
      await store.setSecondFactor(session, proved.factor, proved.digests, entries)
      return { ok: true, recoveryCodes: proved.codes }
    },
  }
}
