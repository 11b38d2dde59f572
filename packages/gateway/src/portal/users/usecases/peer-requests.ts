import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditEntry, AuditOperation } from '../../../usecases/audit/audit-log.ts'
import { portalUserActor, type PortalUser } from '../../shell/usecases/portal-user.ts'
import {
  alreadyRequested,
  decidePeerApproval,
  decidePeerRefusal,
  decidePeerWithdrawal,
  decideSwitch,
  seenState,
  type Decider,
  type PeerOperation,
  type PeerRefused,
  type PeerRequest,
  type UserOperation,
} from '../domain/peer-approval.ts'
import {
  actingOf,
  decideOperation,
  entryFor,
  limitText,
  performOperation,
  type LinkDeps,
} from './portal-user-operations.ts'
import type { LockedPortalUser, PortalUsersRecords, PortalUsersTx } from './portal-users-records.ts'
import type { NewLink, PeerRequestView, UserChangeRequester } from './portal-users.ts'

/** The user who switches or decides, and the session. */
export interface PeerRequester {
  readonly portalUser: PortalUser
  readonly sessionId: bigint
  readonly address: string
}

/**
 * Approvals of a second user for changes of users with equal rank. Each operation locks the
 * merchant, decides on what it reads then, and writes its entries in the same commit.
 */
export interface PeerApprovals {
  read(merchantId: bigint): Promise<{
    readonly required: boolean
    readonly requests: readonly PeerRequestView[]
  }>
  /** On at once; off as a request, so `done` is false. */
  set(requester: PeerRequester, required: boolean): Promise<Result<{ readonly done: boolean }>>
  /** The link of a reset goes to the user who approves it. */
  approve(requester: PeerRequester, id: bigint): Promise<Result<{ readonly link: NewLink | null }>>
  refuse(requester: PeerRequester, id: bigint): Promise<Result>
  withdraw(requester: PeerRequester, id: bigint): Promise<Result>
}

/** Writes the request for an operation that its requester may do but for a second user. */
export async function requestOperation(
  tx: PortalUsersTx,
  requester: UserChangeRequester,
  by: NonNullable<UserChangeRequester['portalUser']>,
  portalUser: LockedPortalUser,
  operation: UserOperation,
): Promise<Result> {
  await tx.expireRequests(by.merchantId)
  const id = await tx.insertRequest({
    merchantId: by.merchantId,
    portalUserId: portalUser.id,
    operation,
    seen: seenState(portalUser),
    requestedBy: by.id,
    requesterSession: by.sessionId,
  })
  if (id === null) return alreadyRequested()
  const details = { request: id.toString(), ...detailsOf(operation) }
  await tx.audit([entryFor(requester, portalUser, 'portal_user.change_requested', details)])
  return { ok: true }
}

export function createPeerApprovals(
  deps: LinkDeps & { readonly store: PortalUsersRecords },
): PeerApprovals {
  const { store } = deps

  /** Holds merchant and request while `work` decides and writes. */
  function onRequest<Done extends object>(
    { portalUser, sessionId }: PeerRequester,
    id: bigint,
    work: (tx: PortalUsersTx, request: PeerRequest, by: Decider) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      await tx.lockMerchant(portalUser.merchantId)
      const request = await tx.lockRequest(portalUser.merchantId, id)
      if (request === null) return refused('missing', 'This request does not exist.')
      const { role } = await actingOf(tx, { portalUser: { ...portalUser, sessionId } })
      return work(tx, request, { id: portalUser.id, sessionId, role })
    })
  }

  /** Ends a request without carrying it out. */
  function close(
    requester: PeerRequester,
    id: bigint,
    state: 'refused' | 'withdrawn',
    decide: (request: PeerRequest, by: Decider) => PeerRefused | null,
  ): Promise<Result> {
    return onRequest(requester, id, async (tx, request, by) => {
      const fault = decide(request, by)
      if (fault !== null) return end(tx, request, fault)
      await tx.endRequest(id, state, by)
      await tx.audit([await entryOf(tx, requester, request, `portal_user.change_${state}`)])
      return { ok: true }
    })
  }

  return {
    async read(merchantId) {
      const [required, requests] = await Promise.all([
        store.readPeerApproval(merchantId),
        store.listRequests(merchantId),
      ])
      return { required, requests }
    },

    set: (requester, required) =>
      store.transact(async (tx): Promise<Result<{ readonly done: boolean }>> => {
        const { portalUser, sessionId } = requester
        const { merchantId } = portalUser
        await tx.lockMerchant(merchantId)
        const { role } = await actingOf(tx, { portalUser: { ...portalUser, sessionId } })
        const refusal = decideSwitch(role, await tx.readPeerApproval(merchantId), required)
        if (refusal !== null) return refusal
        if (required) {
          await tx.setPeerApproval(merchantId, true)
          await tx.audit([settingEntry(requester, 'merchant.peer_approval_set', { after: true })])
          return { ok: true, done: true }
        }
        await tx.expireRequests(merchantId)
        const operation = { does: 'switch_off' } as const
        const requestedBy = portalUser.id
        const about = { portalUserId: null, seen: '', requestedBy, requesterSession: sessionId }
        const id = await tx.insertRequest({ merchantId, operation, ...about })
        if (id === null) return alreadyRequested()
        const details = { request: id.toString(), ...detailsOf(operation) }
        await tx.audit([settingEntry(requester, 'portal_user.change_requested', details)])
        return { ok: true, done: false }
      }),

    approve: (requester, id) =>
      onRequest(requester, id, async (tx, request, by) => {
        const { merchantId } = requester.portalUser
        const first = { id: request.requestedBy, merchantId, role: 'owner', sessionId: 0n } as const
        const asked = await actingOf(tx, { portalUser: first })
        const target =
          request.portalUserId === null
            ? null
            : await tx.lockPortalUser(request.portalUserId, merchantId)
        const fault = decidePeerApproval(request, by, {
          requesterRole: asked.role,
          hasFreshLink: await tx.hasFreshLink(by.id),
          seen: target === null ? '' : seenState(target),
        })
        if (fault !== null) return end(tx, request, fault)
        const approved = await entryOf(tx, requester, request, 'portal_user.change_approved')
        const { operation } = request
        if (operation.does === 'switch_off' || target === null) {
          await tx.setPeerApproval(merchantId, false)
          await tx.endRequest(id, 'approved', by)
          const details = { after: false }
          const set = settingEntry(requester, 'merchant.peer_approval_set', details)
          await tx.audit([approved, set])
          return { ok: true, link: null }
        }
        const changes = requesterOf(requester)
        const own = await decideOperation(tx, await actingOf(tx, changes), target, operation)
        if (own !== null) return own
        const theirs = await decideOperation(tx, asked, target, operation)
        if (theirs !== null) return end(tx, request, { refusal: theirs, ends: 'void' })
        await tx.endRequest(id, 'approved', by)
        const link = await performOperation(tx, deps, changes, target, operation, [approved])
        return { ok: true, link }
      }),

    refuse: (requester, id) => close(requester, id, 'refused', decidePeerRefusal),
    withdraw: (requester, id) => close(requester, id, 'withdrawn', decidePeerWithdrawal),
  }
}

async function end(tx: PortalUsersTx, { id }: PeerRequest, fault: PeerRefused) {
  if (fault.ends !== null) await tx.endRequest(id, fault.ends, null)
  return fault.refusal
}

function requesterOf({ portalUser, sessionId, address }: PeerRequester): UserChangeRequester {
  return {
    actor: portalUserActor(portalUser),
    address,
    portalUser: { ...portalUser, sessionId },
  }
}

async function entryOf(
  tx: PortalUsersTx,
  requester: PeerRequester,
  { id, portalUserId, operation }: PeerRequest,
  name: AuditOperation,
): Promise<AuditEntry> {
  const details = { request: id.toString(), ...detailsOf(operation) }
  const { merchantId } = requester.portalUser
  const target = portalUserId === null ? null : await tx.lockPortalUser(portalUserId, merchantId)
  return target === null
    ? settingEntry(requester, name, details)
    : entryFor(requesterOf(requester), target, name, details)
}

function settingEntry(
  { portalUser, address }: PeerRequester,
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const { merchantId } = portalUser
  const object = `merchant ${merchantId}`
  const actor = portalUserActor(portalUser)
  return { actor, operation, object, merchantId, address, result: 'done', details }
}

function detailsOf(operation: PeerOperation): NonNullable<AuditEntry['details']> {
  if (operation.does !== 'change') return { does: operation.does }
  const { does, role, refundLimit } = operation
  return { does, role, refund_limit: limitText(refundLimit) }
}
