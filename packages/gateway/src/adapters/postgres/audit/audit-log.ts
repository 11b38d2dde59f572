import type pg from 'pg'
import { settingChange } from '../../../domain/events/setting-change.ts'
import type { AuditEntry, AuditLog } from '../../../usecases/audit/audit-log.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { recordFacts, wholeFact } from '../events/outbox.ts'
import { withResetMarks } from './reset-marks.ts'

// The database numbers and chains the entries in the sequence in which they are inserted. Every
// other entry waits from here to the commit. A process that is stopped in between therefore loses
// its transaction after this time, regardless of its other limits.
const APPEND = appendInto('operation')

function appendInto(operationColumn: 'operation' | 'act'): string {
  return `insert into audit_entries (actor, ${operationColumn}, object, merchant_id, address, result, details)
select actor, operation, object, merchant_id, address, result, details
  from rows from (json_to_recordset($1) as
         (actor text, operation text, object text, merchant_id bigint, address text, result text, details text))
       with ordinality as entries (actor, operation, object, merchant_id, address, result, details, position),
       (select set_config('idle_in_transaction_session_timeout', '5s', true)) as limited
 order by position`
}

/**
 * Appends within the open transaction of `client`, so that an operation and its entry are one. Call
 * it last: until the commit every other entry waits.
 */
export async function appendAudit(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  await recordChanges(client, entries)
  const marked = await withResetMarks(client, entries)
  await client.query(APPEND, [rowsOf(marked)])
}

/** Records the changes of settings that integrators must know. */
async function recordChanges(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (const { actor, details, merchantId, object = '', operation, result } of entries) {
    const settings = Object.keys(details ?? {})
    const change = settingChange({ operation, object, isDone: result === 'done', settings, actor })
    if (change === null || merchantId === undefined) continue
    const siteId = change.type === 'site.changed' ? change.siteId : null
    const objectId = change.type === 'site.changed' ? siteId : await findUser(client, change.name)
    if (objectId === null) continue
    const { content, type } = change
    await recordFacts(client, [{ ...wholeFact(type, merchantId, objectId, content), siteId }])
  }
}

async function findUser(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  name: string,
): Promise<bigint | null> {
  const { rows } = await client.query<{ id: string }>(
    'select id from api_users where username = $1',
    [name],
  )
  return rows[0] === undefined ? null : BigInt(rows[0].id)
}

function rowsOf(entries: readonly AuditEntry[]): string {
  return JSON.stringify(
    entries.map((entry) => ({
      actor: storable(entry.actor),
      operation: entry.operation,
      object: storable(entry.object ?? ''),
      merchant_id: entry.merchantId?.toString() ?? null,
      address: storable(entry.address ?? ''),
      result: entry.result,
      details: JSON.stringify(entry.details ?? {}),
    })),
  )
}

/**
 * Unauthenticated input may hold characters that no PostgreSQL text can; it must not keep an entry
 * from the log.
 */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

export interface AuditLogStore extends AuditLog {
  /** Resolves when nothing is waiting to be written. */
  idle(): Promise<void>
}

/** Entries of a running gateway: those that come together share a commit. */
export function createAuditLog(database: Database): AuditLogStore {
  const pool = database.lane('audit')
  const lane = createGroupLane<AuditEntry, null>({
    groupSize: 64,
    limit: 20_000,
    async write(entries) {
      await appendAudit(pool, entries)
      return entries.map(() => null)
    },
  })
  return {
    async append(entry) {
      await lane.submit(entry)
    },
    idle: () => lane.idle(),
  }
}

/** For `migrate`: what it does is on record as soon as there is a log to write into. */
export function auditMigrations(
  actor: string,
): (client: pg.ClientBase, migration: { readonly name: string }) => Promise<void> {
  const waiting: AuditEntry[] = []
  return async (client, { name }) => {
    waiting.push({ actor, operation: 'schema.migrated', object: `schema ${name}`, result: 'done' })
    const { rows } = await client.query<{ column: 'operation' | 'act' }>(
      `select attname as column from pg_attribute
        where attrelid = to_regclass('audit_entries') and attname in ('operation', 'act') and not attisdropped`,
    )
    // Migration 0025 gives the column its name; the ones before it write into the old one.
    const column = rows[0]?.column
    if (column !== undefined) await client.query(appendInto(column), [rowsOf(waiting.splice(0))])
  }
}
