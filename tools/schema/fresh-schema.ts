import { connectOnce } from '../../packages/gateway/src/adapters/postgres/connection/address-ring.ts'
import {
  migrate,
  readMigrations,
} from '../../packages/gateway/src/adapters/postgres/connection/migrate.ts'
import { describeSchema } from './catalogue.ts'

/** Migrates an empty database, and describes the result. */
export async function freshSchema(url: string, migrationsFolder: string): Promise<string> {
  await migrate(url, await readMigrations(migrationsFolder))
  const client = await connectOnce(url, { connectionTimeoutMillis: 10_000 })
  try {
    return await describeSchema(client)
  } finally {
    await client.end()
  }
}
