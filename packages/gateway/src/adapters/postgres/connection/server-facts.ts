import type pg from 'pg'
import type { Clock } from '../../../base/clock.ts'
import { SCHEMA_STATE, type SchemaState } from './schema-fit.ts'

/** Facts about a database server that an operator has to know before it serves payments. */
export interface ServerFacts {
  /** Such as `18.4`. */
  readonly version: string
  readonly versionNumber: number
  /** Whether this connection is encrypted; null over a Unix socket, which needs none. */
  readonly isEncrypted: boolean | null
  /** Settings of the server that decide whether a committed payment survives a crash. */
  readonly fsync: boolean
  readonly fullPageWrites: boolean
  readonly synchronousCommit: string
  readonly encoding: string
  /** Connections that the server allows, and those that are open. */
  readonly mostConnections: number
  readonly connections: number
  /** The server's clock minus this machine's, in milliseconds, and how exactly it was measured. */
  readonly clockAheadMs: number
  readonly clockDoubtMs: number
  readonly role: string
  /** Null before the first migration. */
  readonly schema: SchemaFacts | null
}

export interface SchemaFacts extends SchemaState {
  /** Whether the role could switch off the triggers that protect the audit log. */
  readonly ownsAuditLog: boolean
  /** Tables that the role may not read. */
  readonly unreadable: readonly string[]
  /** Time zones of merchants that the server does not know. */
  readonly unknownZones: readonly string[]
}

const SERVER = `
select current_setting('server_version') as version,
       current_setting('server_version_num')::int as "versionNumber",
       case when inet_server_addr() is null then null
            else coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)
             end as "isEncrypted",
       current_setting('fsync') = 'on' as fsync,
       current_setting('full_page_writes') = 'on' as "fullPageWrites",
       current_setting('synchronous_commit') as "synchronousCommit",
       current_setting('server_encoding') as encoding,
       current_setting('max_connections')::int as "mostConnections",
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
         as connections,
       current_user::text as role,
       to_regclass('schema_migrations') is not null as "hasSchema"`

const SCHEMA = `
select state.version, state."oldestProgram",
       (select pg_has_role(relowner, 'usage') from pg_class
         where oid = 'audit_entries'::regclass) as "ownsAuditLog",
       array(select relname::text from pg_class
              where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
                -- Its parent's rights are those of a partition.
                and not relispartition
                and not has_table_privilege(oid, 'select') order by 1) as unreadable
  from (${SCHEMA_STATE}) state`

const UNKNOWN_ZONES = `
select distinct time_zone from merchants
 where time_zone not in (select name from pg_timezone_names) order by 1`

/** Reads the facts. Needs no right beyond those of a serving role. */
export async function readServerFacts(client: pg.ClientBase, own: Clock): Promise<ServerFacts> {
  const clock = await readClock(client, own)
  const { rows } = await client.query<
    Omit<ServerFacts, 'schema' | 'clockAheadMs' | 'clockDoubtMs'> & { readonly hasSchema: boolean }
  >(SERVER)
  const [row] = rows
  if (row === undefined) throw new Error('The server returned no settings.')
  const { hasSchema, ...facts } = row
  return { ...facts, ...clock, schema: hasSchema ? await readSchema(client) : null }
}

async function readClock(
  client: pg.ClientBase,
  own: Clock,
): Promise<Pick<ServerFacts, 'clockAheadMs' | 'clockDoubtMs'>> {
  const before = own.now().getTime()
  const { rows } = await client.query<{ ms: string }>(
    'select extract(epoch from clock_timestamp()) * 1000 as ms',
  )
  const after = own.now().getTime()
  const clockDoubtMs = (after - before) / 2
  return { clockAheadMs: Math.round(Number(rows[0]?.ms) - before - clockDoubtMs), clockDoubtMs }
}

async function readSchema(client: pg.ClientBase): Promise<SchemaFacts> {
  const { rows } = await client.query<Omit<SchemaFacts, 'unknownZones'>>(SCHEMA)
  const [schema] = rows
  if (schema === undefined) throw new Error('The server returned no schema.')
  const unknownZones = schema.unreadable.includes('merchants')
    ? []
    : (await client.query<{ time_zone: string }>(UNKNOWN_ZONES)).rows.map((row) => row.time_zone)
  return { ...schema, unknownZones }
}
