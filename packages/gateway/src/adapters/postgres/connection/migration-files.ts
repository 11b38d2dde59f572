import { readdir, readFile } from 'node:fs/promises'

/** How long a lock of a migration is held, in the words of docs/operators/migrations.md. */
export const LOCK_DURATIONS = [
  'milliseconds',
  'changes rows',
  'reads the table',
  'rewrites the table',
] as const
export type LockDuration = (typeof LOCK_DURATIONS)[number]

/** A lock on a table that was there before the migration. */
export interface TableLock {
  readonly table: string
  /** In the words of PostgreSQL's manual, such as `access exclusive`. */
  readonly mode: string
  readonly duration: LockDuration
}

/** The statements of a migration's first lines. Migrations before 0056 have none. */
export interface MigrationHeader {
  readonly locks: readonly TableLock[]
  /** Programs that know this schema run on after the migration. */
  readonly runsBeside: number
  /** Statements that run outside of a transaction, one after the other; null for plain SQL. */
  readonly concurrently: readonly IndexStatement[] | null
}

/** Builds or drops one index while the table is written to. */
export interface IndexStatement {
  readonly kind: 'create' | 'drop'
  readonly index: string
  readonly sql: string
}

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly header?: MigrationHeader
}

/** The first migration that has a header. */
export const HEADERS_SINCE = 56

/** Reads `NNNN_name.sql` files in order; a gap, a repeated number or a wrong header is an error. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, at) => {
      const number = Number(name.slice(0, 4))
      if (number !== at + 1) {
        throw new Error(`Migration ${name} is out of sequence: number ${at + 1} was expected.`)
      }
      const sql = await readFile(`${folder}/${name}`, 'utf8')
      return number < HEADERS_SINCE
        ? { number, name, sql }
        : { number, name, sql, header: readHeader(name, number, sql) }
    }),
  )
}

/** @throws Error that names the file, the faulty line and the expected form */
export function readHeader(name: string, number: number, sql: string): MigrationHeader {
  const fault = (text: string): Error => new Error(`The header of migration ${name} ${text}.`)
  const fields = headerFields(sql)
  const valuesOf = (field: string): string[] =>
    fields.filter(([key]) => key === field).map(([, value]) => value)

  const [beside, ...more] = valuesOf('Runs beside')
  const runsBeside = /^\d{4}$/.test(beside ?? '') ? Number(beside) : 0
  if (runsBeside < 1 || runsBeside > number || more.length > 0) {
    throw fault(`needs one line "-- Runs beside: NNNN", with a schema up to its own number`)
  }
  const locks = valuesOf('Locks')
  if (locks.length === 0) {
    throw fault('needs lines "-- Locks: <table>, <mode>, <duration>", or "-- Locks: none"')
  }
  const [transaction] = valuesOf('Transaction')
  if (transaction !== undefined && transaction !== 'none') {
    throw fault(`has "-- Transaction: ${transaction}"; only "none" is possible`)
  }
  return {
    runsBeside,
    locks: locks[0] === 'none' ? [] : locks.map((text) => readLock(text, fault)),
    concurrently: transaction === 'none' ? readIndexStatements(sql, fault) : null,
  }
}

/** The `-- Field: value` lines before the first statement. */
function headerFields(sql: string): [field: string, value: string][] {
  const [head = ''] = /^(?:--.*\n|\s*\n)*/.exec(sql) ?? []
  return [...head.matchAll(/^-- (Locks|Runs beside|Transaction): (.*)$/gm)].map(
    ([, field = '', value = '']) => [field, value.trim()],
  )
}

function readLock(text: string, fault: (text: string) => Error): TableLock {
  const [table = '', mode = '', duration = ''] = text.split(', ')
  const known = LOCK_DURATIONS.find((each) => each === duration)
  if (!/^\w+$/.test(table) || !/^[a-z ]+$/.test(mode) || known === undefined) {
    throw fault(
      `has "-- Locks: ${text}"; "<table>, <mode>, <duration>" was expected, with one of these ` +
        `durations: ${LOCK_DURATIONS.join(', ')}`,
    )
  }
  return { table, mode, duration: known }
}

const CREATE = /^create (?:unique )?index concurrently (\w+)\s+on\s/i
const DROP = /^drop index concurrently (\w+)$/i

function readIndexStatements(sql: string, fault: (text: string) => Error): IndexStatement[] {
  const statements = sql
    .replaceAll(/^\s*--.*$/gm, '')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return statements.map((text) => {
    const created = CREATE.exec(text)?.[1]
    if (created !== undefined) return { kind: 'create', index: created, sql: text }
    const dropped = DROP.exec(text)?.[1]
    if (dropped !== undefined) return { kind: 'drop', index: dropped, sql: text }
    throw fault(
      'has "-- Transaction: none", so each statement has to be "create [unique] index ' +
        `concurrently <name> on ..." or "drop index concurrently <name>", and this one is not: ` +
        text.slice(0, 80),
    )
  })
}
