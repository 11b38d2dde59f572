import type pg from 'pg'
import type { KeyGeneration } from '../../../domain/card-tokens/token-keys.ts'
import type { TokenKeyStore, TokenKeyTx } from '../../../usecases/card-tokens/change-token-keys.ts'
import type { TokenKeySummary } from '../../../usecases/merchants/operator.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'

/** The keys' ages and the origins, never a key; null for no such site. */
export async function readTokenKeys(
  pool: pg.Pool,
  siteId: bigint,
): Promise<TokenKeySummary | null> {
  const { rows } = await pool.query<{
    token_origins: string[]
    current: Date | null
    previous: Date | null
  }>(
    `select s.token_origins, max(k.made_at) filter (where k.generation = 'current') as current,
            max(k.made_at) filter (where k.generation = 'previous') as previous
       from sites s left join site_token_keys k on k.site_id = s.id where s.id = $1 group by s.id`,
    [siteId],
  )
  const [row] = rows
  if (row === undefined) return null
  return { current: row.current, previous: row.previous, origins: row.token_origins }
}

/** Token keys and origins in the database. */
export function createTokenKeyStore(pool: pg.Pool): TokenKeyStore {
  return {
    transact: createTransact(pool, txOf),
    read: (siteId) => readTokenKeys(pool, siteId),
  }
}

function txOf(client: pg.ClientBase): Omit<TokenKeyTx, 'audit'> {
  return {
    lockSite: (siteId) => lockSite(client, siteId),

    async readKeys(siteId) {
      const { rows } = await client.query<{ generation: KeyGeneration }>(
        'select generation from site_token_keys where site_id = $1',
        [siteId],
      )
      return rows.map(({ generation }) => generation)
    },

    async addKey(siteId, { ciphertext, dataKeyId }) {
      await client.query(`update site_token_keys set generation = 'previous' where site_id = $1`, [
        siteId,
      ])
      await client.query(
        `insert into site_token_keys (site_id, generation, key_ciphertext, data_key_id)
         values ($1, 'current', $2, $3)`,
        [siteId, ciphertext, dataKeyId],
      )
    },

    async removePreviousKey(siteId) {
      await client.query(
        `delete from site_token_keys where site_id = $1 and generation = 'previous'`,
        [siteId],
      )
    },

    async readOrigins(siteId) {
      const { rows } = await client.query<{ token_origins: string[] }>(
        'select token_origins from sites where id = $1',
        [siteId],
      )
      return rows[0]?.token_origins ?? []
    },

    async setOrigins(siteId, origins) {
      await client.query('update sites set token_origins = $2 where id = $1', [siteId, origins])
    },
  }
}
