import type pg from 'pg'
import { connectOnce } from './address-ring.ts'
import { reasonOf } from './await-database.ts'
import type { DatabaseAddress } from './cluster-memory.ts'
import { reportingProgress, runConcurrently } from './concurrent-index.ts'
import type { Migration } from './migration-files.ts'
import {
  retryingLocks,
  takeMigrationLock,
  USUAL_LIMITS,
  type MigrationLimits,
} from './migration-locks.ts'
import {
  fits,
  readSchemaState,
  lacksRight,
  SchemaError,
  SchemaRightsError,
  SchemaTooNewError,
} from './schema-fit.ts'
import { grantNewObjects } from './serving-roles.ts'

export { readMigrations } from './migration-files.ts'

/** A migration failed. Nothing of it remains, except for an index that the next run replaces. */
export class MigrationFailedError extends SchemaError {
  override readonly name = 'MigrationFailedError'
}

/** Pending migrations would leave the programs behind that use the schema of the database. */
export class StopsNodesError extends SchemaError {
  override readonly name = 'StopsNodesError'

  constructor({ name, header, number }: Migration, version: number) {
    const oldest = header?.runsBeside ?? number
    super(
      `Programs of schema ${version} cannot run on after migration ${name}: it needs programs ` +
        `from schema ${oldest} on. Nothing was applied. Stop every node, and run ` +
        '`tollgate migrate --nodes-stopped`: docs/operators/upgrades.md.',
    )
  }
}

export interface MigrateOptions {
  /** Writes within the transaction of each migration, after it. */
  readonly onApplied?: (client: pg.ClientBase, migration: Migration) => Promise<void>
  /** Gets a line about each step. */
  readonly report?: (line: string) => void
  /** Nodes run on: migrations that would leave them behind are refused with StopsNodesError. */
  readonly besideNodes?: boolean
  readonly limits?: MigrationLimits
}

/**
 * Brings the schema up to date; safe to run by many processes at once. Returns the names of the
 * migrations that ran. Throws SchemaTooNewError and changes nothing when the database has left this
 * program behind.
 */
export async function migrate(
  address: DatabaseAddress,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<string[]> {
  const { report = () => undefined } = options
  const client = await connectOnce(address, {
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'tollgate migrate',
    // The role's usual limits are for payments.
    options: '-c statement_timeout=0 -c lock_timeout=0',
  })
  // The statement that needs the connection reports its end.
  client.on('error', () => undefined)
  const ran: string[] = []
  try {
    await takeMigrationLock(client, report)
    await ensureTable(client)
    const state = await readSchemaState(client)
    const pending = migrations.slice(state.version)
    if (pending.length === 0 && !fits(state, migrations.length)) {
      throw new SchemaTooNewError(state, migrations.length)
    }
    await assertMayMigrate(client, pending[0])
    if (options.besideNodes === true) assertNodesRunOn(pending, state.version)
    for (const migration of pending) {
      report(`${migration.name}: applying`)
      try {
        if (isConcurrent(migration)) await applyConcurrently(client, address, migration, options)
        else await applyInTransaction(client, migration, options)
      } catch (error) {
        throw failureOf(error, migration, ran)
      }
      report(`${migration.name}: applied`)
      ran.push(migration.name)
    }
    return ran
  } finally {
    // Ending the session also gives the lock back and rolls an unfinished migration back.
    await client.end().catch(() => undefined)
  }
}

async function ensureTable(client: pg.Client): Promise<void> {
  // Asked first: "if not exists" wants the right to make tables even where there is nothing to
  // make.
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  )
  if (rows[0]?.there === true) return
  try {
    await client.query(
      `create table schema_migrations (
         number integer primary key, name text not null,
         applied_at timestamptz not null default now())`,
    )
  } catch (error) {
    if (!lacksRight(error)) throw error
    throw new SchemaRightsError(
      'The database has no schema yet, and the role of DATABASE_URL may not create tables in it. ' +
        'Use the role that owns the database, or grant the role CREATE on the schema public.',
    )
  }
}

/** Said before a migration waits for a lock, rather than in the words of its first statement. */
async function assertMayMigrate(client: pg.Client, next: Migration | undefined): Promise<void> {
  if (next === undefined) return
  const { rows } = await client.query<{ may: boolean; role: string; owner: string }>(
    `select pg_has_role(relowner, 'usage') as may, current_user::text as role,
            pg_get_userbyid(relowner)::text as owner
       from pg_class where oid = 'schema_migrations'::regclass`,
  )
  const [found] = rows
  if (found === undefined || found.may) return
  throw new SchemaRightsError(
    `The database role ${found.role} may not apply migration ${next.name}. Run ` +
      `\`tollgate migrate\` with a DATABASE_URL of the role ${found.owner}, which owns the schema.`,
  )
}

/** Nothing runs on a database without a schema. */
function assertNodesRunOn(pending: readonly Migration[], version: number): void {
  const stops = pending.find(({ header, number }) => (header?.runsBeside ?? number) > version)
  if (version > 0 && stops !== undefined) throw new StopsNodesError(stops, version)
}

async function applyInTransaction(
  client: pg.Client,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  const { limits = USUAL_LIMITS, report = () => undefined } = options
  await retryingLocks(client, limits, report, async () => {
    // The number first: should two ever run the same migration, the second stops here.
    await recordNumber(client, migration)
    await client.query(migration.sql)
    await recordRest(client, migration, options)
  })
}

/** Without a limit for locks: payments do not queue behind a concurrent build that waits. */
async function applyConcurrently(
  client: pg.Client,
  address: DatabaseAddress,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  const { limits = USUAL_LIMITS, report = () => undefined } = options
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const statements = migration.header?.concurrently ?? []
  await reportingProgress(address, rows[0]?.pid ?? 0, report, () =>
    runConcurrently(client, statements, report),
  )
  await retryingLocks(client, limits, report, async () => {
    await recordNumber(client, migration)
    await recordRest(client, migration, options)
  })
}

async function recordNumber(client: pg.Client, { number, name }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (number, name) values ($1, $2)', [number, name])
}

async function recordRest(
  client: pg.Client,
  migration: Migration,
  { onApplied }: MigrateOptions,
): Promise<void> {
  const { number, header } = migration
  if (header !== undefined) {
    await client.query('update schema_migrations set runs_beside = $2 where number = $1', [
      number,
      header.runsBeside,
    ])
  }
  await grantNewObjects(client)
  await onApplied?.(client, migration)
}

function isConcurrent({ header }: Migration): boolean {
  return header !== undefined && header.concurrently !== null
}

function failureOf(error: unknown, migration: Migration, ran: readonly string[]): Error {
  const { name } = migration
  const rest = isConcurrent(migration)
    ? 'After a lost connection it can leave an invalid index, which the next run replaces.'
    : 'Nothing of it was applied.'
  const before = ran.length === 0 ? '' : ` Applied before it: ${ran.join(', ')}.`
  return new MigrationFailedError(
    `Migration ${name} failed: ${reasonOf(error)}. ${rest}${before} Running nodes serve on. ` +
      'Remove the cause, and run `tollgate migrate` again: docs/operators/upgrades.md.',
    { cause: error },
  )
}
