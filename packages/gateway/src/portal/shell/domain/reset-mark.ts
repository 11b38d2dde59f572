import type { Right } from '@tollgate/portal-contract/rights'

/** How long a user moves neither money nor rights after a reset link of a user or operator. */
export const HELD_HOURS = 24

/** Of a user who came in by a reset link, and who may be its maker. */
export interface ResetMark {
  /** The e-mail address of the user or operator who made the link. */
  readonly by: string
  /** Null once the hold is over. */
  readonly heldUntil: Date | null
}

/** Rights that move money, change rights, or erase a customer for good. */
const HELD_RIGHTS: ReadonlySet<Right> = new Set<Right>([
  'orders.capture',
  'orders.void',
  'orders.refund',
  'orders.charge',
  'terminal.use',
  'customers.erase',
  'memberships.change',
  'batches.close',
  'disputes.answer',
  'sites.go_live',
  'sites.approve_live',
  'api_users.change',
  'portal_users.change',
])

/**
 * The user or operator whose link marks the one who opened it; null for none. An invitation leaves
 * no mark: its user is new, under a name that no other user had. Nor does a link of a command:
 * access to a node is more than any portal user has.
 */
export function markingUser(kind: 'invitation' | 'reset', madeBy: string): string | null {
  const maker = /^(?:portal|console):(.+)$/.exec(madeBy)?.[1]
  return kind === 'reset' && maker !== undefined ? maker : null
}

/** Why a marked user may not use a right to change something now; null if they may. */
export function heldFault(mark: ResetMark | null, right: Right | null): string | null {
  if (mark === null || mark.heldUntil === null || right === null || !HELD_RIGHTS.has(right)) {
    return null
  }
  const until = mark.heldUntil.toISOString().slice(0, 16).replace('T', ' ')
  return (
    `You came in by a reset link from ${mark.by}. You can change neither money nor users, and ` +
    `erase no customer, until ${until} UTC. Ask another user.`
  )
}

/** For the entry of a new password, which may end the mark before the entry is written. */
export function markDetails(mark: ResetMark | null): { readonly came_in_by?: string } {
  return mark === null ? {} : { came_in_by: mark.by }
}
