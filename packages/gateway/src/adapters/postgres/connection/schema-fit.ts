import pg from 'pg'

type Queryable = Pick<pg.Client | pg.Pool, 'query'>

/** The schema and this program do not fit; the message is for operators. */
export class SchemaError extends Error {
  override readonly name: string = 'SchemaError'
}

/** The database has a schema on which this program cannot run. */
export class SchemaTooNewError extends SchemaError {
  override readonly name = 'SchemaTooNewError'

  constructor({ version, oldestProgram }: SchemaState, known: number) {
    super(
      `The database has schema ${version}, and only programs from schema ${oldestProgram} on run ` +
        `on it. This version knows schemas up to ${known}. Start the newer version that migrated ` +
        'it: docs/operators/upgrades.md.',
    )
  }
}

/** The database lacks migrations that this program needs. */
export class SchemaTooOldError extends SchemaError {
  override readonly name = 'SchemaTooOldError'

  constructor({ version }: SchemaState, known: number) {
    const found =
      version === 0
        ? 'The database has no schema yet'
        : `The database has schema ${version}, and this version needs schema ${known}`
    super(
      `${found}. Run \`tollgate migrate\` with a DATABASE_URL of the role that owns the schema, ` +
        'then start again: docs/operators/upgrades.md.',
    )
  }
}

/** The role of DATABASE_URL lacks a right that preparing needs. */
export class SchemaRightsError extends SchemaError {
  override readonly name = 'SchemaRightsError'
}

export interface SchemaState {
  /** The number of the last migration; 0 before the first. */
  readonly version: number
  /** Programs that know this schema, and newer ones, can run on it. */
  readonly oldestProgram: number
}

/**
 * The column `runs_beside` is there since migration 0056. Without it, or without a value, a program
 * has to know the migration.
 */
export const SCHEMA_STATE = `
select coalesce(max(number), 0)::int as version,
       coalesce(max(coalesce((to_jsonb(m) ->> 'runs_beside')::int, number)), 0)::int
         as "oldestProgram"
  from schema_migrations m`

/** Reads the state of a schema; of an empty database too. */
export async function readSchemaState(client: Queryable): Promise<SchemaState> {
  try {
    const { rows } = await client.query<SchemaState>(SCHEMA_STATE)
    return rows[0] as SchemaState
  } catch (error) {
    const { code } = error instanceof pg.DatabaseError ? error : {}
    if (code === UNDEFINED_TABLE) return { version: 0, oldestProgram: 0 }
    if (!lacksRight(error)) throw error
    throw new SchemaRightsError(
      'The database role of DATABASE_URL may not read schema_migrations. Grant it SELECT on ' +
        'that table, or use the role that owns the schema.',
    )
  }
}

const UNDEFINED_TABLE = '42P01'

/** SQLSTATE 42501: insufficient privilege. */
export function lacksRight(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42501'
}

/** Whether a program that knows `known` migrations can run on this schema. */
export function fits({ version, oldestProgram }: SchemaState, known: number): boolean {
  return version >= known && oldestProgram <= known
}

/**
 * The check of everything that uses a database it does not migrate.
 * @throws SchemaTooOldError for missing migrations, SchemaTooNewError for a schema that has left
 * this program behind
 */
export async function assertSchemaFits(client: Queryable, known: number): Promise<void> {
  const state = await readSchemaState(client)
  if (state.version < known) throw new SchemaTooOldError(state, known)
  if (!fits(state, known)) throw new SchemaTooNewError(state, known)
}
