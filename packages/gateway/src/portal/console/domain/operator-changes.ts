import { mayOperate, type ConsoleRole } from '@tollgate/portal-contract/console-rights'
import { refused, type Refusal } from '../../../base/refusal.ts'
import { emailFault } from '../../shell/domain/email-address.ts'
import { nameFault } from '../../shell/domain/portal-user-name.ts'

/** The operator who changes others, as the lock shows them. */
export interface ActingOperator {
  /** Null for a command, which may do everything. */
  readonly id: bigint | null
  /** Null for a disabled operator. */
  readonly role: ConsoleRole | null
}

/** An operator who is to be changed, as the lock shows them. */
export interface HeldOperator {
  readonly id: bigint
  readonly email: string
  readonly name: string
  readonly role: ConsoleRole
  readonly active: boolean
  /** Whether they are refused because of days without a sign-in. */
  readonly idle: boolean
  /** Null where no password was set yet. */
  readonly passwordHash: string | null
}

/** Why an operator cannot be invited; null where they can. */
export function decideOperatorInvitation(
  acting: ActingOperator,
  wanted: { readonly email: string; readonly name: string; readonly role: ConsoleRole },
): Refusal | null {
  const email = emailFault(wanted.email)
  if (email !== null) return refused('invalid', email, { field: 'email' })
  const name = nameFault(wanted.name)
  if (name !== null) return refused('invalid', name, { field: 'name' })
  if (!mayChange(acting)) return rightTakenAway()
  // An operator who could invite approvers would need no second operator.
  return acting.id === null || wanted.role === 'viewer'
    ? null
    : refused('forbidden', 'Invite a viewer, and then request the change of the role.')
}

/** Why this operator may not change that one; null where they may. */
export function decideTouchingOperator(
  acting: ActingOperator,
  operator: HeldOperator | null,
): Refusal | null {
  if (operator === null) return refused('missing', 'This operator does not exist.')
  if (!mayChange(acting)) return rightTakenAway()
  return acting.id === operator.id
    ? refused('forbidden', 'You cannot change your own role or state. Ask another owner.')
    : null
}

/** Why an operator cannot get a role; null where they can. */
export function decideOperatorRole(operator: HeldOperator, role: ConsoleRole): Refusal | null {
  return operator.role === role
    ? refused('conflict', `${operator.email} already has the role ${role}.`)
    : null
}

/** Why an operator cannot be enabled, or disabled; null for nothing. */
export function decideOperatorActive(operator: HeldOperator, active: boolean): Refusal | null {
  const state = stateOf(operator)
  return state === (active ? 'active' : 'disabled')
    ? refused('conflict', `${operator.email} is already ${state}.`)
    : null
}

/** Why an operator cannot get a link that resets their access; null where they can. */
export function decideOperatorReset(operator: HeldOperator): Refusal | null {
  return operator.active
    ? null
    : refused('conflict', `${operator.email} is disabled. Enable the operator first.`)
}

/**
 * Whether a reset needs a second operator. The link of a viewer who never signed in replaces one
 * that the same operator could have handed over before.
 */
export function resetNeedsSecond({ role, passwordHash }: HeldOperator, isNew: boolean): boolean {
  return !(isNew && passwordHash === null && role === 'viewer')
}

export function stateOf({ active, idle }: Pick<HeldOperator, 'active' | 'idle'>) {
  if (!active) return 'disabled'
  return idle ? 'idle' : 'active'
}

function mayChange({ id, role }: ActingOperator): boolean {
  return id === null || (role !== null && mayOperate(role, 'operators.change'))
}

/** A role may be changed while a page is open, so it is judged again under the lock. */
export function rightTakenAway(): Refusal {
  return refused('forbidden', 'Your role was changed and no longer allows this.')
}
