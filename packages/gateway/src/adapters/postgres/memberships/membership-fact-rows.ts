import { invariant } from '../../../base/invariant.ts'
import {
  membershipFacts,
  type MembershipFact,
} from '../../../domain/memberships/membership-facts.ts'
import type { Membership } from '../../../domain/memberships/membership.ts'
import type { StoredMembership } from '../../../usecases/memberships/membership-store.ts'
import type { ChargeConclusion } from '../../../usecases/memberships/renewal-store.ts'
import { factColumns, factRow } from '../events/outbox.ts'

/** Facts of memberships as the parameters of `insertFactsOf`. */
export function membershipFactValues(
  changes: readonly {
    readonly read: Pick<StoredMembership, 'id' | 'merchantId' | 'siteId'>
    readonly facts: readonly MembershipFact[]
  }[],
): string[] {
  return factColumns.values(
    changes.flatMap(({ read, facts }) =>
      facts.map(({ details, name }) =>
        factRow({
          type: `membership.${name}`,
          merchantId: read.merchantId,
          siteId: read.siteId,
          objectId: read.id,
          transactionId: null,
          details,
        }),
      ),
    ),
  )
}

/** By the moment at which it was to end, which is its own time on every clock. */
export function endFacts(
  { membership: before }: StoredMembership,
  after: Membership,
): readonly MembershipFact[] {
  const at = after.overAt
  invariant(at !== null, 'a membership is over without a time')
  return membershipFacts(before, after, { at, origin: 'rebill', actor: null }, null)
}

export function conclusionFacts({
  charge: { at, attempt },
  identity,
  membership,
  outcome,
  read,
  reason,
}: ChargeConclusion): readonly MembershipFact[] {
  const cause = { at, origin: 'rebill', actor: null } as const
  return membershipFacts(read.membership, membership, cause, {
    ...identity,
    outcome,
    attempt,
    reason,
  })
}
