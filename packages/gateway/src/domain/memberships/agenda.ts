import type { Money } from '../money.ts'
import { chargeUnderWay } from './membership.ts'
import type { Membership, NextStep } from './membership.ts'
import { concludeCharge, decideDue } from './renewal.ts'

/** Something that will happen to a membership. */
export interface AgendaEntry {
  readonly kind: NextStep['kind']
  readonly at: Date
  /** The amount charged; null for a step without a charge. */
  readonly amount: Money | null
}

/**
 * The next steps of a membership if every charge is approved, the earliest first, at most `limit`
 * entries. The same steps that the membership takes produce the list, so both agree. A charge under
 * way counts as approved and is not listed.
 */
export function membershipAgenda(membership: Membership, limit: number): readonly AgendaEntry[] {
  return goThrough(membership, (_, count) => count < limit)
}

/** The same, up to and including `until`. */
export function agendaUntil(membership: Membership, until: Date): readonly AgendaEntry[] {
  return goThrough(membership, ({ at }) => at.getTime() <= until.getTime())
}

function goThrough(
  membership: Membership,
  goesOn: (next: NextStep, entries: number) => boolean,
): readonly AgendaEntry[] {
  const entries: AgendaEntry[] = []
  let current = chargeUnderWay(membership) === null ? membership : approved(membership)
  while (current.next !== null && goesOn(current.next, entries.length)) {
    const { kind, at } = current.next
    const decision = decideDue(current, at, 'each')
    if (decision.kind === 'nothing') break
    entries.push({ kind, at, amount: decision.kind === 'charge' ? decision.charge.amount : null })
    current = decision.kind === 'charge' ? approved(decision.membership) : decision.membership
  }
  return entries
}

function approved(membership: Membership): Membership {
  return concludeCharge(membership, { kind: 'approved' }, []).membership
}
