import pg from 'pg'
import { readDataKeys, unwrapKey } from '../../packages/gateway/src/adapters/vault/data-keys.ts'
import { openKeyEncryptingKeys } from '../../packages/gateway/src/adapters/vault/key-encrypting-keys.ts'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import type { Mark } from './marks.ts'

/** The keys of a run: the key-encrypting key in its file, and the data keys as only a gateway has them. */
export async function readKeyMarks(dataDir: string, databaseUrl: string): Promise<Mark[]> {
  const loaded = loadConfig({ DATA_DIR: dataDir })
  if (!loaded.ok || loaded.config.vaultKey === null) throw new Error('The run has no vault key.')
  const vaultKey = Buffer.from(loaded.config.vaultKey.reveal(), 'base64')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const keks = await openKeyEncryptingKeys({ vaultKey: loaded.config.vaultKey })
    const marks: Mark[] = [{ kind: 'bytes', name: 'the vault key', bytes: vaultKey }]
    for (const row of await readDataKeys(pool)) {
      if (row.wrapped === null) continue
      marks.push({ kind: 'bytes', name: `data key ${row.id}`, bytes: await unwrapKey(keks, row) })
    }
    return marks
  } finally {
    await pool.end()
  }
}
