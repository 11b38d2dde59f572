import type { Clock } from '../../base/clock.ts'
import { refused, type Result } from '../../base/refusal.ts'
import type { CustomerErasureStore, ErasureRequester } from './retention-store.ts'

export interface EraseCustomerDeps {
  readonly store: CustomerErasureStore
  readonly clock: Clock
}

export type EraseCustomer = (
  customerId: bigint,
  requester: ErasureRequester,
) => Promise<Result<{ readonly cards: number }>>

/** Erases the personal data of one customer, as the customer may request of the merchant. */
export function createEraseCustomer({ store, clock }: EraseCustomerDeps): EraseCustomer {
  return async (customerId, requester) => {
    const erasure = await store.erase(customerId, clock.now(), requester)
    switch (erasure.kind) {
      case 'done':
        return { ok: true, cards: erasure.cards }
      case 'missing':
        return refused('missing', `Customer ${customerId} does not exist.`)
      case 'erased_before':
        return refused('conflict', `The data of customer ${customerId} were erased before.`)
      case 'busy':
        return refused('conflict', `Another operation uses customer ${customerId}. Try again.`)
      case 'refused':
        return refused('conflict', erasure.obstacles)
    }
  }
}
