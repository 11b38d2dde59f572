import { RIGHTS, type Right } from '@tollgate/portal-contract/rights'
import { refused, type Refusal, type Result } from '../../../base/refusal.ts'
import { reasonFault } from '../../../domain/merchants/merchant-change.ts'

/** The longest visit; the table has the same limit. */
export const LONGEST_VISIT_MINUTES = 240
const SHORTEST_VISIT_MINUTES = 5

/** A visit as a decision about its end sees it. */
export interface HeldVisit {
  readonly id: bigint
  readonly merchantId: bigint
  readonly operatorEmail: string
  /** Whether the operator can still see something by it. */
  readonly isOpen: boolean
}

/**
 * The rights of a visit: to see, and nothing else. Users of the merchant and the merchant's audit
 * log are the merchant's own.
 */
export const VISIT_RIGHTS: readonly Right[] = (Object.keys(RIGHTS) as Right[]).filter(
  (right) => right.endsWith('.see') && right !== 'portal_users.see' && right !== 'audit.see',
)

/** Routes without a right that a visit may call; others concern a user's own account. */
const OPEN_TO_VISITS: readonly string[] = ['/roles', '/support-visits']

/** Why a visit cannot begin; null where it can. */
export function decideVisit(wanted: {
  readonly reason: string
  readonly minutes: number
  /** The name of the merchant whose visit is open; null for none. */
  readonly open: string | null
}): Refusal | null {
  const fault = reasonFault(wanted.reason)
  if (fault !== null) return refused('invalid', fault, { field: 'reason' })
  const { minutes, open } = wanted
  if (minutes < SHORTEST_VISIT_MINUTES || minutes > LONGEST_VISIT_MINUTES) {
    const range = `${SHORTEST_VISIT_MINUTES} to ${LONGEST_VISIT_MINUTES}`
    const sentence = `A visit of ${minutes} minutes is not possible. Expected ${range} minutes.`
    return refused('invalid', sentence, { field: 'minutes' })
  }
  return open === null
    ? null
    : refused('conflict', `Your visit to ${open} is open. End it before you begin another one.`)
}

/** The visit if it can be ended, and otherwise why not. */
export function decideVisitEnd(visit: HeldVisit | null): Result<{ readonly visit: HeldVisit }> {
  if (visit === null) return refused('missing', 'This support visit does not exist.')
  return visit.isOpen
    ? { ok: true, visit }
    : refused('conflict', 'This support visit is already over.')
}

/** Why a visit may not call a route of the portal; null where it may. */
export function visitFault(route: {
  readonly method: string
  readonly path: string
  readonly right: Right | null
}): { readonly code: string; readonly sentence: string } | null {
  if (route.method !== 'GET') {
    const sentence = 'A support visit is read-only. Nothing was done.'
    return { code: 'read_only', sentence }
  }
  const { right, path } = route
  const may = right === null ? OPEN_TO_VISITS.includes(path) : VISIT_RIGHTS.includes(right)
  return may ? null : { code: 'not_allowed', sentence: 'A support visit does not show this.' }
}

/** The mail to the owners of the merchant. */
export function visitMail(visit: {
  readonly merchant: string
  readonly operator: { readonly name: string; readonly email: string }
  readonly reason: string
  readonly expiresAt: Date
}): { readonly subject: string; readonly text: string } {
  const { merchant, operator, reason, expiresAt } = visit
  const lines = [
    `${operator.name} (${operator.email}), an operator of the gateway, can see the portal of`,
    `${merchant} until ${expiresAt.toISOString()}.`,
    '',
    `Reason: ${reason}`,
    '',
    'The operator can change nothing, and sees no card numbers. Owners and admins end the visit',
    'at once in the portal. The audit log has its begin and its end.',
  ]
  return { subject: `Support visit to the portal of ${merchant}`, text: `${lines.join('\n')}\n` }
}
