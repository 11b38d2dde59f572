import type { Role } from '@tollgate/portal-contract/rights'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditOperation, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import {
  portalUserObject,
  type PortalUser,
  type RefundLimit,
} from '../../shell/usecases/portal-user.ts'
import { invitedAs } from '../domain/portal-user-changes.ts'
import {
  addressInUse,
  decideChange,
  decideInvitation,
  decideLastOwner,
  decidePortalUserActive,
  decideReset,
  decideTouching,
  heldState,
  type ActingOnUsers,
} from '../domain/portal-user-decisions.ts'
import type {
  UserChangeRequester,
  NewLink,
  NewPortalUser,
  PortalUsersAdmin,
  PortalUserSummary,
} from './portal-users.ts'

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
}

export interface PortalUsersRecords {
  readonly transact: Transact<PortalUsersTx>
  /** `merchantId` null for all. By merchant and name. */
  list(merchantId: bigint | null): Promise<readonly PortalUserSummary[]>
  findByEmail(email: string): Promise<bigint | null>
}

export interface PortalUsersDeps {
  readonly store: PortalUsersRecords
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}

/** Portal users, changed by owners, admins and operators under the lock of a merchant. */
export function createPortalUsersAdmin(deps: PortalUsersDeps): PortalUsersAdmin {
  const { store } = deps

  /** The requester as they are now. An operator may do what an owner without a limit may. */
  async function actingOf(
    tx: PortalUsersTx,
    { portalUser }: UserChangeRequester,
  ): Promise<ActingOnUsers> {
    if (portalUser === null) return { id: 0n, role: 'owner', refundLimit: null }
    const held = await tx.lockPortalUser(portalUser.id, portalUser.merchantId)
    const role = held?.active === true ? held.role : null
    return { id: portalUser.id, role, refundLimit: held?.refundLimit ?? null }
  }

  function onPortalUser<Done>(
    requester: UserChangeRequester,
    id: bigint,
    role: Role | null,
    work: (
      tx: PortalUsersTx,
      portalUser: LockedPortalUser,
      acting: ActingOnUsers,
    ) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      if (requester.portalUser === null) await tx.lockMerchantOf(id)
      else await tx.lockMerchant(requester.portalUser.merchantId)
      const acting = await actingOf(tx, requester)
      const portalUser = await tx.lockPortalUser(id, requester.portalUser?.merchantId ?? null)
      const refusal = decideTouching(acting, portalUser, role)
      if (refusal !== null) return refusal
      if (portalUser === null) return refused('missing', 'This portal user does not exist.')
      return work(tx, portalUser, acting)
    })
  }

  async function makeLink(
    tx: PortalUsersTx,
    { actor }: UserChangeRequester,
    portalUserId: bigint,
    kind: 'invitation' | 'reset',
  ): Promise<NewLink> {
    const token = deps.randomToken()
    await tx.endLinks(portalUserId)
    return { token, expiresAt: await tx.insertLink(portalUserId, kind, deps.digest(token), actor) }
  }

  return {
    list: (merchantId) => store.list(merchantId),
    findByEmail: (email) => store.findByEmail(email),

    invite: (requester, merchantId, wanted) =>
      store.transact(
        async (tx): Promise<Result<{ readonly id: bigint; readonly link: NewLink }>> => {
          if (!(await tx.lockMerchant(merchantId))) {
            return refused('missing', `Merchant ${merchantId} does not exist.`)
          }
          const refusal = decideInvitation(await actingOf(tx, requester), wanted)
          if (refusal !== null) return refusal
          const { role, refundLimit } = wanted
          const email =
            requester.portalUser === null ? wanted.email : invitedAs(wanted.email, merchantId)
          const id = await tx.insertPortalUser(merchantId, { ...wanted, email })
          if (id === null) return addressInUse(wanted.email)
          const link = await makeLink(tx, requester, id, 'invitation')
          const details = { role, refund_limit: limitText(refundLimit) }
          await tx.audit([
            entryFor(requester, { email, merchantId }, 'portal_user.invited', details),
          ])
          return { ok: true, id, link }
        },
      ),

    change: (requester, id, to) =>
      onPortalUser(requester, id, to.role ?? null, async (tx, portalUser, acting) => {
        const entries: AuditEntry[] = []
        const { role = portalUser.role } = to
        const { refundLimit = portalUser.refundLimit } = to
        const becomes = { role, refundLimit, active: portalUser.active }
        const refusal =
          decideChange(acting, portalUser, becomes) ??
          decideLastOwner(portalUser, becomes, await tx.countOtherOwners(portalUser))
        if (refusal !== null) return refusal
        if (role !== portalUser.role) {
          await tx.setRole(id, role)
          const details = { before: portalUser.role, after: role }
          entries.push(entryFor(requester, portalUser, 'portal_user.role_changed', details))
        }
        const before = limitText(portalUser.refundLimit)
        const after = limitText(refundLimit)
        if (after !== before) {
          await tx.setRefundLimit(id, refundLimit)
          entries.push(
            entryFor(requester, portalUser, 'portal_user.refund_limit_changed', { before, after }),
          )
        }
        if (entries.length > 0) await tx.audit(entries)
        return { ok: true }
      }),

    setActive: (requester, id, active) =>
      onPortalUser(requester, id, null, async (tx, portalUser) => {
        const refusal =
          decidePortalUserActive(portalUser, active) ??
          decideLastOwner(
            portalUser,
            { role: portalUser.role, active },
            await tx.countOtherOwners(portalUser),
          )
        if (refusal !== null) return refusal
        await tx.setActive(id, active)
        if (!active) {
          await tx.endSessions(id)
          await tx.endLinks(id)
        }
        const operation = active ? 'portal_user.enabled' : 'portal_user.disabled'
        await tx.audit([
          entryFor(requester, portalUser, operation, { before: heldState(portalUser) }),
        ])
        return { ok: true }
      }),

    reset: (requester, id) =>
      onPortalUser(
        requester,
        id,
        null,
        async (tx, portalUser, acting): Promise<Result<{ readonly link: NewLink }>> => {
          const refusal = decideReset(acting, portalUser)
          if (refusal !== null) return refusal
          const { passwordHash, role } = portalUser
          const isNew = passwordHash === null && !(await tx.hasPastPasswords(id))
          if (passwordHash !== null) await tx.retirePassword(id, passwordHash)
          await tx.forgetSecondFactor(id)
          await tx.endSessions(id)
          const link = await makeLink(tx, requester, id, isNew ? 'invitation' : 'reset')
          const entry = isNew
            ? entryFor(requester, portalUser, 'portal_user.invited', { role, again: true })
            : entryFor(requester, portalUser, 'portal_user.reset', {})
          await tx.audit([entry])
          return { ok: true, link }
        },
      ),
  }
}

function entryFor(
  { actor, address }: UserChangeRequester,
  portalUser: Pick<PortalUser, 'email' | 'merchantId'>,
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const { merchantId } = portalUser
  return {
    actor,
    operation,
    object: portalUserObject(portalUser),
    merchantId,
    address,
    result: 'done',
    details,
  }
}

/** In minor units, as the log keeps it. */
function limitText(limit: RefundLimit | null): string | null {
  return limit === null ? null : `${limit.minor} ${limit.currency}`
}
