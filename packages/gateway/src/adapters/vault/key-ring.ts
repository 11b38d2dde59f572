import { createSecretKey, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import { invariant } from '../../base/invariant.ts'
import { readDataKeys, unwrapKey, type DataKeyRow } from './data-keys.ts'
import type { KeyEncryptingKeys } from './key-encrypting-keys.ts'
import type { DataKey } from './sealed-format.ts'

/** A ring's view of a data key. */
export type Held =
  | { readonly kind: 'key'; readonly key: DataKey }
  | { readonly kind: 'destroyed'; readonly at: Date; readonly by: string }

/** The data keys that a process has in memory. */
export interface KeyRing {
  /**
   * The key for new encryptions. Throws KeysOutOfDateError if this process cannot know any more
   * whether it still may use it.
   */
  sealing(): DataKey
  readonly fingerprintKey: KeyObject
  /** Null when it is not loaded, which `find` would try. */
  look(id: number): Held | null
  /** Loads it where it is not there yet. Throws a plain sentence when it cannot be had. */
  find(id: number): Promise<Held>
}

/** The ring of a running process, which follows what happens to the keys. */
export interface LiveKeyRing extends KeyRing {
  /**
   * Loads new keys, drops destroyed ones, and reports this process's keys to the others. If a new
   * key cannot be unwrapped, the process continues with its present keys. Throws when the database
   * is away.
   */
  refresh(): Promise<void>
  /** Takes this process off the list of those that hold keys. */
  leave(): Promise<void>
}

export interface KeyRingOptions {
  readonly database: Pick<pg.ClientBase | pg.Pool, 'query'>
  readonly keks: KeyEncryptingKeys
  /** Names this process among all that hold keys; null for a command, which reports nothing. */
  readonly worker: string | null
  readonly monotonicMs: () => number
  /** Not called again for the same reason. */
  readonly onTrouble: (sentence: string) => void
}

const REPORT_EVERY_MS = 15_000

/** Everybody who was seen in this time counts as running. */
export const HOLDER_LIVES = `interval '1 minute'`

const OTHERS_LACK = `select 1 from data_key_holders
 where seen_at > now() - ${HOLDER_LIVES} and not ($1::int = any(data_key_ids)) and worker is distinct from $2
 limit 1`

/**
 * A process that could not report its keys for so long is about to count as gone. Its key might be
 * destroyed already, and a number written under it would be unreadable.
 */
const SEALS_UNSEEN_MS = 45_000

/** This process may not encrypt until it has seen the database again. */
export class KeysOutOfDateError extends Error {
  override readonly name = 'KeysOutOfDateError'
}

/** A process that crashed leaves its row. */
const REPORT = `
with gone as (delete from data_key_holders where seen_at < now() - interval '1 day')
insert into data_key_holders as h (worker, data_key_ids, seals_under, seals_since, seen_at)
values ($1, $2, $3, now(), now())
on conflict (worker) do update
   set data_key_ids = excluded.data_key_ids, seals_under = excluded.seals_under, seen_at = now(),
       seals_since = case when h.seals_under = excluded.seals_under then h.seals_since else now() end`

/**
 * Loads every key; `refresh` keeps the ring fresh. A new key is used for encryption once every
 * running process has it, so that each can read at once what another writes. Throws a plain
 * sentence when a key cannot be unwrapped at the start.
 */
export async function openKeyRing(options: KeyRingOptions): Promise<LiveKeyRing> {
  const { database, keks, worker, monotonicMs, onTrouble } = options
  const held = new Map<number, Held>()
  const now: { fingerprintKey: KeyObject | null; sealing: DataKey | null } = {
    fingerprintKey: null,
    sealing: null,
  }
  let reported = { text: '', atMs: -Infinity }
  let loading: Promise<void> | null = null
  let lastTrouble = ''

  async function take(row: DataKeyRow): Promise<string | null> {
    if (row.state === 'destroyed') {
      held.set(row.id, { kind: 'destroyed', at: row.destroyed_at, by: row.destroyed_by })
      return null
    }
    if (held.has(row.id) || (row.purpose === 'fingerprint' && now.fingerprintKey !== null))
      return null
    try {
      const key = createSecretKey(await unwrapKey(keks, row))
      if (row.purpose === 'fingerprint') now.fingerprintKey = key
      else held.set(row.id, { kind: 'key', key: { id: row.id, key } })
      return null
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** The active key once everybody has it; until then the newest of the others. */
  async function choose(rows: readonly DataKeyRow[]): Promise<void> {
    const usable = rows.flatMap(({ id, purpose, state }) => {
      const entry = held.get(id)
      return purpose === 'pan' && entry?.kind === 'key' ? [{ state, key: entry.key }] : []
    })
    const active = usable.find(({ state }) => state === 'active')?.key
    const before = usable.findLast(({ state }) => state === 'retired')?.key
    if (active !== undefined && active === now.sealing) return
    const kept = usable.find(({ key }) => key === now.sealing)?.key ?? before ?? null
    const waits =
      active === undefined ||
      (kept !== null && (await database.query(OTHERS_LACK, [active.id, worker])).rowCount !== 0)
    now.sealing = waits ? kept : active
  }

  async function load(): Promise<void> {
    const rows = await readDataKeys(database)
    // At once: a KMS that does not answer must not take so long that this process counts as gone.
    const faults = (await Promise.all(rows.map(take))).filter((fault) => fault !== null)
    // The others must hear of a new key before it is decided whether all have it.
    await report(rows)
    await choose(rows)
    await report(rows)
    const trouble = faults.join(' ')
    if (trouble !== '' && trouble !== lastTrouble) onTrouble(trouble)
    lastTrouble = trouble
  }

  async function report(rows: readonly DataKeyRow[]): Promise<void> {
    const ids = rows.map(({ id }) => id).filter((id) => held.get(id)?.kind === 'key')
    const under = now.sealing?.id
    if (worker === null || under === undefined) return
    const text = `${under} of ${ids.join()}`
    const nowMs = monotonicMs()
    if (text === reported.text && nowMs - reported.atMs < REPORT_EVERY_MS) return
    await database.query(REPORT, [worker, ids, under])
    reported = { text, atMs: nowMs }
  }

  function refresh(): Promise<void> {
    loading ??= load().finally(() => (loading = null))
    return loading
  }

  await refresh()
  if (lastTrouble !== '') throw new Error(lastTrouble)
  const { fingerprintKey } = now
  if (fingerprintKey === null || now.sealing === null) {
    throw new Error('The database has no data keys yet; run the preparation step first.')
  }
  return {
    fingerprintKey,
    sealing() {
      const { sealing } = now
      if (worker !== null && monotonicMs() - reported.atMs > SEALS_UNSEEN_MS) {
        throw new KeysOutOfDateError(
          'The data keys were not compared with the database for too long.',
        )
      }
      invariant(sealing !== null, 'the vault has no data key left to encrypt under')
      return sealing
    },
    look: (id) => held.get(id) ?? null,
    async find(id) {
      if (!held.has(id)) {
        const joins = loading !== null
        await refresh()
        // One that was under way may have looked before the key was there.
        if (joins && !held.has(id)) await refresh()
      }
      const found = held.get(id)
      if (found !== undefined) return found
      throw new Error(
        `Data key ${id} is not to be had. ${lastTrouble || 'The database has no such key.'}`,
      )
    },
    refresh,
    async leave() {
      await loading?.catch(() => undefined)
      if (worker !== null)
        await database.query('delete from data_key_holders where worker = $1', [worker])
    },
  }
}
