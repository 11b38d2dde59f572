import type pg from 'pg'
import type { IdempotencyKey } from '../../../domain/payments/idempotency-key.ts'
import type { SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'
import type { IdempotencyKeyStore } from '../../../usecases/payments/idempotency-key.ts'
import { defineColumns } from '../connection/columns.ts'

/** A transaction that is about to be written under a key. */
export interface KeyedRow {
  readonly site: SiteInMode
  readonly merchantId: bigint
  readonly transactionId: bigint
  readonly key: IdempotencyKey
  readonly at: Date
}

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
  }
}

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
  client: pg.ClientBase,
  keyed: readonly KeyedRow[],
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
