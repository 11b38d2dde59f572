import type pg from 'pg'
import type {
  BatchSettlement,
  BatchSettlementReader,
  SettledTransaction,
} from '../usecases/batch-settlements.ts'

/** The payout of a line is the next one of its source. A sale voided whole is in no file. */
const OF_BATCH = `
with own as (
  select t.id as transaction_id, t.order_id, o.reference, t.kind,
         coalesce(x.state, 'waiting') as state, coalesce(x.currency, o.currency) as currency,
         payout.id as payout_id, f.seq as file_seq, x.n as line, x.net_minor,
         coalesce(x.gross_minor,
                  case t.kind when 'refund' then -t.value_minor
                              else t.value_minor - t.voided_minor end) as gross_minor
    from transactions t
    join orders o on o.id = t.order_id
    left join settled_transactions x on x.transaction_id = t.id
    left join settlement_files f on f.id = x.file_id
    left join lateral (
      select p.id from settlement_payouts p
       where p.source_id = f.source_id and (p.file_id, p.n) > (x.file_id, x.n)
       order by p.file_id, p.n limit 1) payout on true
   where t.batch_id = $2 and t.merchant_id = $1
     and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
     and (x.transaction_id is not null or t.value_minor > t.voided_minor)
)`

const SETTLEMENTS = `${OF_BATCH}
select state, currency, payout_id, count(*) as transactions, sum(gross_minor) as gross_minor,
       sum(net_minor) as net_minor
  from own group by 1, 2, 3 order by 2, 3 nulls last, 1`

const TRANSACTIONS = `${OF_BATCH}
select * from own
 where state = $3 and currency = $4 and payout_id is not distinct from $5
   and transaction_id > $6
 order by transaction_id limit $7`

interface Row {
  readonly state: BatchSettlement['state']
  readonly currency: string
  readonly payout_id: string | null
  readonly transactions: string
  readonly gross_minor: string
  readonly net_minor: string | null
}

interface TransactionRow {
  readonly transaction_id: string
  readonly order_id: string
  readonly reference: string
  readonly kind: SettledTransaction['action']
  readonly file_seq: string | null
  readonly line: number | null
  readonly gross_minor: string
  readonly net_minor: string | null
}

/** Reads which payouts the transactions of a batch are in. */
export function createBatchSettlementReader(pool: pg.Pool): BatchSettlementReader {
  return {
    async read(merchantId, batchId) {
      const { rows } = await pool.query<Row>(SETTLEMENTS, [merchantId, batchId])
      return rows.map(({ currency, state, ...row }) => ({
        currency,
        state,
        payoutId: row.payout_id === null ? null : BigInt(row.payout_id),
        transactions: Number(row.transactions),
        grossMinor: BigInt(row.gross_minor),
        netMinor: row.net_minor === null ? null : BigInt(row.net_minor),
      }))
    },
    async transactions(merchantId, batchId, { currency, payoutId, state }, after, limit) {
      const values = [merchantId, batchId, state, currency, payoutId, after, limit]
      const { rows } = await pool.query<TransactionRow>(TRANSACTIONS, values)
      return rows.map(({ line, ...row }) => ({
        line,
        id: BigInt(row.transaction_id),
        orderId: BigInt(row.order_id),
        orderReference: row.reference,
        action: row.kind,
        fileSeq: row.file_seq === null ? null : BigInt(row.file_seq),
        grossMinor: BigInt(row.gross_minor),
        netMinor: row.net_minor === null ? null : BigInt(row.net_minor),
      }))
    },
  }
}
