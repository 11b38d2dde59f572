import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { DataKey, VaultKeys } from './card-vault.ts'
import type { KeyWrapper } from './key-wrapper.ts'

interface KeyRow {
  readonly id: number
  readonly purpose: 'pan' | 'fingerprint'
  readonly wrapped: Buffer
}

/** Makes the keys that a new database lacks; many processes may call it at once. */
export async function ensureDataKeys(pool: pg.Pool, wrapper: KeyWrapper): Promise<void> {
  for (const purpose of ['pan', 'fingerprint'] as const) {
    const wrapped = await wrapper.wrap(randomBytes(32))
    await pool.query(
      `insert into data_keys (purpose, wrapped, kek_id)
       select $1::text, $2, $3 where not exists (select from data_keys where purpose = $1::text)
       on conflict do nothing`,
      [purpose, wrapped, wrapper.id],
    )
  }
}

/** Unwraps every key. Throws a plain sentence when the key-encrypting key is the wrong one. */
export async function loadDataKeys(pool: pg.Pool, wrapper: KeyWrapper): Promise<VaultKeys> {
  const { rows } = await pool.query<KeyRow>('select id, purpose, wrapped from data_keys order by id')
  const keys = await Promise.all(
    rows.map(async (row) => ({
      purpose: row.purpose,
      id: row.id,
      key: await wrapper.unwrap(row.wrapped),
    })),
  )
  const pan: DataKey[] = keys.filter((key) => key.purpose === 'pan')
  const fingerprint = keys.find((key) => key.purpose === 'fingerprint')
  if (fingerprint === undefined || pan.length === 0) {
    throw new Error('The database has no data keys yet; run the preparation step first.')
  }
  return { pan, fingerprint }
}
