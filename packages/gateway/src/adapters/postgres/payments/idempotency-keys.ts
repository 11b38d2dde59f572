import type pg from 'pg'
import type { IdempotencyKey } from '../../../domain/payments/idempotency-key.ts'
import type { SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  IdempotencyKeyStore,
  NewKeyHolder,
} from '../../../usecases/payments/idempotency-key.ts'
import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import { defineColumns } from '../connection/columns.ts'
import type { TransactionLimits } from '../connection/transaction.ts'

export function createIdempotencyKeys(pool: pg.Pool): IdempotencyKeyStore {
  return {
    async findKey(site, key) {
      const { rows } = await pool.query<{ content: Buffer; transaction_id: string }>({
        name: 'find idempotency key',
        text: `select content, transaction_id from idempotency_keys
                where site_id = $1 and mode = $2 and key = decode($3, 'hex')`,
        values: [site.id, site.mode, key],
      })
      const [row] = rows
      if (row === undefined) return null
      const content = row.content.toString('hex')
      return { content, transactionId: BigInt(row.transaction_id) }
    },
    takeKey: async (holder) => (await takeKeys(pool, [holder])).size === 1,
  }
}

/**
 * For payments that take a key: a repeat waits for the first request's commit. If that one's
 * process is stopped in between, its connection is closed and the key is free.
 */
export const KEYED: TransactionLimits = { lockMs: 8_000, idleMs: 3_000 }

const columns = defineColumns({
  site_id: 'bigint',
  mode: 'text',
  key: 'text',
  merchant_id: 'bigint',
  content: 'text',
  transaction_id: 'bigint',
  at: 'timestamptz',
})

const TAKE_KEYS = `
insert into idempotency_keys (site_id, mode, key, merchant_id, content, transaction_id, taken_at)
select site_id, mode, decode(key, 'hex'), merchant_id, decode(content, 'hex'), transaction_id, at
  from unnest(${columns.parameters(1)}) as k (${columns.names})
on conflict do nothing
returning transaction_id`

/**
 * Writes the keys in the caller's transaction, and returns the transactions whose key was free.
 * Waits for another transaction that is writing the same key. Every group writes in the sequence of
 * the keys, so that no two wait for each other.
 */
export async function takeKeys(
  client: Pick<pg.ClientBase, 'query'>,
  keyed: readonly NewKeyHolder[],
): Promise<ReadonlySet<bigint>> {
  if (keyed.length === 0) return new Set()
  const inSequence = keyed.toSorted((one, other) => (one.key.key < other.key.key ? -1 : 1))
  const { rows } = await client.query<{ transaction_id: string }>({
    name: 'take idempotency keys',
    text: TAKE_KEYS,
    values: columns.values(
      inSequence.map(({ site, merchantId, transactionId, key, at }) => ({
        site_id: site.id,
        mode: site.mode,
        key: key.key,
        merchant_id: merchantId,
        content: key.content,
        transaction_id: transactionId,
        at,
      })),
    ),
  })
  return new Set(rows.map((row) => BigInt(row.transaction_id)))
}

/** Frees keys of payments that are not written after all, in the transaction that took them. */
export async function freeKeys(
  client: pg.ClientBase,
  holders: readonly NewKeyHolder[],
): Promise<void> {
  if (holders.length === 0) return
  await client.query({
    name: 'free idempotency keys',
    text: `delete from idempotency_keys k
            using unnest($1::bigint[], $2::text[], $3::text[]) as f (site_id, mode, key)
            where k.site_id = f.site_id and k.mode = f.mode and k.key = decode(f.key, 'hex')`,
    values: [
      holders.map(({ site }) => site.id),
      holders.map(({ site }) => site.mode),
      holders.map(({ key }) => key.key),
    ],
  })
}

/** The key that a payment's intent is written with; none for most. */
export function keyOfIntent(intent: PaymentIntent): readonly NewKeyHolder[] {
  const { at, key, merchantId, mode, siteId: id, transactionId } = intent
  return key === null ? [] : [{ site: { id, mode }, merchantId, transactionId, key, at }]
}

/** Those of a group whose key another request has taken; read after the locks of their orders. */
export async function findTaken<Row extends { site: SiteInMode; key: IdempotencyKey | null }>(
  client: pg.ClientBase,
  group: readonly Row[],
): Promise<Set<Row>> {
  const keyed = group.flatMap((row) => (row.key === null ? [] : [{ row, key: row.key.key }]))
  if (keyed.length === 0) return new Set()
  const { rows } = await client.query<{ n: string }>({
    name: 'taken idempotency keys',
    text: `select k.n from unnest($1::bigint[], $2::text[], $3::text[])
                  with ordinality as k (site_id, mode, key, n)
             join idempotency_keys t on t.site_id = k.site_id and t.mode = k.mode
                  and t.key = decode(k.key, 'hex')`,
    values: [
      keyed.map(({ row }) => row.site.id),
      keyed.map(({ row }) => row.site.mode),
      keyed.map(({ key }) => key),
    ],
  })
  return new Set(rows.flatMap(({ n }) => keyed[Number(n) - 1]?.row ?? []))
}
