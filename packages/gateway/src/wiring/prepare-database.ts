import { auditing } from '../adapters/postgres/audit/admin-transaction.ts'
import { auditMigrations } from '../adapters/postgres/audit/audit-log.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { openDatabase } from '../adapters/postgres/connection/database.ts'
import { migrate, readMigrations } from '../adapters/postgres/connection/migrate.ts'
import { assertSchemaFits } from '../adapters/postgres/connection/schema-fit.ts'
import { ensureDataKeys } from '../adapters/vault/key-admin.ts'
import { openKeyEncryptingKeys, type KekSettings } from '../adapters/vault/key-encrypting-keys.ts'
import { openKeyRing } from '../adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../adapters/vault/place-seal.ts'
import { createSecretSeal } from '../adapters/vault/secret-seal.ts'
import { createDemoMerchants } from './demo-merchants.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'

export type PrepareOptions = KekSettings & {
  readonly databaseUrl: DatabaseAddress
  readonly sandbox: boolean
  /** The schema is only checked: an operator migrates it before the start. */
  readonly checksSchema?: boolean
}

/**
 * Brings a database to where a worker can serve: schema, data keys, and in the sandbox the demo
 * merchants. Safe to repeat and to run at once by many. Gives the migrations that ran.
 */
export async function prepareDatabase(options: PrepareOptions): Promise<string[]> {
  const keks = await openKeyEncryptingKeys(options)
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const ran =
    options.checksSchema === true
      ? []
      : await migrate(options.databaseUrl, migrations, {
          onApplied: auditMigrations(operatorActor()),
        })
  const database = openDatabase(options.databaseUrl, () => undefined)
  try {
    const { pool } = database
    await assertSchemaFits(pool, migrations.length)
    const client = await pool.connect()
    try {
      await ensureDataKeys({ client, actor: operatorActor(), ...auditing }, keks)
    } finally {
      client.release()
    }
    // Read back at once, so that a wrong key is reported before anything is taken under it.
    const monotonicMs = (): number => performance.now()
    const keys = await openKeyRing({
      database: pool,
      keks,
      worker: null,
      monotonicMs,
      onTrouble: () => undefined,
    })
    if (options.sandbox) await createDemoMerchants(pool, createSecretSeal(createPlaceSeal(keys)))
    return ran
  } finally {
    await database.close()
  }
}
