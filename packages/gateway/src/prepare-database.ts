import { ensureDataKeys, loadDataKeys } from './adapters/vault/data-keys.ts'
import { createLocalKeyWrapper } from './adapters/vault/key-wrapper.ts'
import { createSecretSeal } from './adapters/vault/secret-seal.ts'
import { auditMigrations } from './adapters/postgres/audit-log.ts'
import { openDatabase } from './adapters/postgres/database.ts'
import { migrate, readMigrations } from './adapters/postgres/migrate.ts'
import type { Secret } from './base/secret.ts'
import { createDemoMerchants } from './demo-merchants.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'

/**
 * Brings a database to where a worker can serve: schema, data keys, and in the sandbox the demo
 * merchants. Safe to repeat and to run at once by many. Gives the migrations that ran.
 */
export async function prepareDatabase(options: {
  readonly databaseUrl: string
  readonly vaultKey: Secret
  readonly sandbox: boolean
}): Promise<string[]> {
  const ran = await migrate(
    options.databaseUrl,
    await readMigrations(MIGRATIONS_FOLDER),
    auditMigrations(operatorActor()),
  )
  const database = openDatabase(options.databaseUrl, () => undefined)
  try {
    const wrapper = createLocalKeyWrapper(Buffer.from(options.vaultKey.reveal(), 'base64'))
    await ensureDataKeys(database.pool, wrapper)
    // Read back at once, so that a wrong key is told before anything is taken under it.
    const seal = createSecretSeal(await loadDataKeys(database.pool, wrapper))
    if (options.sandbox) await createDemoMerchants(database.pool, seal)
    return ran
  } finally {
    await database.close()
  }
}
