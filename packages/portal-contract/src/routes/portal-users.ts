import type {
  Account,
  AuditEntries,
  ChainCheck,
  Link,
  NewSecondFactor,
  PortalUserList,
  Roles,
  SupportVisit,
  UserApprovals,
} from '../answers/portal-users.ts'
import type { RefundLimit } from '../answers/shell.ts'
import type { Role } from '../rights.ts'
import { get, post, put, remove, type Done, type FileAnswer } from '../route.ts'

interface NewPortalUser {
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Null: none. */
  readonly refundLimit: RefundLimit | null
}

/**
 * Portal users of the merchant, and the rights of each role. `done` is false where a
 * second user has to approve the change.
 */
export const portalUsers = {
  list: get('/users', 'portal_users.see').answers<PortalUserList>(),
  roles: get('/roles', null).answers<Roles>(),
  invite: post('/users', 'portal_users.change').answers<
    { readonly id: string; readonly link: Link },
    { body: NewPortalUser }
  >(),
  change: put('/users/:id', 'portal_users.change').answers<
    Done,
    { body: { readonly role?: Role; readonly refundLimit?: RefundLimit | null } }
  >(),
  enable: post('/users/:id/enable', 'portal_users.change').answers<Done>(),
  disable: post('/users/:id/disable', 'portal_users.change').answers<Done>(),
  /** Null: a second user has to approve the reset. */
  reset: post('/users/:id/reset', 'portal_users.change').answers<{ readonly link: Link | null }>(),
}

/** Approvals of a second user for changes of users with equal rank. */
export const userApprovals = {
  read: get('/user-approvals', 'portal_users.see').answers<UserApprovals>(),
  /** Done when switched on; a request when switched off. */
  set: put('/user-approvals', 'portal_users.change').answers<
    Done,
    { body: { readonly required: boolean } }
  >(),
  approve: post('/user-requests/:id/approve', 'portal_users.change').answers<{
    readonly link: Link | null
  }>(),
  refuse: post('/user-requests/:id/refuse', 'portal_users.change').answers<object>(),
  withdraw: post('/user-requests/:id/withdraw', 'portal_users.change').answers<object>(),
}

interface PasswordBody {
  readonly password: string
}

/** A portal user's own account. */
export const account = {
  read: get('/account', null).answers<Account>(),
  setName: put('/account/name', null).answers<object, { body: { readonly name: string } }>(),
  changePassword: put('/account/password', null, 'password').answers<
    object,
    { body: { readonly password: string; readonly newPassword: string } }
  >(),
  beginSecondFactor: post(
    '/account/second-factor/begin',
    null,
    'second_factor',
  ).answers<NewSecondFactor>(),
  setSecondFactor: post('/account/second-factor', null, 'second_factor').answers<
    { readonly recoveryCodes: readonly string[] },
    {
      body: {
        readonly sealed: string
        readonly code: string
        /** Null during the sign-in, where the password was sent just before. */
        readonly password: string | null
      }
    }
  >(),
  removeSecondFactor: post('/account/second-factor/remove', null).answers<
    object,
    { body: PasswordBody }
  >(),
  makeRecoveryCodes: post('/account/recovery-codes', null).answers<
    { readonly recoveryCodes: readonly string[] },
    { body: PasswordBody }
  >(),
  endSession: remove('/account/sessions/:id', null).answers<object>(),
  endOtherSessions: post('/account/sessions/end-others', null).answers<object>(),
}

interface AuditQuery {
  readonly actor?: string
  readonly operation?: string
  readonly object?: string
  /** `done`, `refused` or `failed`. */
  readonly result?: string
  /** Times in ISO 8601. */
  readonly since?: string
  readonly until?: string
}

/** A merchant's part of the audit log. */
export const audit = {
  page: get('/audit', 'audit.see').answers<
    AuditEntries,
    { query: AuditQuery & { readonly before?: string } }
  >(),
  /** The log's kinds of operations, in words. */
  operations: get('/audit/operations', 'audit.see').answers<Readonly<Record<string, string>>>(),
  file: get('/audit/export', 'audit.see').answers<
    FileAnswer,
    { query: AuditQuery & { readonly format: 'csv' | 'json' } }
  >(),
  check: post('/audit/check', 'audit.see').answers<ChainCheck>(),
}

/** Visits of operators to the portal of the merchant: every user sees them. */
export const supportVisits = {
  /** Newest first, at most 50. */
  list: get('/support-visits', null).answers<readonly SupportVisit[]>(),
  end: post('/support-visits/:id/end', 'support.end').answers<Done>(),
}
