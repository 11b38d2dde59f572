import type pg from 'pg'
import type { KeysView } from '../../usecases/vault/data-keys.ts'
import { readDataKeys } from './data-keys.ts'
import { HOLDER_LIVES } from './key-ring.ts'
import { SEALED_PLACES } from './sealed-places.ts'

/** Every key with what is under it. Counts whole tables, which may take a while. */
export async function listKeys(client: pg.ClientBase): Promise<KeysView> {
  const sealed = await countSealed(client)
  const under = (id: number, holdsCards: boolean): number =>
    sealed
      .filter((count) => count.dataKeyId === id && count.holdsCards === holdsCards)
      .reduce((sum, { count }) => sum + count, 0)
  const { rows: holders } = await client.query<{ worker: string; ids: number[]; under: number }>(
    `select worker, data_key_ids as ids, seals_under as under from data_key_holders
      where seen_at > now() - ${HOLDER_LIVES} order by worker`,
  )
  const { rows: passes } = await client.query<{
    place: string
    data_key_id: number
    moved: string
    after_id: string
    finished_at: Date | null
  }>(
    `select place, data_key_id, moved, after_id, finished_at
       from reencryption_passes order by place`,
  )
  return {
    keys: (await readDataKeys(client)).map((row) => ({
      id: row.id,
      purpose: row.purpose,
      state: row.state,
      kekId: row.kek_id,
      createdAt: row.created_at,
      retiredAt: row.retired_at,
      destroyedAt: row.state === 'destroyed' ? row.destroyed_at : null,
      destroyedBy: row.state === 'destroyed' ? row.destroyed_by : null,
      cards: under(row.id, true),
      secrets: under(row.id, false),
    })),
    holders: holders.map(({ worker, ids, under }) => ({
      worker,
      dataKeyIds: ids,
      sealsUnder: under,
    })),
    passes: passes.map((row) => ({
      table: row.place,
      dataKeyId: row.data_key_id,
      moved: Number(row.moved),
      afterId: BigInt(row.after_id),
      finishedAt: row.finished_at,
    })),
  }
}

interface SealedCount {
  readonly dataKeyId: number
  readonly count: number
  readonly holdsCards: boolean
}

/** Counts what is encrypted under each data key, place by place. */
export async function countSealed(client: pg.ClientBase): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, column, keyColumn, holdsCards } of SEALED_PLACES) {
    const { rows } = await client.query<{ id: number; count: string }>(
      `select ${keyColumn} as id, count(*) from ${table} where ${column} is not null group by 1`,
    )
    for (const { id, count } of rows)
      counts.push({ dataKeyId: id, count: Number(count), holdsCards })
  }
  return counts
}
