import { refused, type Refusal, type Result } from '../../../base/refusal.ts'
import { decidePeerInvitation, isOnPeer, type UserOperation } from '../domain/peer-approval.ts'
import { invitedAs } from '../domain/portal-user-changes.ts'
import {
  addressInUse,
  decideFirstInvitation,
  decideInvitation,
} from '../domain/portal-user-decisions.ts'
import { requestOperation } from './peer-requests.ts'
import {
  actingOf,
  decideOperation,
  entryFor,
  limitText,
  makeLink,
  performOperation,
  type LinkDeps,
} from './portal-user-operations.ts'
import type { LockedPortalUser, PortalUsersRecords, PortalUsersTx } from './portal-users-records.ts'
import type {
  NewLink,
  NewPortalUser,
  PortalUsersAdmin,
  UserChangeRequester,
} from './portal-users.ts'

export interface PortalUsersDeps extends LinkDeps {
  readonly store: PortalUsersRecords
}

/** Portal users, changed by owners, admins and operators under the lock of a merchant. */
export function createPortalUsersAdmin(deps: PortalUsersDeps): PortalUsersAdmin {
  const { store } = deps

  /** Does it at once, or requests it where a second user approves. */
  function onPortalUser(
    requester: UserChangeRequester,
    id: bigint,
    operationOn: (portalUser: LockedPortalUser) => UserOperation,
  ): Promise<Result<{ readonly done: boolean; readonly link: NewLink | null }>> {
    return store.transact(async (tx) => {
      const { portalUser: by } = requester
      if (by === null) await tx.lockMerchantOf(id)
      else await tx.lockMerchant(by.merchantId)
      const acting = await actingOf(tx, requester)
      const portalUser = await tx.lockPortalUser(id, by?.merchantId ?? null)
      if (portalUser === null) return refused('missing', 'This portal user does not exist.')
      const operation = operationOn(portalUser)
      const refusal = await decideOperation(tx, acting, portalUser, operation)
      if (refusal !== null) return refusal
      if (
        by !== null &&
        isOnPeer(acting.role, portalUser.role, operation) &&
        (await tx.readPeerApproval(by.merchantId))
      ) {
        const requested = await requestOperation(tx, requester, by, portalUser, operation)
        return requested.ok ? { ok: true, done: false, link: null } : requested
      }
      const link = await performOperation(tx, deps, requester, portalUser, operation, [])
      return { ok: true, done: true, link }
    })
  }

  async function invite(
    tx: PortalUsersTx,
    requester: UserChangeRequester,
    merchantId: bigint,
    wanted: NewPortalUser,
  ): Promise<Result<{ readonly id: bigint; readonly link: NewLink }>> {
    if (!(await tx.lockMerchant(merchantId))) return noSuchMerchant(merchantId)
    const acting = await actingOf(tx, requester)
    const { role, refundLimit } = wanted
    const isRequired = requester.portalUser !== null && (await tx.readPeerApproval(merchantId))
    const refusal =
      decideInvitation(acting, wanted) ?? decidePeerInvitation(acting.role, role, isRequired)
    if (refusal !== null) return refusal
    const email = requester.portalUser === null ? wanted.email : invitedAs(wanted.email, merchantId)
    const id = await tx.insertPortalUser(merchantId, { ...wanted, email })
    if (id === null) return addressInUse(wanted.email)
    const link = await makeLink(tx, deps, requester, id, 'invitation')
    const details = { role, refund_limit: limitText(refundLimit) }
    await tx.audit([entryFor(requester, { email, merchantId }, 'portal_user.invited', details)])
    return { ok: true, id, link }
  }

  return {
    list: (merchantId) => store.list(merchantId),
    findByEmail: (email) => store.findByEmail(email),

    invite: (requester, merchantId, wanted) =>
      store.transact((tx) => invite(tx, requester, merchantId, wanted)),

    inviteFirst: (requester, merchantId, { email, name }) =>
      store.transact(async (tx) => {
        // Held, so that two operators do not both invite the first.
        if (!(await tx.lockMerchant(merchantId))) return noSuchMerchant(merchantId)
        const refusal = decideFirstInvitation(await tx.countUsersAndLiveSites(merchantId))
        const wanted = { email, name, role: 'owner', refundLimit: null } as const
        return refusal ?? invite(tx, requester, merchantId, wanted)
      }),

    change: (requester, id, { role, refundLimit }) =>
      onPortalUser(requester, id, (portalUser) => ({
        does: 'change',
        role: role ?? portalUser.role,
        refundLimit: refundLimit === undefined ? portalUser.refundLimit : refundLimit,
      })),

    setActive: (requester, id, active) =>
      onPortalUser(requester, id, () => ({ does: active ? 'enable' : 'disable' })),

    reset: (requester, id) => onPortalUser(requester, id, () => ({ does: 'reset' })),
  }
}

function noSuchMerchant(merchantId: bigint): Refusal {
  return refused('missing', `Merchant ${merchantId} does not exist.`)
}
