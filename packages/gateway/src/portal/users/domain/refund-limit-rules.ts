import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'

/** The most that a portal user may refund of one order, in minor units. */
interface Limit {
  readonly minor: bigint
  readonly currency: string
}

/** A portal user as a limit judges them: a role that refunds nothing needs no limit. */
export interface LimitedUser {
  readonly role: Role
  readonly refundLimit: Limit | null
}

/**
 * Whether `user` may refund more than `own` allows. Limits of two currencies cannot be compared, so
 * one of another currency counts as higher.
 */
export function exceedsLimit(own: Limit | null, user: LimitedUser): boolean {
  if (own === null || !mayDo(user.role, 'orders.refund')) return false
  const { refundLimit: limit } = user
  return limit === null || limit.currency !== own.currency || limit.minor > own.minor
}

/** Why a user with the limit `own` may not give a user this role and limit; null if they may. */
export function givenLimitFault(own: Limit | null, becomes: LimitedUser): string | null {
  if (own === null || !exceedsLimit(own, becomes)) return null
  return (
    `You may refund up to ${limitText(own)} of an order, so you cannot give another user more. ` +
    `Enter a refund limit of at most ${limitText(own)}, or ask a user without a refund limit.`
  )
}

/** Why a user with the limit `own` may not reset this user; null if they may. */
export function resetLimitFault(own: Limit | null, target: LimitedUser): string | null {
  if (own === null || !exceedsLimit(own, target)) return null
  const theirs =
    target.refundLimit === null ? 'has no refund limit' : 'has a higher refund limit than you'
  return (
    `This user ${theirs}, and the link of a reset lets its holder act as the user. ` +
    'Ask a user without a refund limit to reset this one.'
  )
}

function limitText({ minor, currency: code }: Limit): string {
  const currency = findCurrency(code)
  return currency === null ? code : `${formatMinor(minor, currency)} ${code}`
}
