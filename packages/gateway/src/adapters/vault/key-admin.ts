import type pg from 'pg'
import { refused, type Result } from '../../base/refusal.ts'
import type { KeyAuthority } from '../../domain/vault/key-operation.ts'
import type { AuditEntry } from '../../usecases/audit/audit-log.ts'
import {
  insertKey,
  makeKey,
  readDataKeys,
  unwrapKey,
  wrapKey,
  type DataKeyRow,
} from './data-keys.ts'
import { takeApproval } from './key-approvals.ts'
import type { KeyEncryptingKeys } from './key-encrypting-keys.ts'
import { countSealed } from './key-list.ts'
import { HOLDER_LIVES } from './key-ring.ts'

export interface KeyAdminOptions {
  readonly client: pg.ClientBase
  /** The actor. */
  readonly actor: string
  /** Appends to the audit log inside the transaction that the client has open. */
  readonly record: (client: pg.ClientBase, entries: readonly AuditEntry[]) => Promise<void>
  /** A transaction of what writes the audit log, on a connection that is in none. */
  readonly transactOn: <T>(client: pg.ClientBase, work: () => Promise<T>) => Promise<T>
}

/** One change of the keys at a time. Any fixed number does. */
const KEYS_LOCK = 4_140_006

/** A process that sealed under a key just before its retirement has written it by then. */
const RETIRED_FOR = `interval '1 minute'`

/** Makes the keys that a new database lacks; many processes may call it at once. */
export async function ensureDataKeys(
  options: KeyAdminOptions,
  keks: KeyEncryptingKeys,
): Promise<void> {
  const there = new Set((await readDataKeys(options.client)).map(({ purpose }) => purpose))
  for (const purpose of ['pan', 'fingerprint'] as const) {
    if (there.has(purpose)) continue
    const key = await makeKey(options.client, keks, purpose)
    await changeKeys(options, async (append) => {
      const { rowCount } = await options.client.query('select from data_keys where purpose = $1', [
        purpose,
      ])
      if (rowCount !== 0 || !(await insertKey(options.client, key))) return
      append({
        operation: 'key.made',
        object: `data key ${key.id}`,
        details: { purpose, kek: key.kekId },
      })
    })
  }
}

/** Makes a new data key for card numbers and retires the one before. */
export async function rotateKey(
  options: KeyAdminOptions,
  keks: KeyEncryptingKeys,
): Promise<{ readonly made: number; readonly retired: number }> {
  const { client } = options
  const key = await makeKey(client, keks, 'pan')
  return changeKeys(options, async (append) => {
    const { rows } = await client.query<{ id: number }>(
      `update data_keys set state = 'retired', retired_at = now()
        where purpose = 'pan' and state = 'active' returning id`,
    )
    const retired = rows[0]?.id
    if (retired === undefined || !(await insertKey(client, key))) {
      throw new Error('The database has no active data key to replace.')
    }
    append({
      operation: 'key.rotated',
      object: `data key ${key.id}`,
      details: { retired, kek: key.kekId },
    })
    return { made: key.id, retired }
  })
}

/**
 * Wraps every data key again under the current key-encrypting key; all of them or none. Throws a
 * sentence where that replaces another key-encrypting key without `authority`.
 */
export async function rewrapKeys(
  options: KeyAdminOptions,
  keks: KeyEncryptingKeys,
  authority: KeyAuthority,
): Promise<{ readonly keys: number; readonly from: readonly string[]; readonly to: string }> {
  const { client, actor } = options
  const rows = (await readDataKeys(client)).filter((row) => row.state !== 'destroyed')
  const rewrapped: { row: DataKeyRow; wrapped: Buffer }[] = []
  for (const row of rows) {
    rewrapped.push({ row, wrapped: await wrapKey(keks, await unwrapKey(keks, row), row) })
  }
  const to = keks.current.id
  const from = [...new Set(rows.map(({ kek_id }) => kek_id))]
  const outcome = await changeKeys(options, async (append) => {
    const isReplaced = from.some((kek) => kek !== to)
    const taken = isReplaced
      ? await takeApproval(client, { does: 'replace_kek', to }, authority, actor)
      : { ok: true as const, details: {} }
    if (!taken.ok) {
      const details = { from, to, reason: taken.reason }
      append({ operation: 'key.rewrapped', result: 'refused', details })
      return taken.reason
    }
    for (const { row, wrapped } of rewrapped) {
      const { rowCount } = await client.query(
        'update data_keys set wrapped = $2, kek_id = $3 where id = $1 and wrapped = $4',
        [row.id, wrapped, to, row.wrapped],
      )
      if (rowCount === 1) continue
      throw new Error(`Data key ${row.id} was changed by another caller meanwhile: try again.`)
    }
    const details = { keys: rows.length, from, to, ...taken.details }
    append({ operation: 'key.rewrapped', details })
    return null
  })
  if (outcome !== null) throw new Error(outcome)
  return { keys: rows.length, from, to }
}

/**
 * Destroys a retired key: its bytes are gone, and what is under it can never be read again. Refused
 * while cards are under it, unless `unreadable` is their number, and without `authority`.
 */
export async function destroyKey(
  options: KeyAdminOptions,
  id: number,
  unreadable: number | null,
  authority: KeyAuthority,
): Promise<Result<{ readonly unreadable: number }>> {
  const { client, actor } = options
  const outcome = await changeKeys(options, async (append) => {
    const entry = { operation: 'key.destroyed', object: `data key ${id}` } as const
    const cards = await destructible(client, id, unreadable)
    if (typeof cards === 'string') {
      append({ ...entry, result: 'refused', details: { reason: cards } })
      return refused('conflict', cards)
    }
    const operation = { does: 'destroy_key', keyId: id, unreadable: cards } as const
    const taken = await takeApproval(client, operation, authority, actor)
    if (!taken.ok) {
      append({ ...entry, result: 'refused', details: { reason: taken.reason } })
      return refused('conflict', taken.reason)
    }
    await client.query(
      `update data_keys set state = 'destroyed', wrapped = null, destroyed_at = now(), destroyed_by = $2
        where id = $1`,
      [id, actor],
    )
    append({ ...entry, details: { unreadable: cards, ...taken.details } })
    return { ok: true, unreadable: cards } as const
  })
  // The row's old version still has the bytes.
  if (outcome.ok) await client.query('vacuum data_keys')
  return outcome
}

/** How many cards would be lost, or why it may not be destroyed. */
async function destructible(
  client: pg.ClientBase,
  id: number,
  unreadable: number | null,
): Promise<number | string> {
  const { rows } = await client.query<{
    purpose: string
    state: DataKeyRow['state']
    rested: boolean
  }>(
    `select purpose, state, retired_at < now() - ${RETIRED_FOR} as rested from data_keys where id = $1
        for update skip locked`,
    [id],
  )
  const [key] = rows
  const isHeld =
    key === undefined &&
    (await client.query('select from data_keys where id = $1', [id])).rowCount === 1
  if (isHeld)
    return `Data key ${id} is in use by a command, such as an import: wait for its end, and try again.`
  if (key === undefined)
    return `There is no data key ${id}; "tollgate keys list" shows those there are.`
  if (key.purpose === 'fingerprint') {
    return `Data key ${id} makes the fingerprints that cards are found by: it never changes and is never destroyed.`
  }
  if (key.state === 'destroyed') return `Data key ${id} was destroyed before.`
  if (key.state === 'active')
    return `Data key ${id} is the active one: run "tollgate keys rotate" first.`
  const { rows: holders } = await client.query<{ worker: string }>(
    `select worker from data_key_holders where seals_under = $1 and seen_at > now() - ${HOLDER_LIVES}`,
    [id],
  )
  if (holders.length > 0 || !key.rested) {
    const who = holders.map(({ worker }) => worker).join(', ')
    return `Data key ${id} was in use in the last minute${who === '' ? '' : `, by ${who}`}: wait, and try again.`
  }
  const sealed = (await countSealed(client)).filter(({ dataKeyId }) => dataKeyId === id)
  const links = sealed.filter(({ holdsCards }) => !holdsCards)
  if (links.length > 0) {
    await repeatPasses(client)
    return `Data key ${id} holds secrets of processor links or sites; they are being re-encrypted: wait, and try again.`
  }
  const cards = sealed.reduce((sum, { count }) => sum + count, 0)
  if (cards === (unreadable ?? 0)) return cards
  await repeatPasses(client)
  return unreadable === null
    ? `Data key ${id} has ${cards} cards under it. They are being re-encrypted, if a gateway runs: wait until ` +
        `"tollgate keys list" shows none. To make them unreadable for ever, add --unreadable-cards ${cards}.`
    : `Data key ${id} has ${cards} cards under it, not ${unreadable}.`
}

/** Something is under an old key, so the re-encryption was not at its end. */
async function repeatPasses(client: pg.ClientBase): Promise<void> {
  await client.query(
    'update reencryption_passes set finished_at = null where finished_at is not null',
  )
}

/**
 * Keeps a key from being destroyed until the open transaction of `client` ends, since its rows
 * under the key are invisible before. Throws a plain sentence when the key is destroyed already.
 */
export async function holdKey(client: pg.ClientBase, id: number): Promise<void> {
  const { rowCount } = await client.query(
    `select from data_keys where id = $1 and state <> 'destroyed' for key share`,
    [id],
  )
  if (rowCount === 1) return
  throw new Error(
    `Data key ${id} was destroyed meanwhile: try again, and the key after it is taken.`,
  )
}

type Operation = Omit<AuditEntry, 'actor' | 'result'> & Partial<Pick<AuditEntry, 'result'>>

/** A change and its audit entries are one transaction. */
export async function changeKeys<T>(
  { client, actor, record, transactOn }: KeyAdminOptions,
  work: (append: (operation: Operation) => void) => Promise<T>,
): Promise<T> {
  const entries: AuditEntry[] = []
  const { done } = await transactOn(client, async () => {
    await client.query('select pg_advisory_xact_lock($1)', [KEYS_LOCK])
    const done = await work((operation) => entries.push({ actor, result: 'done', ...operation }))
    if (entries.length > 0) await record(client, entries)
    return { done }
  })
  return done
}
