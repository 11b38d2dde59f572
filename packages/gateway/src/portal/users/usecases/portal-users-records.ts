import type { Role } from '@tollgate/portal-contract/rights'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { PortalUser, RefundLimit } from '../../shell/usecases/portal-user.ts'
import type {
  Decider,
  PeerOperation,
  PeerRequest,
  PeerRequestState,
} from '../domain/peer-approval.ts'
import type { NewPortalUser, PeerRequestView, PortalUserSummary } from './portal-users.ts'

/** A portal user who is held until the commit. */
export interface LockedPortalUser extends PortalUser {
  readonly active: boolean
  readonly idle: boolean
  readonly passwordHash: string | null
}

/** Locks, reads and writes of a change of users, in one transaction. */
export interface PortalUsersTx extends AuditedTx {
  /** Holds the merchant, so that those who change its portal users come one after the other. */
  lockMerchant(merchantId: bigint): Promise<boolean>
  /** How many portal users and live sites the merchant has. */
  countUsersAndLiveSites(
    merchantId: bigint,
  ): Promise<{ readonly users: number; readonly liveSites: number }>
  /** Holds the portal user's merchant. */
  lockMerchantOf(portalUserId: bigint): Promise<void>
  /** Null if there is no such user, or one of another merchant than `merchantId`; null is any. */
  lockPortalUser(id: bigint, merchantId: bigint | null): Promise<LockedPortalUser | null>
  /** Owners of the merchant who are active, but for this portal user. */
  countOtherOwners(portalUser: LockedPortalUser): Promise<number>
  /** Null where the sign-in name is in use, or the merchant has a user of the same address. */
  insertPortalUser(merchantId: bigint, portalUser: NewPortalUser): Promise<bigint | null>
  setRole(id: bigint, role: Role): Promise<void>
  setRefundLimit(id: bigint, limit: RefundLimit | null): Promise<void>
  setActive(id: bigint, active: boolean): Promise<void>
  hasPastPasswords(id: bigint): Promise<boolean>
  /** Keeps the hash among those that may not be used again, and takes it from the portal user. */
  retirePassword(id: bigint, hash: string): Promise<void>
  forgetSecondFactor(id: bigint): Promise<void>
  endSessions(id: bigint): Promise<void>
  endLinks(id: bigint): Promise<void>
  insertLink(
    portalUserId: bigint,
    kind: 'invitation' | 'reset',
    digest: Buffer,
    madeBy: string,
  ): Promise<Date>
  /** Whether a second user approves changes of users with equal rank. Read after the lock. */
  readPeerApproval(merchantId: bigint): Promise<boolean>
  setPeerApproval(merchantId: bigint, isRequired: boolean): Promise<void>
  /** Ends what is open and older than 24 hours. */
  expireRequests(merchantId: bigint): Promise<void>
  /** Null where the user, or the setting, has an open request. */
  insertRequest(request: NewPeerRequest): Promise<bigint | null>
  /** Holds the request; null for none of the merchant. */
  lockRequest(merchantId: bigint, id: bigint): Promise<PeerRequest | null>
  endRequest(
    id: bigint,
    state: PeerRequestState,
    by: Pick<Decider, 'id' | 'sessionId'> | null,
  ): Promise<void>
  /** Whether another portal user made a link for this one within the last 24 hours. */
  hasFreshLink(portalUserId: bigint): Promise<boolean>
}

/** A request as it is written down. */
export interface NewPeerRequest {
  readonly merchantId: bigint
  readonly portalUserId: bigint | null
  readonly operation: PeerOperation
  readonly seen: string
  readonly requestedBy: bigint
  readonly requesterSession: bigint
}

export interface PortalUsersRecords {
  readonly transact: Transact<PortalUsersTx>
  /** `merchantId` null for all. By merchant and name. */
  list(merchantId: bigint | null): Promise<readonly PortalUserSummary[]>
  findByEmail(email: string): Promise<bigint | null>
  readPeerApproval(merchantId: bigint): Promise<boolean>
  /** Of the merchant: those that are open, and the last others, the newest first. */
  listRequests(merchantId: bigint): Promise<readonly PeerRequestView[]>
}
