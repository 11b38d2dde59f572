import type pg from 'pg'
import {
  type LockDuration,
  type Migration,
  type TableLock,
} from '../../packages/gateway/src/adapters/postgres/connection/migration-files.ts'

/** A migration with the locks that PostgreSQL reported while it ran. */
export interface MeasuredMigration {
  readonly migration: Migration
  readonly locks: readonly TableLock[]
}

/** Weak ones that only a change of the schema notices. */
const UNNOTICED = new Set(['AccessShareLock', 'RowShareLock'])

const TABLES = `
select c.oid::int as oid, c.relname::text as name, c.relfilenode::int as file,
       -- Of this transaction, and of earlier ones that the server has not summed up yet.
       coalesce((select seq_scan from pg_stat_xact_all_tables where relid = c.oid), 0)::int as scans
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`

const LOCKS = `
select l.relation::int as oid, l.mode from pg_locks l
 where l.pid = pg_backend_pid() and l.granted and l.relation = any ($1::int[])`

interface Table {
  readonly oid: number
  readonly name: string
  readonly file: number
  readonly scans: number
}

interface Held {
  readonly oid: number
  readonly mode: string
}

/**
 * Migrates an empty database, and lists what each migration locks of the tables that were there
 * before it. Tables are empty, so it sees whether a migration reads a table, and not for how long.
 */
export async function measureLocks(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<MeasuredMigration[]> {
  await client.query('create table schema_migrations (number integer, name text)')
  const measured: MeasuredMigration[] = []
  for (const migration of migrations) {
    measured.push({ migration, locks: await measure(client, migration) })
  }
  return measured
}

async function measure(client: pg.Client, { header, sql }: Migration): Promise<TableLock[]> {
  if (header !== undefined && header.concurrently !== null) {
    // Its locks come and go, and PostgreSQL's manual fixes which they are.
    for (const { sql: statement } of header.concurrently) await client.query(statement)
    return [...header.locks]
  }
  await client.query('begin')
  const { rows: before } = await client.query<Table>(TABLES)
  await client.query(sql)
  const { rows: held } = await client.query<Held>(LOCKS, [before.map(({ oid }) => oid)])
  const { rows: now } = await client.query<Table>(TABLES)
  await client.query('commit')
  return before
    .map((table) => strongest(table, held, now))
    .filter((lock) => lock !== null)
    .toSorted((one, other) => (one.table < other.table ? -1 : 1))
}

/** From the weakest to the strongest. */
const MODES = [
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]

function strongest(table: Table, held: readonly Held[], now: readonly Table[]): TableLock | null {
  const own = held.filter(({ mode, oid }) => oid === table.oid && !UNNOTICED.has(mode))
  const modes = own.map(({ mode }) => mode)
  const mode = MODES.findLast((each) => modes.includes(each))
  if (mode === undefined) return null
  const { file, scans } = now.find(({ oid }) => oid === table.oid) ?? table
  const words = mode.replace(/Lock$/, '').replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
  const duration: LockDuration =
    file !== table.file
      ? 'rewrites the table'
      : scans > table.scans
        ? 'reads the table'
        : mode === 'RowExclusiveLock'
          ? 'changes rows'
          : 'milliseconds'
  return { table: table.name, mode: words.toLowerCase(), duration }
}
