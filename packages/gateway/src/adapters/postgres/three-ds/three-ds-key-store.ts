import type pg from 'pg'
import type { Secret } from '../../../base/secret.ts'
import type { SigningKeyStore } from '../../../usecases/three-ds/signing-key-store.ts'
import { inTransaction } from '../connection/transaction.ts'

/** Seals and opens private keys; `kid` is what a ciphertext is bound to. */
export interface SigningKeySeal {
  seal(
    key: Secret,
    kid: string,
  ): Promise<{ readonly ciphertext: Uint8Array; readonly dataKeyId: number }>
  open(ciphertext: Uint8Array, kid: string): Promise<Secret>
}

/** A process that waits for the lock reads once it has it, and finds the key of the first. */
const LOCK = `select pg_advisory_xact_lock(hashtext('three_ds_keys'))`

const ADD = `
insert into three_ds_keys (kid, public_key, private_key_ciphertext, data_key_id, created_at)
select $1, $2, $3, $4, $5
 where not exists (select from three_ds_keys where created_at >= $6)`

const FORGET = `
delete from three_ds_keys k
 where exists (select from three_ds_keys n where n.created_at > k.created_at and n.created_at < $1)`

export function createThreeDsKeyStore(pool: pg.Pool, keySeal: SigningKeySeal): SigningKeyStore {
  return {
    async read() {
      const { rows } = await pool.query<{
        kid: string
        public_key: string
        private_key_ciphertext: Buffer
        created_at: Date
      }>({
        name: 'read 3-D Secure keys',
        text: `select kid, public_key::text, private_key_ciphertext, created_at
                 from three_ds_keys order by created_at desc`,
      })
      return rows.map((row) => ({
        kid: row.kid,
        publicKey: row.public_key,
        createdAt: row.created_at,
        open: () => keySeal.open(row.private_key_ciphertext, row.kid),
      }))
    },

    async add({ kid, publicKey, privateKey, createdAt }, since) {
      const { ciphertext, dataKeyId } = await keySeal.seal(privateKey, kid)
      await inTransaction(pool, null, async (client) => {
        await client.query(LOCK)
        await client.query(ADD, [kid, publicKey, ciphertext, dataKeyId, createdAt, since])
      })
    },

    async forget(succeededBefore) {
      await pool.query(FORGET, [succeededBefore])
    },
  }
}
