import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { AuditEntry } from '../../usecases/audit/audit-log.ts'
import type { Reencryption } from '../../usecases/vault/reencrypt.ts'
import { HOLDER_LIVES, type KeyRing } from './key-ring.ts'
import { dataKeyIdOf, formatOf, NONCE_BYTES, openSealed, sealText } from './sealed-format.ts'
import { SEALED_PLACES, type SealedPlace } from './sealed-places.ts'

export interface ReencryptionOptions {
  readonly pool: pg.Pool
  readonly keys: KeyRing
  readonly actor: string
  readonly record: (client: pg.ClientBase, entries: readonly AuditEntry[]) => Promise<void>
  /** A transaction of what writes the audit log, on a connection of the pool. */
  readonly transact: <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>) => Promise<T>
}

/** Few enough that a payment of the same process does not notice. */
const BATCH = 250

/**
 * Values sealed under the old key just before every process took the new one are written by then.
 */
const SETTLES_IN = `interval '15 seconds'`

const SITUATION = `
select a.id as active,
       exists (select from data_keys where purpose = 'pan' and state = 'retired') as older,
       not exists (select from data_key_holders where seen_at > now() - ${HOLDER_LIVES} and seals_under <> a.id)
         as agreed,
       h.settled_at, coalesce(h.settled_at <= now(), true) as settled
  from data_keys a,
       (select max(seals_since) + ${SETTLES_IN} as settled_at from data_key_holders
         where seen_at > now() - ${HOLDER_LIVES}) h
 where a.purpose = 'pan' and a.state = 'active'`

const BEGIN_PASS = `
insert into reencryption_passes as r (place, data_key_id, pass_started_at)
select place, $2, now() from unnest($1::text[]) as place
on conflict (place) do update
   set (data_key_id, after_id, moved_in_pass, moved, pass_started_at, finished_at) = ($2, 0, 0, 0, now(), null)
   where r.data_key_id <> $2`

/** Another process may have one; then this takes the next, or none. */
const TAKE_PASS = `
select place, after_id, moved_in_pass, pass_started_at >= coalesce($2, '-infinity'::timestamptz) as is_late_enough
  from reencryption_passes where data_key_id = $1 and finished_at is null
 order by pass_started_at, place limit 1 for update skip locked`

const MOVE_ON = `
update reencryption_passes
   set moved = moved + $2, moved_in_pass = case when $4 then 0 else $3 end,
       after_id = case when $4 then 0 else $5 end,
       pass_started_at = case when $4 then now() else pass_started_at end,
       finished_at = case when $6 then now() end
 where place = $1`

interface Situation {
  readonly active: number
  readonly older: boolean
  readonly agreed: boolean
  readonly settled_at: Date | null
  /** Whether a pass that begins now can be the last one. */
  readonly settled: boolean
}

interface SealedRow {
  readonly id: string
  readonly name: string
  readonly sealed: Buffer | null
}

/**
 * Scans each table by its primary key and encrypts again every value that is not under the active
 * key. Its position is in the database, so that any process continues after one that died. The lock
 * on that row keeps two from the same table.
 */
export function createReencryption({
  pool,
  keys,
  actor,
  record,
  transact,
}: ReencryptionOptions): Reencryption {
  async function batch(
    client: pg.PoolClient,
    situation: Situation,
  ): Promise<{ moved: number; more: boolean } | null> {
    const { active } = situation
    await client.query(BEGIN_PASS, [SEALED_PLACES.map(({ table }) => table), active])
    const { rows: passes } = await client.query<{
      place: string
      after_id: string
      moved_in_pass: string
      is_late_enough: boolean
    }>(TAKE_PASS, [active, situation.settled_at])
    const [pass] = passes
    const place = SEALED_PLACES.find(({ table }) => table === pass?.place)
    if (pass === undefined || place === undefined) return null

    const { idColumn = 'id' } = place
    const { rows } = await client.query<SealedRow>(
      `select ${idColumn} as id, ${place.nameColumn} as name,
              case when ${place.keyColumn} <> $2 then ${place.column} end as sealed
         from ${place.table} where ${idColumn} > $1 order by ${idColumn} limit ${BATCH}`,
      [pass.after_id, active],
    )
    const { found, moved } = await reseal(client, place, rows)
    const foundInPass = Number(pass.moved_in_pass) + found
    const isEnd = rows.length < BATCH
    const isFinal = isEnd && foundInPass === 0 && situation.agreed && pass.is_late_enough
    const last = rows.at(-1)?.id ?? pass.after_id
    await client.query(MOVE_ON, [place.table, moved, foundInPass, isEnd, last, isFinal])
    if (moved > 0) {
      const range = { from: rows[0]?.id ?? '', to: last }
      const details = { table: place.table, moved, ...range }
      await record(client, [
        {
          actor,
          operation: 'key.reencrypted',
          object: `data key ${active}`,
          result: 'done',
          details,
        },
      ])
    }
    // A pass that found nothing, but began too early to be the last one: the next one can wait
    // until every process has settled.
    const mayFinish = situation.agreed && situation.settled
    return { moved, more: !isEnd || foundInPass > 0 || mayFinish }
  }

  /** `found` is what should be moved, also where a payment had the row just then. */
  async function reseal(
    client: pg.PoolClient,
    { table, column, keyColumn, binding, format, idColumn = 'id' }: SealedPlace,
    rows: readonly SealedRow[],
  ): Promise<{ found: number; moved: number }> {
    const to = keys.sealing()
    const ids: string[] = []
    const before: string[] = []
    const after: string[] = []
    for (const { id, name, sealed } of rows) {
      if (sealed === null) continue
      const dataKeyId = dataKeyIdOf(sealed)
      const held = keys.look(dataKeyId)
      // Not fetched here: that could be a call over the network, with a transaction open.
      if (held === null) throw new Error(`Data key ${dataKeyId} is not loaded yet.`)
      // The number is unreadable for every process.
      if (held.kind === 'destroyed') continue
      const plain = openSealed(held.key, sealed, binding(id, name, formatOf(sealed)))
      ids.push(id)
      before.push(sealed.toString('hex'))
      const bound = binding(id, name, format)
      after.push(sealText(to, randomBytes(NONCE_BYTES), plain, bound, format))
    }
    if (ids.length === 0) return { found: 0, moved: 0 }
    // A row that a payment holds is left for the next pass: to wait for it could be a deadlock.
    const { rowCount } = await client.query(
      `with free as materialized (
         select ${idColumn} as id from ${table} where ${idColumn} = any($1::bigint[])
          order by ${idColumn} for no key update skip locked
       )
       update ${table} t set ${column} = decode(n.after, 'hex'), ${keyColumn} = $4
         from unnest($1::bigint[], $2::text[], $3::text[]) as n (id, before, after)
        where t.${idColumn} = n.id and t.${column} = decode(n.before, 'hex') and n.id in (select id from free)`,
      [ids, before, after, to.id],
    )
    return { found: ids.length, moved: rowCount ?? 0 }
  }

  return {
    async step() {
      const { rows } = await pool.query<Situation>({
        name: 'situation of the data keys',
        text: SITUATION,
      })
      const [situation] = rows
      // While a process lacks the active key, nothing may be put under it.
      if (situation?.older !== true || keys.sealing().id !== situation.active) return null
      const { rows: left } = await pool.query<{ left: boolean }>({
        name: 'passes that are left',
        text: `select count(*) filter (where data_key_id = $1 and finished_at is not null) < $2 as left
                 from reencryption_passes`,
        values: [situation.active, SEALED_PLACES.length],
      })
      if (left[0]?.left !== true) return null
      return transact(pool, (client) => batch(client, situation))
    },
  }
}
