import type pg from 'pg'
import {
  mayEraseCustomer,
  mayEraseGuestCard,
  type CustomerFacts,
} from '../../../domain/retention/customer-retention.ts'
import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'
import { eraseCustomers } from './customer-erasure.ts'
import { lockCustomers, readCustomerFacts } from './customer-facts.ts'
import type { RetentionRows } from './retention-rows.ts'

/** The row stays with brand and last four; `removed_at` keeps payments and refunds from it. */
const ERASE_NUMBERS = `
update payment_methods set pan_ciphertext = null, data_key_id = null, removed_at = now()
 where customer_id = any($1::bigint[]) and removed_at is null`

export const guestCardRows: RetentionRows = customerRows(
  mayEraseGuestCard,
  async (client, ids) => (await client.query(ERASE_NUMBERS, [ids])).rowCount ?? 0,
)

export function personalDataRows(actor: string): RetentionRows {
  return customerRows(mayEraseCustomer, async (client, ids) => {
    await eraseCustomers(client, ids, actor)
    return ids.length
  })
}

/** Walked by customers. The facts are read once to find the few, and again under their locks. */
function customerRows(
  mayErase: (facts: CustomerFacts, days: number) => boolean,
  erase: (client: pg.ClientBase, ids: readonly string[]) => Promise<number>,
): RetentionRows {
  const due: RetentionRows['due'] = async (client, ids, { now, days }: RetentionRule) => {
    const rows = await readCustomerFacts(client, ids, now)
    return rows.flatMap((facts) =>
      facts.movedAt !== null && mayErase(facts, days)
        ? [{ id: facts.id, since: facts.movedAt }]
        : [],
    )
  }
  return {
    table: 'customers',
    atOnce: 20,
    due,
    async erase(client, ids, rule) {
      const decided = await due(client, await lockCustomers(client, ids), rule)
      if (decided.length === 0) return 0
      return erase(
        client,
        decided.map(({ id }) => id),
      )
    },
  }
}
