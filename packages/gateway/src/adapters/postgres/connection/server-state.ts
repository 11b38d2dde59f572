import pg from 'pg'
import { databaseAddresses } from '../../../base/database-addresses.ts'
import type { AskedServer, ServerState } from './primary-choice.ts'

// The name of the current log file begins with the timeline, which a promotion changes at once. A
// standby has its control file only, which follows with the next checkpoint.
// https://www.postgresql.org/docs/current/functions-admin.html
const READ_STATE = `
select pg_is_in_recovery() as "isStandby",
       not pg_is_in_recovery()
         and current_setting('transaction_read_only') = 'off' as "takesWrites",
       case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
            else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
             end as timeline,
       (select system_identifier::text from pg_control_system()) as "systemIdentifier",
       extract(epoch from pg_postmaster_start_time())::text as "startedAt"`

/** Needs no right that PostgreSQL does not give to every role. */
export async function readServerState(client: pg.ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(READ_STATE)
  return rows[0] as ServerState
}

const ASK_WITHIN_MS = 2_000

/** Asks a server on a connection of its own: two seconds to connect, and two for the answer. */
async function askServer(connectionString: string): Promise<ServerState | Error> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: ASK_WITHIN_MS,
    query_timeout: ASK_WITHIN_MS,
    application_name: 'tollgate servers',
  })
  client.on('error', () => undefined) // The query reports it.
  try {
    await client.connect()
    return await readServerState(client)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    // A server that has lost its power would answer neither.
    client.end().catch(() => undefined)
  }
}

/** Asks every server of a DATABASE_URL at once, in the sequence of its addresses. */
export async function askServers(url: string): Promise<AskedServer[]> {
  const asked = databaseAddresses(url).map(async (address) => ({
    label: labelOf(address),
    state: await askServer(address),
  }))
  return Promise.all(asked)
}

/** Host and port of one address, without the password. */
export function labelOf(address: string): string {
  const [, host = ''] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]*)/i.exec(address) ?? []
  return host === '' ? 'DATABASE_URL' : host
}
