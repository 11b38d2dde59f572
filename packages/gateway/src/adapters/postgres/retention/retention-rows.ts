import type pg from 'pg'
import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

/** A row that is due, and the beginning of its days. */
export interface DueRow {
  readonly id: string
  readonly since: Date
}

/** The rows of one kind: how they are walked, which of them are due, and how they are erased. */
export interface RetentionRows {
  /** The table that is walked, by its primary key. */
  readonly table: string
  /** How many are locked at once: a payment that needs one of them waits for milliseconds. */
  readonly atOnce: number
  /** The rows that are due among these. */
  due(client: Client, ids: readonly string[], rule: RetentionRule): Promise<readonly DueRow[]>
  /** Locks, reads again, and erases; returns how many were erased. */
  erase(client: pg.ClientBase, ids: readonly string[], rule: RetentionRule): Promise<number>
  /** Drops a partition whose rows are all due, and returns their number; null if there is none. */
  dropPart?(client: pg.ClientBase, rule: RetentionRule): Promise<number | null>
}

/** Read without a lock; few enough that a step is over within a moment. */
const PAGE = 500

/** The next ids behind one. */
export async function readPage(
  client: Client,
  { table }: RetentionRows,
  after: string,
): Promise<{ readonly ids: readonly string[]; readonly isEnd: boolean }> {
  const { rows } = await client.query<{ id: string }>({
    name: `page of ${table}`,
    text: `select id from ${table} where id > $1 order by id limit ${PAGE}`,
    values: [after],
  })
  return { ids: rows.map(({ id }) => id), isEnd: rows.length < PAGE }
}

interface OldRows {
  readonly table: string
  /** The beginning of a row's days, from `r`. */
  readonly since: string
  /** A further condition of `r`; null if there is none. */
  readonly unless: string | null
  /** The present of the clock that dates the rows; $2 is the machine's. */
  readonly present: string
}

export const MACHINE_TIME = '$2::timestamptz'

/** Rows that nothing changes any more once they are old: no lock decides anything about them. */
function oldRows({ table, since, unless, present }: OldRows): RetentionRows {
  const dueRows = `r.id = any($1::bigint[])
    and ${since} < ${present} - $3::int * interval '24 hours'
    and ${unless === null ? 'true' : `not (${unless})`}`
  return {
    table,
    // No payment locks such a row.
    atOnce: PAGE,
    async due(client, ids, { now, days }) {
      const { rows } = await client.query<DueRow>(
        `select r.id, ${since} as since from ${table} r where ${dueRows}`,
        [ids, now, days],
      )
      return rows
    },
    async erase(client, ids, { now, days }) {
      const { rowCount } = await client.query(`delete from ${table} r where ${dueRows}`, [
        ids,
        now,
        days,
      ])
      return rowCount ?? 0
    },
  }
}

export const ofMachine = (table: string, since: string, unless: string | null): RetentionRows =>
  oldRows({ table, since, unless, present: MACHINE_TIME })

const LAST_USED = 'coalesce(r.ended_at, r.last_seen_at)'
export const sessionRows = ofMachine('portal_sessions', LAST_USED, null)
export const operatorSessionRows = ofMachine('operator_sessions', LAST_USED, null)

/** The clock of the endpoint's site dates a delivery. */
export const deliveryRows = oldRows({
  table: 'webhook_deliveries',
  since: 'r.ended_at',
  unless: `r.state = 'pending'`,
  present: `(select site_time(e.site_id, ${MACHINE_TIME}) from webhook_endpoints e
              where e.id = r.endpoint_id)`,
})

export const caughtWebhookRows = ofMachine('caught_webhooks', 'r.at', null)
export const mailRows = ofMachine('mail_messages', 'r.ended_at', `r.state = 'waiting'`)

/** One with a transaction stays: it counts against the refund limit of its portal user. */
export const operationRows = ofMachine(
  'portal_operations',
  'r.ended_at',
  `r.state not in ('refused', 'interrupted') or r.transaction_id is not null`,
)

/** Messages of an authentication that is under way stay. */
export const threeDsMessageRows = ofMachine(
  'three_ds_messages',
  'r.at',
  `exists (select from three_ds_authentications a
            where a.server_trans_id = r.server_trans_id and a.decided_at is null)`,
)
