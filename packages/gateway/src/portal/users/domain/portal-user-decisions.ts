import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import { refused, type Refusal } from '../../../base/refusal.ts'
import { emailFault } from '../../shell/domain/email-address.ts'
import { nameFault } from '../../shell/domain/portal-user-name.ts'
import { changeFault, roleFault } from './portal-user-changes.ts'
import { givenLimitFault, resetLimitFault, type LimitedUser } from './refund-limit-rules.ts'

/** The user who changes others, as the lock shows them. */
export interface ActingOnUsers {
  readonly id: bigint
  /** Null for a disabled user. */
  readonly role: Role | null
  /** Null for no limit. */
  readonly refundLimit: LimitedUser['refundLimit']
}

/** A portal user who is to be changed, as the lock shows them. */
export interface HeldPortalUser {
  readonly id: bigint
  readonly email: string
  readonly role: Role
  readonly refundLimit: LimitedUser['refundLimit']
  readonly active: boolean
  /** Whether they are refused because of days without a sign-in. */
  readonly idle: boolean
}

export type HeldState = 'active' | 'idle' | 'disabled'

export function heldState({ active, idle }: Pick<HeldPortalUser, 'active' | 'idle'>): HeldState {
  if (!active) return 'disabled'
  return idle ? 'idle' : 'active'
}

/** Why an invitation is refused; null for no reason. */
export function decideInvitation(
  { role, refundLimit }: Omit<ActingOnUsers, 'id'>,
  portalUser: LimitedUser & { readonly email: string; readonly name: string },
): Refusal | null {
  const email = emailFault(portalUser.email)
  if (email !== null) return refused('invalid', email, { field: 'email' })
  const name = nameFault(portalUser.name)
  if (name !== null) return refused('invalid', name, { field: 'name' })
  if (!mayChange(role)) return takenAway()
  const fault = roleFault(role, portalUser.role)
  if (fault !== null) return refused('forbidden', fault)
  return givenTooMuch(refundLimit, portalUser)
}

/** Why an operator cannot invite the owner of a merchant at the console; null where they can. */
export function decideFirstInvitation(merchant: {
  readonly users: number
  readonly liveSites: number
}): Refusal | null {
  const { users, liveSites } = merchant
  if (users === 0 && liveSites === 0) return null
  return refused(
    'conflict',
    users > 0
      ? 'The merchant has a portal user. Its owners invite others, and ' +
          '"tollgate portal-users reset" renews a link.'
      : 'The merchant has a site in live mode. Invite its owner with "tollgate portal-users add".',
  )
}

/** Why this portal user may not touch that one, or give them `role`; null where they may. */
export function decideTouching(
  requester: ActingOnUsers,
  portalUser: HeldPortalUser | null,
  role: Role | null,
): Refusal | null {
  if (portalUser === null) return refused('missing', 'This portal user does not exist.')
  if (!mayChange(requester.role)) return takenAway()
  const fault = changeFault(
    { id: requester.id, role: requester.role },
    portalUser,
    role ?? portalUser.role,
  )
  return fault === null ? null : refused('forbidden', fault)
}

/**
 * Why this portal user may not give that one the role and limit; null where they may. A change that
 * takes away, such as a role without refunds, is open to every admin.
 */
export function decideChange(
  { refundLimit }: Pick<ActingOnUsers, 'refundLimit'>,
  portalUser: HeldPortalUser,
  becomes: LimitedUser,
): Refusal | null {
  const isSame =
    becomes.role === portalUser.role &&
    becomes.refundLimit?.minor === portalUser.refundLimit?.minor &&
    becomes.refundLimit?.currency === portalUser.refundLimit?.currency
  return isSame ? null : givenTooMuch(refundLimit, becomes)
}

/**
 * Why a user may not become this; null if they may. A merchant with an active owner keeps one.
 * `otherOwners`: how many others are active.
 */
export function decideLastOwner(
  portalUser: HeldPortalUser,
  becomes: { readonly role: Role; readonly active: boolean },
  otherOwners: number,
): Refusal | null {
  const isOwner = portalUser.role === 'owner' && portalUser.active
  const staysOwner = becomes.role === 'owner' && becomes.active
  return isOwner && !staysOwner && otherOwners === 0
    ? refused(
        'conflict',
        'This is the last active owner. Assign the owner role to another user first.',
      )
    : null
}

/** Why a portal user cannot be enabled, or disabled; null for nothing. */
export function decidePortalUserActive(
  portalUser: HeldPortalUser,
  active: boolean,
): Refusal | null {
  const state = heldState(portalUser)
  return state === (active ? 'active' : 'disabled')
    ? refused('conflict', `${portalUser.email} is already ${state}.`)
    : null
}

/**
 * Why this portal user may not get a link that resets that one; null where they may. Its holder can
 * open it, and refunds within the limit of the user that was reset.
 */
export function decideReset(
  { refundLimit }: Pick<ActingOnUsers, 'refundLimit'>,
  portalUser: HeldPortalUser,
): Refusal | null {
  if (!portalUser.active)
    return refused('conflict', `${portalUser.email} is disabled. Enable the user first.`)
  const fault = resetLimitFault(refundLimit, portalUser)
  return fault === null ? null : refused('forbidden', fault, { code: 'refund_limit' })
}

/** A sign-in name is used once; a merchant has an address once, invited or made by an operator. */
export function addressInUse(email: string): Refusal {
  return refused('conflict', `${email} is already in use and cannot be invited.`, {
    field: 'email',
  })
}

function givenTooMuch(own: LimitedUser['refundLimit'], becomes: LimitedUser): Refusal | null {
  const fault = givenLimitFault(own, becomes)
  const parts = { field: 'refundLimit', code: 'refund_limit' }
  return fault === null ? null : refused('forbidden', fault, parts)
}

/** A role may be taken away while a page is open, so it is judged again under the lock. */
function mayChange(role: Role | null): role is Role {
  return role !== null && mayDo(role, 'portal_users.change')
}

function takenAway(): Refusal {
  return refused('forbidden', 'Your role was changed and no longer allows this.')
}
