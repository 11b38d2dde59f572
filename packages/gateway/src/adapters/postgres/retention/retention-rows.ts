import type pg from 'pg'
import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

/** The rows of one kind: how they are walked, which of them are due, and how they are erased. */
export interface RetentionRows {
  /** The table that is walked, by its primary key. */
  readonly table: string
  /** The ids that are due among these. */
  due(client: Client, ids: readonly string[], rule: RetentionRule): Promise<readonly string[]>
  /** Locks, reads again, and erases; returns how many were erased. */
  erase(client: pg.ClientBase, ids: readonly string[], rule: RetentionRule): Promise<number>
}

/** Few enough that a step is over within a moment, and a payment does not notice. */
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

/** Rows that nothing changes any more once they are old: no lock decides anything about them. */
function oldRows(table: string, condition: string): RetentionRows {
  // $2: the rows that are older than this are due.
  const dueRows = `r.id = any($1::bigint[]) and ${condition}`
  return {
    table,
    async due(client, ids, rule) {
      const { rows } = await client.query<{ id: string }>(
        `select r.id from ${table} r where ${dueRows}`,
        [ids, earliestKept(rule)],
      )
      return rows.map(({ id }) => id)
    },
    async erase(client, ids, rule) {
      const { rowCount } = await client.query(`delete from ${table} r where ${dueRows}`, [
        ids,
        earliestKept(rule),
      ])
      return rowCount ?? 0
    },
  }
}

export const requestRows = oldRows('requests', 'r.received_at < $2')

export const sessionRows = oldRows('portal_sessions', 'coalesce(r.ended_at, r.last_seen_at) < $2')

export const deliveryRows = oldRows(
  'webhook_deliveries',
  `r.state <> 'pending' and r.ended_at < $2`,
)

export const caughtWebhookRows = oldRows('caught_webhooks', 'r.at < $2')
export const mailRows = oldRows('mail_messages', `r.state <> 'waiting' and r.ended_at < $2`)

/** One with a transaction stays: it counts against the refund limit of its portal user. */
export const operationRows = oldRows(
  'portal_operations',
  `r.state in ('refused', 'interrupted') and r.transaction_id is null and r.ended_at < $2`,
)

/** Messages of an authentication that is under way stay. */
export const threeDsMessageRows = oldRows(
  'three_ds_messages',
  `r.at < $2
     and not exists (select from three_ds_authentications a
                      where a.server_trans_id = r.server_trans_id and a.decided_at is null)`,
)

function earliestKept({ now, days }: RetentionRule): Date {
  return new Date(now.getTime() - days * DAY_MS)
}

const DAY_MS = 86_400_000
