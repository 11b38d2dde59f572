import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import { changedMeanwhile, refused, type Refusal } from '../../../base/refusal.ts'
import type { HeldPortalUser } from './portal-user-decisions.ts'
import type { LimitedUser } from './refund-limit-rules.ts'

/** An operation of one user on another; a change names the whole result. */
export type UserOperation =
  | ({ readonly does: 'change' } & LimitedUser)
  | { readonly does: 'enable' | 'disable' | 'reset' }

/** A request that waits for a second user. */
export type PeerOperation = UserOperation | { readonly does: 'switch_off' }

export type PeerRequestState = 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'

/** A stored request, as a decision reads it under the lock of the merchant. */
export interface PeerRequest {
  readonly id: bigint
  /** Null for the request that switches the approvals off. */
  readonly portalUserId: bigint | null
  readonly operation: PeerOperation
  /** `seenState` of the user when the request was made; empty where there is no user. */
  readonly seen: string
  readonly state: PeerRequestState
  readonly requestedBy: bigint
  readonly requesterSession: bigint
  /** Whether it is older than 24 hours. */
  readonly isOver: boolean
}

/** The user who decides, with the role of this moment; null for a disabled user. */
export interface Decider {
  readonly id: bigint
  readonly sessionId: bigint
  readonly role: Role | null
}

/** A refusal, and the state in which it leaves an open request; null where that stays open. */
export interface PeerRefused {
  readonly refusal: Refusal
  readonly ends: 'void' | 'expired' | null
}

/** Whether the operation is on a user of equal rank, or gives a user the rank of the requester. */
export function isOnPeer(requester: Role | null, target: Role, operation: UserOperation): boolean {
  return requester === target || (operation.does === 'change' && operation.role === requester)
}

/** Why a user of equal rank is not invited where a second user approves; null if they are. */
export function decidePeerInvitation(
  requester: Role | null,
  invited: Role,
  isRequired: boolean,
): Refusal | null {
  if (!isRequired || requester !== invited) return null
  const sentence =
    'A second user approves changes of users with your role. Invite the user with another role, ' +
    'and then request the change of the role.'
  return refused('forbidden', sentence, { field: 'role', code: 'needs_approval' })
}

/** The facts about a user on which a request rests; a request is void once they differ. */
export function seenState({ role, refundLimit, active }: HeldPortalUser): string {
  const limit = refundLimit === null ? 'no limit' : `${refundLimit.minor} ${refundLimit.currency}`
  return `${role}, ${limit}, ${active ? 'active' : 'disabled'}`
}

/** Why this user may not refuse the request; null where they may. */
export function decidePeerRefusal(request: PeerRequest, decider: Decider): PeerRefused | null {
  const notOpen = stateFault(request, decider)
  if (notOpen !== null) return notOpen
  if (request.requestedBy === decider.id || request.requesterSession === decider.sessionId)
    return staysOpen(refused('forbidden', 'You made this request. Another user must decide.'))
  return request.portalUserId === decider.id
    ? staysOpen(refused('forbidden', 'This request is about you. Another user must decide.'))
    : null
}

/**
 * Why this user may not approve the request; null where they may. The rules of the operation itself
 * are judged apart.
 */
export function decidePeerApproval(
  request: PeerRequest,
  decider: Decider,
  facts: {
    /** The requester's role at this moment; null for a disabled user. */
    readonly requesterRole: Role | null
    /** Whether another user made a link for the approver within 24 hours. */
    readonly hasFreshLink: boolean
    /** `seenState` of the user at this moment; empty where there is no user. */
    readonly seen: string
  },
): PeerRefused | null {
  const fault = decidePeerRefusal(request, decider)
  if (fault !== null) return fault
  if (facts.hasFreshLink) {
    const sentence =
      'You signed in through a link that was created within the last 24 hours. ' +
      'Ask another user to approve the request, or wait a day.'
    return staysOpen(refused('forbidden', sentence))
  }
  if (!mayChange(facts.requesterRole)) {
    const sentence =
      'The user who made the request no longer has the permission. The request is invalid.'
    return { refusal: changedMeanwhile(sentence), ends: 'void' }
  }
  if (facts.seen === request.seen) return null
  const sentence =
    'The user changed after the request was made, so the request is invalid. Ask for a new request.'
  return { refusal: changedMeanwhile(sentence), ends: 'void' }
}

/** Why this user may not withdraw the request; null where they may. */
export function decidePeerWithdrawal(request: PeerRequest, decider: Decider): PeerRefused | null {
  const fault = stateFault(request, decider)
  if (fault !== null || request.requestedBy === decider.id) return fault
  const sentence = 'Only the user who made the request can withdraw it. Refuse it instead.'
  return staysOpen(refused('forbidden', sentence))
}

/** Why this user may not switch the approvals; null where they may. */
export function decideSwitch(role: Role | null, isOn: boolean, wanted: boolean): Refusal | null {
  if (!mayChange(role)) return takenAway()
  if (isOn !== wanted) return null
  return refused('conflict', `Approvals by a second user are already ${isOn ? 'on' : 'off'}.`)
}

/** A user, or the setting, has one open request at a time. */
export function alreadyRequested(): Refusal {
  return refused('conflict', 'There already is an open request. Another user must decide it first.')
}

function stateFault(request: PeerRequest, { role }: Decider): PeerRefused | null {
  if (!mayChange(role)) return staysOpen(takenAway())
  if (request.state !== 'open')
    return staysOpen(refused('conflict', `The request is already ${request.state}.`))
  if (!request.isOver) return null
  const sentence = 'The request expired after 24 hours. Ask for a new request.'
  return { refusal: refused('conflict', sentence), ends: 'expired' }
}

function mayChange(role: Role | null): boolean {
  return role !== null && mayDo(role, 'portal_users.change')
}

function takenAway(): Refusal {
  return refused('forbidden', 'Your role was changed and no longer allows this.')
}

function staysOpen(refusal: Refusal): PeerRefused {
  return { refusal, ends: null }
}
