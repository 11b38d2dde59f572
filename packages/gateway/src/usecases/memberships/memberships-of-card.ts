import type { Membership } from '../../domain/memberships/membership.ts'
import type { StoredMembership } from './membership-store.ts'
import type { RenewalStore } from './renewal-store.ts'

/**
 * Changes the memberships of a card that are not over, but for one (0: all), each over whatever it
 * has become meanwhile; harmless to repeat. `change` gives back the same object where nothing is to
 * change.
 */
export async function changeMembershipsOfCard(
  store: Pick<RenewalStore, 'change' | 'find' | 'findOthersOfCard'>,
  cardId: bigint,
  but: bigint,
  change: (membership: Membership) => Membership,
): Promise<void> {
  for (const found of await store.findOthersOfCard(cardId, but)) {
    let read: StoredMembership | null = found
    while (read !== null) {
      const changed = change(read.membership)
      if (changed === read.membership || (await store.change(read, changed))) break
      read = await store.find(read.id)
    }
  }
}
