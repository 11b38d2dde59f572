import type { Role } from '../rights.ts'
import type { RefundLimit } from './shell.ts'

/** A portal user's own account. */
export interface Account {
  readonly passwordChangedAt: string
  readonly secondFactorSetAt: string | null
  readonly recoveryCodesLeft: number
  /** Whether the merchant requires a second factor, so that it can only be replaced. */
  readonly secondFactorRequired: boolean
  readonly sessions: readonly OpenSession[]
}

/** An open session as its portal user sees it. */
export interface OpenSession {
  readonly id: string
  readonly address: string
  readonly browser: string
  readonly startedAt: string
  readonly lastSeenAt: string
  /** Whether it is the session of the request. */
  readonly isThis: boolean
}

export interface AuditEntries {
  /** Newest first. */
  readonly entries: readonly AuditEntry[]
  /** The value of `before` for the next older page; null at the end. */
  readonly next: string | null
}

export interface AuditEntry {
  /** In the chain of the whole gateway: a merchant's own have gaps between them. */
  readonly number: string
  readonly at: string
  readonly actor: string
  readonly operation: string
  readonly object: string
  readonly address: string
  readonly result: 'done' | 'refused' | 'failed'
  readonly details: Readonly<Record<string, unknown>>
}

/** The result of a check of the whole log's chain. */
export interface ChainCheck {
  readonly whole: boolean
  /** The first violation; null: none. */
  readonly fault: string | null
  /** Entries of the whole gateway. */
  readonly checked: number
  /** Number and hash of the last entry that was right, to be noted elsewhere. */
  readonly head: string | null
}

/** The contents of the page behind a link before any input. */
export interface Invitation {
  readonly kind: 'invitation' | 'reset'
  readonly email: string
  readonly name: string
  readonly merchant: string
  readonly expiresAt: string
}

/** A link that is shown only once: there is no mail server to send it. */
export interface Link {
  readonly address: string
  readonly expiresAt: string
}

/** A second factor as it is shown once, while it is set up. */
export interface NewSecondFactor {
  readonly secret: string
  readonly uri: string
  readonly sealed: string
}

export interface PortalUserList {
  readonly portalUsers: readonly PortalUserSummary[]
}

/** A portal user as others see them. */
export interface PortalUserSummary {
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly refundLimit: RefundLimit | null
  /** `invited`: has not set a password yet. `idle`: refused because of days without a sign-in. */
  readonly state: 'active' | 'invited' | 'idle' | 'disabled'
  readonly hasSecondFactor: boolean
  readonly lastSeenAt: string | null
  /** The expiry of an unused link; null: none. */
  readonly linkUntil: string | null
}

export interface Roles {
  readonly roles: readonly {
    readonly role: Role
    readonly title: string
    readonly rights: readonly string[]
  }[]
  readonly rights: readonly { readonly right: string; readonly text: string }[]
}

/** Whether a second user approves changes of users with equal rank, and what waits for one. */
export interface UserApprovals {
  readonly required: boolean
  /** Those that are open, and the last others; the newest first. */
  readonly requests: readonly UserRequest[]
}

/** A change of a user that a second user approves. */
export interface UserRequest {
  readonly id: string
  readonly does: 'change' | 'enable' | 'disable' | 'reset' | 'switch_off'
  /** Null for `switch_off`. */
  readonly portalUser: NamedUser | null
  /** The wanted role and limit of a change. */
  readonly role: Role | null
  readonly refundLimit: RefundLimit | null
  readonly state: 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'
  readonly requestedBy: NamedUser
  readonly requestedAt: string
  readonly expiresAt: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
}

export interface NamedUser {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** A read-only visit of an operator of the gateway to the portal of a merchant. */
export interface SupportVisit {
  readonly id: string
  readonly operator: { readonly name: string; readonly email: string }
  readonly reason: string
  readonly begunAt: string
  readonly expiresAt: string
  /** Null for one that is open. */
  readonly endedAt: string | null
  /** As the audit log names them; empty where the time or the session was over. */
  readonly endedBy: string
}
