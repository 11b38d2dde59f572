import { appendAudit, auditMigrations } from '../adapters/postgres/audit/audit-log.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { migrate } from '../adapters/postgres/connection/migrate.ts'
import { readMigrations, type Migration } from '../adapters/postgres/connection/migration-files.ts'
import {
  fits,
  readSchemaState,
  SchemaTooNewError,
} from '../adapters/postgres/connection/schema-fit.ts'
import { grantServing, servingRoleFault } from '../adapters/postgres/connection/serving-roles.ts'
import { AUDITED, inTransactionOn } from '../adapters/postgres/connection/transaction.ts'
import { refused, type Result } from '../base/refusal.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'

export type { Migration } from '../adapters/postgres/connection/migration-files.ts'
export { SchemaError } from '../adapters/postgres/connection/schema-fit.ts'

export interface AppliedMigration {
  readonly name: string
  readonly at: Date
}

/** The schema of a database as `tollgate migrate status` shows it. */
export interface SchemaView {
  /** The number of the last applied migration; 0 for none. */
  readonly version: number
  /** The last migration of this program. */
  readonly known: number
  readonly applied: readonly AppliedMigration[]
  readonly pending: readonly Migration[]
  /** Why this program cannot run on the schema, although nothing is pending; null if it can. */
  readonly leftBehind: string | null
}

/** Reads what is applied and what would be. Changes nothing. */
export async function inspectSchema(address: DatabaseAddress): Promise<SchemaView> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const client = await connectOnce(address, CONNECTION)
  try {
    const state = await readSchemaState(client)
    const { rows: applied } =
      state.version === 0
        ? { rows: [] }
        : await client.query<AppliedMigration>(
            'select name, applied_at as at from schema_migrations order by number',
          )
    const known = migrations.length
    return {
      version: state.version,
      known,
      applied,
      pending: migrations.slice(state.version),
      leftBehind:
        state.version > known && !fits(state, known)
          ? new SchemaTooNewError(state, known).message
          : null,
    }
  } finally {
    await client.end()
  }
}

export interface MigrateRequest {
  /** Gets the documented rights on everything; null: only the roles that serve already. */
  readonly servingRole: string | null
  /** No node runs, so migrations may leave older programs behind. */
  readonly nodesStopped: boolean
  readonly report: (line: string) => void
}

/**
 * Applies what is pending, one migration after the other, and grants rights.
 * @throws SchemaError with a sentence for the operator; a failed migration leaves nothing of itself
 */
export async function migrateDatabase(
  address: DatabaseAddress,
  { servingRole, nodesStopped, report }: MigrateRequest,
): Promise<Result<{ readonly ran: readonly string[] }>> {
  const ran = await migrate(address, await readMigrations(MIGRATIONS_FOLDER), {
    onApplied: auditMigrations(operatorActor()),
    report,
    besideNodes: !nodesStopped,
  })
  const fault = servingRole === null ? null : await grantTo(address, servingRole, report)
  return fault === null ? { ok: true, ran } : refused('invalid', fault)
}

const CONNECTION = { connectionTimeoutMillis: 10_000, application_name: 'tollgate migrate' }

/** Returns why the role cannot serve; null when it has its rights. */
async function grantTo(
  address: DatabaseAddress,
  role: string,
  report: (line: string) => void,
): Promise<string | null> {
  const client = await connectOnce(address, CONNECTION)
  try {
    const fault = await servingRoleFault(client, role)
    if (fault !== null) return fault
    const objects = await inTransactionOn(client, AUDITED, async () => {
      const granted = await grantServing(client, role)
      await appendAudit(client, [
        {
          actor: operatorActor(),
          operation: 'schema.granted',
          object: `role ${role}`,
          result: 'done',
          details: { objects: granted },
        },
      ])
      return granted
    })
    report(`The role ${role} may serve: it has rights on ${objects} tables, views and sequences.`)
    return null
  } finally {
    await client.end()
  }
}
