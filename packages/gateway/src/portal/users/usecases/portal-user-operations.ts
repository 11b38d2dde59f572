import type { Role } from '@tollgate/portal-contract/rights'
import type { Refusal } from '../../../base/refusal.ts'
import type { AuditEntry, AuditOperation } from '../../../usecases/audit/audit-log.ts'
import {
  portalUserObject,
  type PortalUser,
  type RefundLimit,
} from '../../shell/usecases/portal-user.ts'
import type { UserOperation } from '../domain/peer-approval.ts'
import {
  decideChange,
  decideLastOwner,
  decidePortalUserActive,
  decideReset,
  decideTouching,
  heldState,
  type ActingOnUsers,
} from '../domain/portal-user-decisions.ts'
import type { LockedPortalUser, PortalUsersTx } from './portal-users-records.ts'
import type { NewLink, UserChangeRequester } from './portal-users.ts'

export interface LinkDeps {
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}

/** The requester as they are now. An operator may do what an owner without a limit may. */
export async function actingOf(
  tx: PortalUsersTx,
  { portalUser }: Pick<UserChangeRequester, 'portalUser'>,
): Promise<ActingOnUsers> {
  if (portalUser === null) return { id: 0n, role: 'owner', refundLimit: null }
  const held = await tx.lockPortalUser(portalUser.id, portalUser.merchantId)
  const role = held?.active === true ? held.role : null
  return { id: portalUser.id, role, refundLimit: held?.refundLimit ?? null }
}

/** Why this user may not do the operation to that one; null where they may. */
export async function decideOperation(
  tx: PortalUsersTx,
  acting: ActingOnUsers,
  portalUser: LockedPortalUser,
  operation: UserOperation,
): Promise<Refusal | null> {
  const role = operation.does === 'change' ? operation.role : null
  const touching = decideTouching(acting, portalUser, role)
  if (touching !== null) return touching
  const { does } = operation
  if (does === 'reset') return decideReset(acting, portalUser)
  const becomes =
    does === 'change'
      ? { role: operation.role, active: portalUser.active }
      : { role: portalUser.role, active: does === 'enable' }
  const refusal =
    does === 'change'
      ? decideChange(acting, portalUser, operation)
      : decidePortalUserActive(portalUser, becomes.active)
  return refusal ?? decideLastOwner(portalUser, becomes, await tx.countOtherOwners(portalUser))
}

/** Does what was decided, with its entries. A reset gives a link, and others give none. */
export async function performOperation(
  tx: PortalUsersTx,
  deps: LinkDeps,
  requester: UserChangeRequester,
  portalUser: LockedPortalUser,
  operation: UserOperation,
  further: readonly AuditEntry[],
): Promise<NewLink | null> {
  if (operation.does === 'reset') return reset(tx, deps, requester, portalUser, further)
  const entries =
    operation.does === 'change'
      ? await change(tx, requester, portalUser, operation)
      : [await setActive(tx, requester, portalUser, operation.does === 'enable')]
  if (entries.length + further.length > 0) await tx.audit([...further, ...entries])
  return null
}

async function change(
  tx: PortalUsersTx,
  requester: UserChangeRequester,
  portalUser: LockedPortalUser,
  to: { readonly role: Role; readonly refundLimit: RefundLimit | null },
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = []
  if (to.role !== portalUser.role) {
    await tx.setRole(portalUser.id, to.role)
    const details = { before: portalUser.role, after: to.role }
    entries.push(entryFor(requester, portalUser, 'portal_user.role_changed', details))
  }
  const [before, after] = [limitText(portalUser.refundLimit), limitText(to.refundLimit)]
  if (after !== before) {
    await tx.setRefundLimit(portalUser.id, to.refundLimit)
    const details = { before, after }
    entries.push(entryFor(requester, portalUser, 'portal_user.refund_limit_changed', details))
  }
  return entries
}

async function setActive(
  tx: PortalUsersTx,
  requester: UserChangeRequester,
  portalUser: LockedPortalUser,
  active: boolean,
): Promise<AuditEntry> {
  await tx.setActive(portalUser.id, active)
  if (!active) {
    await tx.endSessions(portalUser.id)
    await tx.endLinks(portalUser.id)
  }
  const operation = active ? 'portal_user.enabled' : 'portal_user.disabled'
  return entryFor(requester, portalUser, operation, { before: heldState(portalUser) })
}

async function reset(
  tx: PortalUsersTx,
  deps: LinkDeps,
  requester: UserChangeRequester,
  portalUser: LockedPortalUser,
  further: readonly AuditEntry[],
): Promise<NewLink> {
  const { id, passwordHash, role } = portalUser
  const isNew = passwordHash === null && !(await tx.hasPastPasswords(id))
  if (passwordHash !== null) await tx.retirePassword(id, passwordHash)
  await tx.forgetSecondFactor(id)
  await tx.endSessions(id)
  const link = await makeLink(tx, deps, requester, id, isNew ? 'invitation' : 'reset')
  const entry = isNew
    ? entryFor(requester, portalUser, 'portal_user.invited', { role, again: true })
    : entryFor(requester, portalUser, 'portal_user.reset', {})
  await tx.audit([...further, entry])
  return link
}

/** Ends the links of the user, and makes one. */
export async function makeLink(
  tx: PortalUsersTx,
  deps: LinkDeps,
  { actor }: UserChangeRequester,
  portalUserId: bigint,
  kind: 'invitation' | 'reset',
): Promise<NewLink> {
  const token = deps.randomToken()
  await tx.endLinks(portalUserId)
  return { token, expiresAt: await tx.insertLink(portalUserId, kind, deps.digest(token), actor) }
}

/** An entry about a portal user. */
export function entryFor(
  { actor, address }: UserChangeRequester,
  portalUser: Pick<PortalUser, 'email' | 'merchantId'>,
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const { merchantId } = portalUser
  const object = portalUserObject(portalUser)
  return { actor, operation, object, merchantId, address, result: 'done', details }
}

/** In minor units, as the log keeps it. */
export function limitText(limit: RefundLimit | null): string | null {
  return limit === null ? null : `${limit.minor} ${limit.currency}`
}
