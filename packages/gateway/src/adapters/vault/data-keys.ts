import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { KeyEncryptingKeys } from './key-encrypting-keys.ts'
import type { KeyBinding } from './key-wrapper.ts'

interface KeyFacts {
  readonly id: number
  readonly purpose: KeyBinding['purpose']
  readonly kek_id: string
  readonly created_at: Date
}

/** A row of data_keys. */
export type DataKeyRow = KeyFacts &
  (
    | {
        readonly state: 'active' | 'retired'
        readonly wrapped: Buffer
        readonly retired_at: Date | null
      }
    | {
        readonly state: 'destroyed'
        readonly wrapped: null
        readonly retired_at: Date
        readonly destroyed_at: Date
        readonly destroyed_by: string
      }
  )

type Queryable = Pick<pg.ClientBase | pg.Pool, 'query'>

/** Every key there ever was, oldest first. */
export async function readDataKeys(database: Queryable): Promise<DataKeyRow[]> {
  const { rows } = await database.query<DataKeyRow>(
    `select id, purpose, kek_id, created_at, state, wrapped, retired_at, destroyed_at, destroyed_by
       from data_keys order by id`,
  )
  return rows
}

/** The bytes of a key. Throws a plain sentence when they cannot be had. */
export async function unwrapKey(
  keks: KeyEncryptingKeys,
  row: KeyFacts & { readonly wrapped: Buffer },
): Promise<Buffer> {
  return keks.wrapperOf(row).unwrap(row.wrapped, row)
}

/** A key that was just made and is in no row yet. */
export interface NewKey extends KeyBinding {
  readonly wrapped: Buffer
  readonly kekId: string
}

/**
 * Makes a key under the current key-encrypting key; unwrapped again once, to see that it can be.
 */
export async function makeKey(
  database: Queryable,
  keks: KeyEncryptingKeys,
  purpose: KeyBinding['purpose'],
): Promise<NewKey> {
  const { rows } = await database.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('data_keys', 'id'))::int as id`,
  )
  const { id } = rows[0] as { id: number }
  const key = randomBytes(32)
  const wrapped = await wrapKey(keks, key, { id, purpose })
  return { id, purpose, wrapped, kekId: keks.current.id }
}

/** Wraps under the current key-encrypting key and looks whether it unwraps. */
export async function wrapKey(
  { current }: KeyEncryptingKeys,
  key: Buffer,
  { id, purpose }: KeyBinding,
): Promise<Buffer> {
  const binding = { id, purpose }
  const wrapped = await current.wrap(key, binding)
  if (!(await current.unwrap(wrapped, binding)).equals(key)) {
    throw new Error(`The key-encrypting key ${current.id} does not return what it wrapped.`)
  }
  return wrapped
}

/** Inserts a key unless there is an active one of its purpose; whether it did. */
export async function insertKey(database: Queryable, key: NewKey): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into data_keys (id, purpose, wrapped, kek_id) overriding system value
     values ($1, $2, $3, $4) on conflict do nothing`,
    [key.id, key.purpose, key.wrapped, key.kekId],
  )
  return rowCount === 1
}
