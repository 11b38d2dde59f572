import { createSecretKey } from 'node:crypto'
import pg from 'pg'
import { readDataKeys, unwrapKey } from '../../packages/gateway/src/adapters/vault/data-keys.ts'
import { openKeyEncryptingKeys } from '../../packages/gateway/src/adapters/vault/key-encrypting-keys.ts'
import { openSealed } from '../../packages/gateway/src/adapters/vault/sealed-format.ts'
import { threeDsKeyBinding } from '../../packages/gateway/src/adapters/vault/secret-seal.ts'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import type { Mark } from './marks.ts'

/** The private halves of the keys that sign what browsers and shops carry for 3-D Secure. */
async function readSigningKeys(
  pool: pg.Pool,
  dataKeys: ReadonlyMap<number, Buffer>,
): Promise<Mark[]> {
  const { rows } = await pool.query<{ kid: string; sealed: Buffer; id: number }>(
    'select kid, private_key_ciphertext as sealed, data_key_id as id from three_ds_keys',
  )
  return rows.map(({ id, kid, sealed }) => {
    const key = dataKeys.get(id)
    if (key === undefined) throw new Error(`Data key ${id} of a signing key is not there.`)
    const jwk = JSON.parse(
      openSealed({ id, key: createSecretKey(key) }, sealed, threeDsKeyBinding(kid)).toString(
        'utf8',
      ),
    ) as { d: string }
    return { kind: 'bytes', name: `signing key ${kid}`, bytes: Buffer.from(jwk.d, 'base64url') }
  })
}

/**
 * The keys of a run: the key-encrypting key in its file, and the data keys as only a gateway has
 * them.
 */
export async function readKeyMarks(dataDir: string, databaseUrl: string): Promise<Mark[]> {
  const loaded = loadConfig({ DATA_DIR: dataDir })
  if (!loaded.ok || loaded.config.vaultKey === null) throw new Error('The run has no vault key.')
  const vaultKey = Buffer.from(loaded.config.vaultKey.reveal(), 'base64')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const keks = await openKeyEncryptingKeys({ vaultKey: loaded.config.vaultKey })
    const marks: Mark[] = [{ kind: 'bytes', name: 'the vault key', bytes: vaultKey }]
    const dataKeys = new Map<number, Buffer>()
    for (const row of await readDataKeys(pool)) {
      if (row.wrapped === null) continue
      const key = await unwrapKey(keks, row)
      dataKeys.set(Number(row.id), key)
      marks.push({ kind: 'bytes', name: `data key ${row.id}`, bytes: key })
    }
    return [...marks, ...(await readSigningKeys(pool, dataKeys))]
  } finally {
    await pool.end()
  }
}
