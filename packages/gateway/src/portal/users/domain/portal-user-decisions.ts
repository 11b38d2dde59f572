import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import { refused, type Refusal } from '../../../base/refusal.ts'
import { nameFault } from '../../shell/domain/portal-user-name.ts'
import { changeFault, emailFault, roleFault } from './portal-user-changes.ts'

/** The user who changes others, with the role under the lock; null for a disabled user. */
export interface ActingOnUsers {
  readonly id: bigint
  readonly role: Role | null
}

/** A portal user who is to be changed, as the lock shows them. */
export interface HeldPortalUser {
  readonly id: bigint
  readonly email: string
  readonly role: Role
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
  role: Role | null,
  portalUser: { readonly email: string; readonly name: string; readonly role: Role },
): Refusal | null {
  const email = emailFault(portalUser.email)
  if (email !== null) return refused('invalid', email, { field: 'email' })
  const name = nameFault(portalUser.name)
  if (name !== null) return refused('invalid', name, { field: 'name' })
  if (!mayChange(role)) return takenAway()
  const fault = roleFault(role, portalUser.role)
  return fault === null ? null : refused('forbidden', fault)
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

/** Why no link may be made to reset a user's password; null for no reason. */
export function decideReset(portalUser: HeldPortalUser): Refusal | null {
  return portalUser.active
    ? null
    : refused('conflict', `${portalUser.email} is disabled. Enable the user first.`)
}

/** A sign-in name is used once; a merchant has an address once, invited or made by an operator. */
export function addressInUse(email: string): Refusal {
  return refused('conflict', `${email} is already in use and cannot be invited.`, {
    field: 'email',
  })
}

/** A role may be taken away while a page is open, so it is judged again under the lock. */
function mayChange(role: Role | null): role is Role {
  return role !== null && mayDo(role, 'portal_users.change')
}

function takenAway(): Refusal {
  return refused('forbidden', 'Your role was changed and no longer allows this.')
}
