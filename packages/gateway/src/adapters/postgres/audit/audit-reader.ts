import type pg from 'pg'
import type { AuditHead, ChainedEntry } from '../../../usecases/audit/audit-chain.ts'
import { storedNamesOf } from '../../../usecases/audit/former-operations.ts'

const ROWS_AT_ONCE = 2_000

const COLUMNS = `
  number::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, operation,
  object, coalesce(merchant_id::text, '') as "merchantId", address, result, details,
  encode(previous_hash, 'hex') as "previousHash", encode(hash, 'hex') as hash`

type EntryRow = Omit<ChainedEntry, 'number'> & { readonly number: string }

/** Runs `work` on a snapshot of the log, however long it takes and however much is appended. */
export async function withAuditSnapshot<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin isolation level repeatable read, read only')
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

/** Entries by number, both ends included; null is the first or the last there is. In a snapshot. */
export async function* readAuditEntries(
  client: pg.ClientBase,
  from: bigint | null,
  to: bigint | null,
): AsyncGenerator<ChainedEntry> {
  const bounds = [
    ...(from === null ? [] : [`number >= ${from}`]),
    ...(to === null ? [] : [`number <= ${to}`]),
  ]
  const where = bounds.length === 0 ? '' : `where ${bounds.join(' and ')}`
  await client.query(
    `declare audit_reader cursor for select ${COLUMNS} from audit_entries ${where} order by audit_entries.number`,
  )
  try {
    for (;;) {
      const { rows } = await client.query<EntryRow>(`fetch ${ROWS_AT_ONCE} from audit_reader`)
      yield* rows.map(toEntry)
      if (rows.length < ROWS_AT_ONCE) return
    }
  } finally {
    await client.query('close audit_reader')
  }
}

function toEntry(row: EntryRow): ChainedEntry {
  return { ...row, number: BigInt(row.number) }
}

/** At most `limit` entries behind a number, in the order of the chain. */
export async function readEntriesAfter(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  number: bigint,
  limit: number,
): Promise<ChainedEntry[]> {
  const { rows } = await client.query<EntryRow>(
    `select ${COLUMNS} from audit_entries where audit_entries.number > $1
      order by audit_entries.number limit $2`,
    [number, limit],
  )
  return rows.map(toEntry)
}

/** The end of the log according to the database; null when it has none. */
export async function readAuditHead(client: pg.ClientBase | pg.Pool): Promise<AuditHead | null> {
  const { rows } = await client.query<{ number: string; hash: string }>(
    `select number::text, encode(hash, 'hex') as hash from audit_head`,
  )
  const [row] = rows
  return row === undefined ? null : { number: BigInt(row.number), hash: row.hash }
}

/** How many entries there are; the database's own estimate would be too coarse for a new log. */
export async function countAuditEntries(client: pg.ClientBase): Promise<bigint> {
  const { rows } = await client.query<{ count: string }>('select count(*) from audit_entries')
  return BigInt(rows[0]?.count ?? 0)
}

/**
 * Numbers from the first entry at or after `since` to the last one before `until`; null for none.
 */
export async function findAuditRange(
  client: pg.ClientBase,
  since: Date | null,
  until: Date | null,
): Promise<{ readonly from: bigint; readonly to: bigint } | null> {
  const { rows } = await client.query<{ from: string | null; to: string | null }>(
    `select min(number) filter (where $1::timestamptz is null or at >= $1)::text as "from",
            max(number) filter (where $2::timestamptz is null or at < $2)::text as "to"
       from audit_entries`,
    [since, until],
  )
  const [row] = rows
  if (row === undefined || row.from === null || row.to === null) return null
  const [from, to] = [BigInt(row.from), BigInt(row.to)]
  return from > to ? null : { from, to }
}

/** The newest entries that fit, oldest first. */
export async function findLastAuditEntries(
  client: pg.ClientBase,
  filter: {
    readonly last: number
    readonly operation: string | null
    readonly object: string | null
  },
): Promise<ChainedEntry[]> {
  const { rows } = await client.query<EntryRow>(
    `select ${COLUMNS} from audit_entries
      where ($2::text[] is null or operation = any ($2)) and ($3::text is null or object = $3)
      order by audit_entries.number desc limit $1`,
    [filter.last, filter.operation && storedNamesOf(filter.operation), filter.object],
  )
  return rows.map(toEntry).toReversed()
}
