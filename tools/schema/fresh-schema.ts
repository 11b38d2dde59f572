import { connectOnce } from '../../packages/gateway/src/adapters/postgres/connection/address-ring.ts'
import {
  migrate,
  readMigrations,
} from '../../packages/gateway/src/adapters/postgres/connection/migrate.ts'
import { describeSchema } from './catalogue.ts'
import { measureLocks, type MeasuredMigration } from './measured-locks.ts'

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

/** Makes an empty database beside that of the address, and measures the locks of all migrations. */
export async function freshLocks(
  url: string,
  migrationsFolder: string,
): Promise<MeasuredMigration[]> {
  const maker = await connectOnce(url, { connectionTimeoutMillis: 10_000 })
  try {
    await maker.query('create database measured')
  } finally {
    await maker.end()
  }
  const measured = new URL(url)
  measured.pathname = '/measured'
  const client = await connectOnce(measured.href, { connectionTimeoutMillis: 10_000 })
  try {
    return await measureLocks(client, await readMigrations(migrationsFolder))
  } finally {
    await client.end()
  }
}
