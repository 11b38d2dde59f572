import type pg from 'pg'
import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import { onConnection } from '../connection/database.ts'
import { inTransaction } from '../connection/transaction.ts'
import { freeKeys, KEYED, keyOfIntent, takeKeys } from './idempotency-keys.ts'
import { intendQuery } from './intend-query.ts'

/** Writes a group of intents in one statement; false for those whose reference is another's. */
export async function writeIntents(
  pool: pg.Pool,
  rows: readonly PaymentIntent[],
): Promise<boolean[]> {
  const accepted = await onConnection(pool, (client) => intend(client, rows))
  return rows.map((row) => accepted.has(row))
}

/**
 * Writes a group of intents and their idempotency keys; false for those whose key or reference is
 * another's. The keys come first, in their sequence, so that no two groups wait for each other.
 */
export async function writeKeyedIntents(
  pool: pg.Pool,
  rows: readonly PaymentIntent[],
): Promise<boolean[]> {
  const accepted = await inTransaction(pool, KEYED, async (client) => {
    const taken = await takeKeys(client, rows.flatMap(keyOfIntent))
    const granted = rows.filter(({ transactionId }) => taken.has(transactionId))
    if (granted.length === 0) return NOTHING
    const written = await intend(client, granted)
    const refused = granted.filter((row) => !written.has(row))
    await freeKeys(client, refused.flatMap(keyOfIntent))
    return written
  })
  return rows.map((row) => accepted.has(row))
}

const NOTHING: ReadonlySet<PaymentIntent> = new Set()

async function intend(
  client: pg.ClientBase,
  rows: readonly PaymentIntent[],
): Promise<ReadonlySet<PaymentIntent>> {
  const { rows: accepted } = await client.query<{ n: number }>(intendQuery(rows))
  return new Set(accepted.flatMap(({ n }) => rows[n - 1] ?? []))
}
