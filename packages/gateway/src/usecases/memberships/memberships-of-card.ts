import type { Membership } from '../../domain/memberships/membership.ts'
import type { StoredMembership } from './membership-store.ts'
import type { RenewalStore } from './renewal-store.ts'

/**
 * Changes the open memberships of a card except one (0: all), each over its current state; harmless
 * to repeat. `change` returns the same object for no change.
 */
export async function changeMembershipsOfCard(
  store: Pick<RenewalStore, 'change' | 'find' | 'findOthersOfCard'>,
  cardId: bigint,
  but: bigint,
  at: Date,
  change: (membership: Membership) => Membership,
): Promise<void> {
  const cause = { at, origin: 'rebill', actor: null } as const
  for (const found of await store.findOthersOfCard(cardId, but)) {
    let read: StoredMembership | null = found
    while (read !== null) {
      const changed = change(read.membership)
      if (changed === read.membership || (await store.change(read, changed, cause))) break
      read = await store.find(read.id)
    }
  }
}
