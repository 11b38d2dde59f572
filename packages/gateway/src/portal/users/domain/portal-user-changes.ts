import type { Role } from '@tollgate/portal-contract/rights'

interface UserWithRole {
  readonly id: bigint
  readonly role: Role
}

/**
 * Why one portal user may not change what another may do, or may not make them `role`; a sentence,
 * or null when they may. Whether they may change portal users at all is their role's right.
 */
export function changeFault(
  actor: UserWithRole,
  target: UserWithRole,
  role: Role = target.role,
): string | null {
  if (actor.id === target.id) {
    return 'You cannot change your own role, refund limit or state. Ask another owner or admin.'
  }
  if (target.role === 'owner' && actor.role !== 'owner') return 'Only an owner can change an owner.'
  return roleFault(actor.role, role)
}

/** Why a user may not assign a role. */
export function roleFault(actor: Role, role: Role): string | null {
  return role === 'owner' && actor !== 'owner' ? 'Only an owner can assign the owner role.' : null
}

/**
 * The sign-in name of a user whom another user invites. No other merchant has its ending, so a
 * refusal shows nothing about the users of others.
 */
export function invitedAs(email: string, merchantId: bigint): string {
  return `${email}#${merchantId}`
}
