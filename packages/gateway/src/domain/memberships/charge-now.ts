import { isOver, type Membership } from './membership.ts'
import { withRetryNow } from './requested-changes.ts'

/**
 * The membership once it is due at `at`: its next period begins then, and the ones behind it are
 * counted from there. A renewal that failed is tried again instead. Null: it is over, it is being
 * charged, or it ends without another charge.
 */
export function withChargeNow(membership: Membership, at: Date): Membership | null {
  const { next, renewal } = membership
  if (isOver(membership)) return null
  if (renewal !== null) return withRetryNow(membership, at)
  if (next?.kind !== 'renewal') return null
  // A membership that is due anyway is charged for the period that it is due for.
  if (next.at.getTime() <= at.getTime()) return membership
  return { ...membership, anchorAt: at, period: -1, next: { kind: 'renewal', at } }
}
