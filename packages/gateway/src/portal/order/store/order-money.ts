import type pg from 'pg'
import type { LedgerLine, OrderFee, OrderMoney, OrderSettlement } from '../usecases/order-money.ts'

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
async function readSettlements(
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

const OPERATOR_FEES = `
select f.transaction_id, t.kind, f.kind as charged_as, f.currency, f.fee_minor,
       to_char(f.posted_at at time zone m.time_zone, 'YYYY-MM') as month, s.id as source_id
  from transactions t
  join transaction_fees f on f.transaction_id = t.id
  join merchants m on m.id = f.merchant_id
  join batches b on b.id = f.batch_id
  left join settlement_sources s
         on s.merchant_account_id = b.merchant_account_id and s.currency = f.currency
 where t.order_id = $1 and f.merchant_id = $2 order by f.transaction_id`

/** The operator's fees for the transactions of an order, the oldest transaction first. */
async function readOperatorFees(
  pool: pg.Pool,
  merchantId: bigint,
  orderId: bigint,
): Promise<readonly OrderFee[]> {
  const { rows } = await pool.query<{
    transaction_id: string
    kind: OrderFee['kind']
    charged_as: 'sale' | 'refund'
    currency: string
    fee_minor: string
    month: string
    source_id: string | null
  }>(OPERATOR_FEES, [orderId, merchantId])
  return rows.map(({ currency, kind, month, ...row }) => ({
    currency,
    kind,
    month,
    fee: row.charged_as === 'sale' ? 'sales' : 'refunds',
    transactionId: BigInt(row.transaction_id),
    feeMinor: BigInt(row.fee_minor),
    sourceId: row.source_id === null ? null : BigInt(row.source_id),
  }))
}

/** The ledger's entries of an order, the oldest first. */
async function readLedger(pool: pg.Pool, orderId: bigint): Promise<LedgerLine[]> {
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

/** The money of an order in the books. */
export async function readMoney(
  pool: pg.Pool,
  merchantId: bigint,
  orderId: bigint,
): Promise<OrderMoney> {
  const [ledger, settlements, operatorFees] = await Promise.all([
    readLedger(pool, orderId),
    readSettlements(pool, merchantId, orderId),
    readOperatorFees(pool, merchantId, orderId),
  ])
  return { ledger, settlements, operatorFees }
}
