import type { PortalUserSummary } from '@tollgate/portal-contract/answers/portal-users'
import type { Result } from '../../../base/refusal.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { NewLink } from './new-link.ts'

/** A portal user who could get a new link, held with their merchant until the commit. */
export interface ResettableUser {
  readonly merchantId: bigint
  readonly email: string
  readonly name: string
  /** Role and state, on which a request rests. */
  readonly seen: string
}

/** Portal users in the transaction of an operator, by the rules of the command. */
export interface PortalUserLinks {
  /** A refusal where there is no such user, or where they cannot get a link. */
  lockForReset(id: bigint): Promise<Result<{ readonly portalUser: ResettableUser }>>
  /** Removes password, second factor and sessions, and makes a link to set them again. */
  reset(id: bigint, by: AuditAuthor): Promise<Result<{ readonly link: NewLink }>>
}

/** Invites the owner of a merchant without portal users, for an operator at the console. */
export type InviteFirst = (
  by: AuditAuthor,
  merchantId: bigint,
  owner: { readonly email: string; readonly name: string },
) => Promise<Result<{ readonly link: NewLink }>>

/** A portal user as operators see them. */
export type ListedPortalUser = Pick<
  PortalUserSummary,
  'email' | 'name' | 'role' | 'state' | 'hasSecondFactor'
> & {
  readonly id: bigint
  readonly lastSeenAt: Date | null
  /** Until when a link works that was not taken up yet; null where there is none. */
  readonly linkUntil: Date | null
}
