import type pg from 'pg'
import { VaultFileError } from './vault-file.ts'
import type { VaultRecord } from './vault-record.ts'

/** Those that came before, and in an import of a vault's own file those that are there. */
export async function findCustomers(
  client: pg.ClientBase,
  origin: string,
  isSelf: boolean,
  records: readonly VaultRecord[],
): Promise<Map<string, string>> {
  const wanted = records.map(({ customer, merchant_id, mode }) => ({
    id: customer.id,
    merchant_id,
    mode,
  }))
  const { rows } = await client.query<{ old_id: string; new_id: string }>(
    `with wanted as (select * from json_to_recordset($1) as r (id bigint, merchant_id bigint, mode text))
     select w.id as old_id, c.id as new_id
       from wanted w
       left join imported_ids i on i.origin = $2 and i.kind = 'customer' and i.old_id = w.id
       join customers c on c.id = coalesce(i.new_id, case when $3 then w.id end)
                       and c.merchant_id = w.merchant_id and c.mode = w.mode`,
    [JSON.stringify(wanted), origin, isSelf],
  )
  return new Map(rows.map(({ old_id, new_id }) => [old_id, new_id]))
}

export interface FoundCard {
  readonly id: string
  /** Null of one that was just made, or taken away: nothing is restored there. */
  readonly ciphertext: Buffer | null
}

/** The customers' cards, by customer and fingerprint; the one used last is the last. */
export async function findCards(
  client: pg.ClientBase,
  customerIds: readonly string[],
): Promise<Map<string, FoundCard[]>> {
  const { rows } = await client.query<{
    id: string
    customer_id: string
    fingerprint: string
    ciphertext: Buffer | null
  }>(
    `select id, customer_id, encode(fingerprint, 'hex') as fingerprint, pan_ciphertext as ciphertext
       from payment_methods where customer_id = any($1::bigint[]) order by last_used_at, id`,
    [customerIds],
  )
  const found = new Map<string, FoundCard[]>()
  for (const { id, customer_id, fingerprint, ciphertext } of rows) {
    const same = `${customer_id} ${fingerprint}`
    found.set(same, [...(found.get(same) ?? []), { id, ciphertext }])
  }
  return found
}

/** Throws VaultFileError when one is not here. */
export async function requireMerchants(
  client: pg.ClientBase,
  records: readonly VaultRecord[],
): Promise<void> {
  const wanted = [...new Set(records.map(({ merchant_id }) => merchant_id))]
  const { rows } = await client.query<{ id: string }>(
    'select id from unnest($1::bigint[]) as id where id not in (select id from merchants) order by id',
    [wanted],
  )
  if (rows.length === 0) return
  const missing = rows.map(({ id }) => id).join(', ')
  throw new VaultFileError(
    `The file has cards of merchant ${missing}, which this database has not: make it first.`,
  )
}
