import type { Role } from '@tollgate/portal-contract/rights'
import type { Result } from '../../../base/refusal.ts'
import type { PortalUser, RefundLimit } from '../../shell/usecases/portal-user.ts'
import type { PeerOperation, PeerRequestState } from '../domain/peer-approval.ts'

/** A portal user as others see them. */
export interface PortalUserSummary {
  readonly id: bigint
  readonly merchantId: bigint
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly refundLimit: RefundLimit | null
  /** `invited`: has not set a password yet. `idle`: refused because of days without a sign-in. */
  readonly state: 'active' | 'invited' | 'idle' | 'disabled'
  readonly hasSecondFactor: boolean
  readonly lastSeenAt: Date | null
  /** Until when a link works that was not taken up yet; null where there is none. */
  readonly linkUntil: Date | null
}

/** The actor of a change of users: a portal user, or an operator. */
export interface UserChangeRequester {
  /** As the audit log names them. */
  readonly actor: string
  readonly address: string
  /** Null for an operator, whose choice of merchants and roles is free. */
  readonly portalUser: {
    readonly id: bigint
    readonly merchantId: bigint
    readonly role: Role
    readonly sessionId: bigint
  } | null
}

/** A link for one sign-in; shown to its creator, and kept nowhere. */
export interface NewLink {
  readonly token: string
  readonly expiresAt: Date
}

export interface NewPortalUser {
  /** The sign-in name has the merchant's ending as well if another portal user invites. */
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly refundLimit: RefundLimit | null
}

/** `done` is false for a change that became a request to a second user. */
export interface Changed {
  readonly done: boolean
}

/**
 * Operations of owners, admins and operators on users. Each operation and its entry are one
 * transaction, and those of one merchant come one after the other.
 */
export interface PortalUsersAdmin {
  /** `merchantId` null for all. By merchant and name. */
  list(merchantId: bigint | null): Promise<readonly PortalUserSummary[]>
  invite(
    requester: UserChangeRequester,
    merchantId: bigint,
    portalUser: NewPortalUser,
  ): Promise<Result<{ readonly id: bigint; readonly link: NewLink }>>
  /**
   * Invites the owner of a merchant that has no portal user and no live site. Later users are
   * invited by owners, or by the command.
   */
  inviteFirst(
    requester: UserChangeRequester,
    merchantId: bigint,
    portalUser: Pick<NewPortalUser, 'email' | 'name'>,
  ): Promise<Result<{ readonly link: NewLink }>>
  /** Omitted fields stay as they are. */
  change(
    requester: UserChangeRequester,
    id: bigint,
    to: { readonly role?: Role; readonly refundLimit?: RefundLimit | null },
  ): Promise<Result<Changed>>
  setActive(requester: UserChangeRequester, id: bigint, active: boolean): Promise<Result<Changed>>
  /**
   * Removes password, second factor and sessions, and makes a link to set them again. The link is
   * null where the reset became a request.
   */
  reset(
    requester: UserChangeRequester,
    id: bigint,
  ): Promise<Result<{ readonly link: NewLink | null }>>
  findByEmail(email: string): Promise<bigint | null>
}

type NamedUser = Pick<PortalUser, 'id' | 'name' | 'email'>

/** A request as users see it. */
export interface PeerRequestView {
  readonly id: bigint
  readonly operation: PeerOperation
  /** Null for the request that switches the approvals off. */
  readonly portalUser: NamedUser | null
  readonly state: PeerRequestState
  readonly requestedBy: NamedUser
  readonly requestedAt: Date
  readonly expiresAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
}
