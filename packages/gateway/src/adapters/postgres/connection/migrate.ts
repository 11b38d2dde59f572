import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { connectOnce } from './address-ring.ts'
import type { DatabaseAddress } from './cluster-memory.ts'
import { inTransactionOn } from './transaction.ts'

/** Held while migrating, so that several gateways may start at once. Any fixed number does. */
const MIGRATION_LOCK = 4_140_001

/** The database has a schema that this program does not know. */
export class SchemaTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database has schema ${found}, but this version knows schemas up to ${known} only. ` +
        'Start the newer version that migrated it, or restore a backup taken before.',
    )
    this.name = 'SchemaTooNewError'
  }
}

/** The role of DATABASE_URL lacks a right that preparing needs; the message is for operators. */
export class SchemaRightsError extends Error {
  override readonly name = 'SchemaRightsError'
}

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** Reads `NNNN_name.sql` files in order; a gap or a repeated number is an error. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, at) => {
      const number = Number(name.slice(0, 4))
      if (number !== at + 1) {
        throw new Error(`Migration ${name} is out of sequence: number ${at + 1} was expected.`)
      }
      return { number, name, sql: await readFile(`${folder}/${name}`, 'utf8') }
    }),
  )
}

/**
 * Brings the schema up to date; safe to run by many processes at once. Returns the names of the
 * migrations that ran. Throws SchemaTooNewError and changes nothing when the database is ahead.
 * `onApplied` writes within the transaction of each migration, after it.
 */
export async function migrate(
  url: DatabaseAddress,
  migrations: readonly Migration[],
  onApplied: (client: pg.ClientBase, migration: Migration) => Promise<void> = () =>
    Promise.resolve(),
): Promise<string[]> {
  const client = await connectOnce(url, { connectionTimeoutMillis: 10_000 })
  const ran: string[] = []
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    // Asked first: "if not exists" wants the right to make tables even where there is nothing to
    // make.
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('schema_migrations') is not null as there`,
    )
    if (rows[0]?.there !== true) {
      await client.query(
        `create table schema_migrations (
           number integer primary key, name text not null, applied_at timestamptz not null default now())`,
      )
    }
    const done = await schemaVersion(client)
    if (done > migrations.length) throw new SchemaTooNewError(done, migrations.length)
    const pending = migrations.slice(done)
    const [next] = pending
    if (next !== undefined) await assertMayMigrate(client, next)
    for (const migration of pending) {
      await inTransactionOn(client, null, async () => {
        // The number first: should two ever run the same migration, the second stops here.
        await client.query('insert into schema_migrations (number, name) values ($1, $2)', [
          migration.number,
          migration.name,
        ])
        await client.query(migration.sql)
        await onApplied(client, migration)
      })
      ran.push(migration.name)
    }
    return ran
  } finally {
    // Ending the session also gives the lock back and rolls an unfinished migration back.
    await client.end()
  }
}

/** Said before a migration waits for a lock, rather than in the words of its first statement. */
async function assertMayMigrate(client: pg.ClientBase, { name }: Migration): Promise<void> {
  const { rows } = await client.query<{ may: boolean; role: string; owner: string }>(
    `select pg_has_role(relowner, 'usage') as may, current_user::text as role,
            pg_get_userbyid(relowner)::text as owner
       from pg_class where oid = 'schema_migrations'::regclass`,
  )
  const [found] = rows
  if (found === undefined || found.may) return
  throw new SchemaRightsError(
    `The database role ${found.role} may not apply migration ${name}. Start Tollgate once with ` +
      `a DATABASE_URL of the role ${found.owner}, which owns the schema.`,
  )
}

/** Throws SchemaTooNewError when the database is ahead; what a worker checks before it serves. */
export async function assertSchemaKnown(
  pool: Pick<pg.Client | pg.Pool, 'query'>,
  known: number,
): Promise<void> {
  const found = await schemaVersion(pool)
  if (found > known) throw new SchemaTooNewError(found, known)
}

async function schemaVersion(client: Pick<pg.Client | pg.Pool, 'query'>): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>(
      'select coalesce(max(number), 0)::integer as version from schema_migrations',
    )
    return (rows[0] as { version: number }).version
  } catch (error) {
    if (lacksRight(error)) {
      throw new SchemaRightsError(
        'The database role of DATABASE_URL may not read schema_migrations. Grant it SELECT on ' +
          'that table, or use the role that owns the schema.',
      )
    }
    throw error
  }
}

/** SQLSTATE 42501: insufficient privilege. */
function lacksRight(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42501'
}
