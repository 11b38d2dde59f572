import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import type { QueuedAdvice, QueueState } from '../../../usecases/books/queue-state.ts'
import type { Mode, SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'
import type { OpenTransaction } from '../../../usecases/payments/resolve-transactions.ts'
import { CLOCKED_SITES, RUNNING_SINCE } from '../clocks/site-clock-rows.ts'
import { IS_RUNNING } from './written-ahead.ts'

/** The rows that the jobs look for. */
export interface OpenWork {
  /** Removes concluded transactions from the list of open ones. */
  forgetConcluded(): Promise<void>
  findOpenTransactions(before: Date, limit: number): Promise<OpenTransaction[]>
  findExpiredOrders(now: Date, limit: number): Promise<{ site: SiteInMode; orderId: bigint }[]>
  readQueueState(now: Date): Promise<QueueState>
  /** Those that have waited longest first. */
  findOldestAdvices(now: Date, limit: number): Promise<QueuedAdvice[]>
}

/**
 * An intent lists its transaction, and its conclusion leaves the list alone: this costs payments
 * less than an entry that each of them removes. Rows of the list never move.
 */
const FORGET_CONCLUDED = `
with listed as materialized (
  select ctid as place, transaction_id from open_transactions limit 100000
), open as materialized (
  select id from transactions
   where id = any(array(select transaction_id from listed)) and concluded_at is null
)
delete from open_transactions
 where ctid = any(array(
   select place from listed where transaction_id not in (select id from open)))`

export function createOpenWork(pool: pg.Pool | pg.Client): OpenWork {
  return {
    async forgetConcluded() {
      await pool.query(FORGET_CONCLUDED)
    },
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
           left join three_ds_authentications a on a.transaction_id = t.id
          where ${IS_RUNNING} and ${RUNNING_SINCE} < $1
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
            and site_id <> all (${CLOCKED_SITES})
          order by expires_at limit $2`,
        [now, limit],
      )
      return rows.map((row) => ({
        site: { id: BigInt(row.site_id), mode: row.mode },
        orderId: BigInt(row.id),
      }))
    },
    readQueueState: (now) => readQueueState(pool, now),
    findOldestAdvices: (now, limit) => findOldestAdvices(pool, now, limit),
  }
}

/** Reads the queued rows by a small partial index, and the running ones by their list. */
async function readQueueState(pool: pg.Pool | pg.Client, now: Date): Promise<QueueState> {
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
     select 'running', count(*), min(${RUNNING_SINCE}), 0
       from transactions t join orders o on o.id = t.order_id
       left join three_ds_authentications a on a.transaction_id = t.id
      where ${IS_RUNNING}`,
  )
  const found = new Map(rows.map((row) => [row.kind, row]))
  const age = (row: Row | undefined): number => (row?.oldest ? secondsSince(row.oldest, now) : 0)
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

function secondsSince(at: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1_000))
}

async function findOldestAdvices(
  pool: pg.Pool | pg.Client,
  now: Date,
  limit: number,
): Promise<QueuedAdvice[]> {
  const { rows } = await pool.query<{
    order_id: string
    kind: QueuedAdvice['kind']
    amount_minor: string
    currency: string
    created_at: Date
    tries: number
    next_try_at: Date
    response_code: string | null
  }>(
    `select a.order_id, a.kind, a.amount_minor, o.currency, a.created_at, a.tries, a.next_try_at,
            a.response_code
       from advices a join orders o on o.id = a.order_id
      where a.state = 'queued'
      order by a.created_at limit $1`,
    [limit],
  )
  return rows.map((row) => {
    const currency = findCurrency(row.currency)
    invariant(currency !== null, 'a queued advice has an unknown currency')
    return {
      orderId: BigInt(row.order_id),
      kind: row.kind,
      amountMinor: BigInt(row.amount_minor),
      currency,
      ageSeconds: secondsSince(row.created_at, now),
      tries: row.tries,
      nextTryAt: row.next_try_at,
      responseCode: row.response_code,
    }
  })
}
