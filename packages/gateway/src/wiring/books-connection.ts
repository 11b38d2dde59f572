import pg from 'pg'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import { reasonOf } from '../adapters/postgres/connection/await-database.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { isDatabaseAway } from '../adapters/postgres/connection/database.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits, SchemaError } from '../adapters/postgres/connection/schema-fit.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'

/** The database cannot be queried; says why in whole sentences, without its address. */
export class BooksUnavailableError extends Error {
  override readonly name = 'BooksUnavailableError'
}

// Whole tables are joined here. Until their sizes are known, a plan that looks up row by row would
// take hours.
const FOR_REPORTS = '-c work_mem=64MB -c statement_timeout=0 -c enable_nestloop=off -c jit=off'

/**
 * Lends a connection of its own to a command.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export async function withConnection<T>(
  databaseUrl: DatabaseAddress,
  work: (client: pg.Client) => Promise<T>,
  options = FOR_REPORTS,
): Promise<T> {
  const client = await connect(databaseUrl, {
    connectionTimeoutMillis: 5_000,
    application_name: 'tollgate books',
    options,
  })
  try {
    await assertSchemaFits(client, (await readMigrations(MIGRATIONS_FOLDER)).length)
    return await work(client)
  } catch (error) {
    if (error instanceof SchemaError) throw new BooksUnavailableError(error.message)
    if (isDatabaseAway(error)) {
      throw new BooksUnavailableError(`The database stopped answering: ${reasonOf(error)}.`)
    }
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function connect(databaseUrl: DatabaseAddress, config: pg.ClientConfig): Promise<pg.Client> {
  try {
    return await connectOnce(databaseUrl, config)
  } catch (error) {
    throw new BooksUnavailableError(
      `The database cannot be connected to: ${reasonOf(error)}. ` +
        'Start Tollgate, or check DATABASE_URL.',
    )
  }
}
