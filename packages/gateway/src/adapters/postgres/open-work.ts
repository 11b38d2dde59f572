import type pg from 'pg'
import type { QueueState } from '../../usecases/queue-state.ts'
import type { Mode, SiteInMode } from '../../usecases/merchant-directory.ts'
import type { OpenTransaction } from '../../usecases/resolve-transactions.ts'

/** What the jobs look for. */
export interface OpenWork {
  findOpenTransactions(before: Date, limit: number): Promise<OpenTransaction[]>
  findExpiredOrders(now: Date, limit: number): Promise<{ site: SiteInMode; orderId: bigint }[]>
  readQueueState(now: Date): Promise<QueueState>
}

export function createOpenWork(pool: pg.Pool): OpenWork {
  return {
    async findOpenTransactions(before, limit) {
      const { rows } = await pool.query<{
        id: string
        order_id: string
        merchant_id: string
        merchant_account_id: string
        site_id: string
        mode: Mode
        kind: OpenTransaction['kind']
        amount_minor: string
        message_number: string
        message_at: Date
        claimed: string | null
      }>(
        `select t.id, t.order_id, t.merchant_id, o.merchant_account_id, o.site_id, o.mode, t.kind,
                t.amount_minor, o.message_number, o.message_at, c.reference as claimed
           from transactions t
           join orders o on o.id = t.order_id
           left join order_claims c on c.site_id = o.site_id and c.reference = o.reference and c.mode = o.mode
                and c.transaction_id = t.id and c.state = 'running'
          where t.state = 'running' and t.created_at < $1
          order by t.created_at limit $2`,
        [before, limit],
      )
      return rows.map((row) => ({
        transactionId: BigInt(row.id),
        orderId: BigInt(row.order_id),
        merchantId: BigInt(row.merchant_id),
        merchantAccountId: BigInt(row.merchant_account_id),
        siteId: BigInt(row.site_id),
        mode: row.mode,
        kind: row.kind,
        amountMinor: BigInt(row.amount_minor),
        message: { number: BigInt(row.message_number), at: row.message_at },
        claimedReference: row.claimed,
      }))
    },
    async findExpiredOrders(now, limit) {
      const { rows } = await pool.query<{ id: string; site_id: string; mode: Mode }>(
        `select id, site_id, mode from orders
          where state = 'authorized' and released_at is null and expires_at <= $1
          order by expires_at limit $2`,
        [now, limit],
      )
      return rows.map((row) => ({
        site: { id: BigInt(row.site_id), mode: row.mode },
        orderId: BigInt(row.id),
      }))
    },
    readQueueState: (now) => readQueueState(pool, now),
  }
}

/** Reads what is queued and running: two small partial indexes, whatever the size of the tables. */
async function readQueueState(pool: pg.Pool, now: Date): Promise<QueueState> {
  interface Row {
    readonly kind: QueueState['advices'][number]['kind'] | 'running'
    readonly count: string
    readonly oldest: Date | null
    readonly tries: number
  }
  const { rows } = await pool.query<Row>(
    `select kind, count(*), min(created_at) as oldest, max(tries) as tries
       from advices where state = 'queued' group by kind
     union all
     select 'running', count(*), min(created_at), 0 from transactions where state = 'running'`,
  )
  const found = new Map(rows.map((row) => [row.kind, row]))
  const age = (row: Row | undefined): number =>
    row?.oldest ? Math.max(0, Math.floor((now.getTime() - row.oldest.getTime()) / 1_000)) : 0
  const running = found.get('running')
  return {
    advices: (['capture', 'refund', 'reversal'] as const).map((kind) => {
      const row = found.get(kind)
      return {
        kind,
        count: Number(row?.count ?? 0),
        oldestSeconds: age(row),
        mostTries: row?.tries ?? 0,
      }
    }),
    running: { count: Number(running?.count ?? 0), oldestSeconds: age(running) },
  }
}
