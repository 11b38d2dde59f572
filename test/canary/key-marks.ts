import pg from 'pg'
import { loadDataKeys } from '../../packages/gateway/src/adapters/vault/data-keys.ts'
import { createLocalKeyWrapper } from '../../packages/gateway/src/adapters/vault/key-wrapper.ts'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import type { Mark } from './marks.ts'

/** The keys of a run: the key-encrypting key in its file, and the data keys as only a gateway has them. */
export async function readKeyMarks(dataDir: string, databaseUrl: string): Promise<Mark[]> {
  const loaded = loadConfig({ DATA_DIR: dataDir })
  if (!loaded.ok || loaded.config.vaultKey === null) throw new Error('The run has no vault key.')
  const vaultKey = Buffer.from(loaded.config.vaultKey.reveal(), 'base64')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const { pan, fingerprint } = await loadDataKeys(pool, createLocalKeyWrapper(vaultKey))
    return [
      { kind: 'bytes', name: 'the vault key', bytes: vaultKey },
      ...[...pan, fingerprint].map(({ key, id }) => ({
        kind: 'bytes' as const,
        name: `data key ${id}`,
        bytes: key,
      })),
    ]
  } finally {
    await pool.end()
  }
}
