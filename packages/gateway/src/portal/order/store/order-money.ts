import type pg from 'pg'
import type { LedgerLine, OrderSettlement } from '../usecases/order-money.ts'

/** The payout of a line is the next one of its source. */
const SETTLEMENTS = `
select x.transaction_id, t.kind, x.state, x.settled_on::text as day, x.currency, x.gross_minor,
       x.net_minor,
       (select p.id from settlement_payouts p
         where p.source_id = f.source_id and (p.file_id, p.n) > (x.file_id, x.n)
         order by p.file_id, p.n limit 1) as payout_id
  from settled_transactions x
  join transactions t on t.id = x.transaction_id
  join settlement_files f on f.id = x.file_id
 where x.order_id = $1 and x.merchant_id = $2 order by x.transaction_id`

interface Row {
  readonly transaction_id: string
  readonly kind: OrderSettlement['kind']
  readonly state: OrderSettlement['state']
  readonly day: string
  readonly currency: string
  readonly gross_minor: string
  readonly net_minor: string
  readonly payout_id: string | null
}

/** The captures and refunds of an order that settlement files have, the oldest first. */
export async function readSettlements(
  pool: pg.Pool,
  merchantId: bigint,
  orderId: bigint,
): Promise<readonly OrderSettlement[]> {
  const { rows } = await pool.query<Row>(SETTLEMENTS, [orderId, merchantId])
  return rows.map(({ currency, day, kind, state, ...row }) => ({
    currency,
    day,
    kind,
    state,
    transactionId: BigInt(row.transaction_id),
    grossMinor: BigInt(row.gross_minor),
    netMinor: BigInt(row.net_minor),
    payoutId: row.payout_id === null ? null : BigInt(row.payout_id),
  }))
}

/** The ledger's entries of an order, the oldest first. */
export async function readLedger(pool: pg.Pool, orderId: bigint): Promise<LedgerLine[]> {
  const { rows } = await pool.query<{
    posted_at: Date
    transaction_id: string
    kind: string
    debit: string
    credit: string
    amount_minor: string
  }>(
    `select posted_at, transaction_id, kind, debit, credit, amount_minor
       from ledger_entries where order_id = $1 order by posted_at, transaction_id, kind`,
    [orderId],
  )
  return rows.map((row) => ({
    at: row.posted_at,
    transactionId: BigInt(row.transaction_id),
    kind: row.kind,
    debit: row.debit,
    credit: row.credit,
    amountMinor: BigInt(row.amount_minor),
  }))
}
