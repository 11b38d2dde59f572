import type pg from 'pg'
import type { ChargedFee, ChargedFeeReader } from '../usecases/charged-fees.ts'
import { minor } from './payout-rows.ts'

/** As the statement sums them. $2 account, $6 kind, $7 the place, $8 the number of fees. */
const OF_TRANSACTIONS = `
select f.transaction_id as id, f.transaction_id, t.order_id, o.reference, t.kind, f.brand,
       f.batch_id, f.day::text, f.amount_minor, f.fee_minor
  from transaction_fees f
  join batches b on b.id = f.batch_id and b.merchant_account_id = $2
  join transactions t on t.id = f.transaction_id
  join orders o on o.id = t.order_id
 where f.merchant_id = $1 and f.currency = $3 and f.posted_at >= $4 and f.posted_at < $5
   and f.kind = $6 and f.transaction_id > $7
 order by f.transaction_id limit $8`

/** Of all accounts of the merchant together. $5 the place, $6 the number of fees. */
const OF_MONTHS = `
select to_char(month, 'YYYYMM') as id, month::text as day, fee_minor
  from monthly_fees
 where merchant_id = $1 and currency = $2 and posted_at >= $3 and posted_at < $4
   and to_char(month, 'YYYYMM')::bigint > $5
 order by month limit $6`

type Row = Readonly<Record<string, string | null>>

/** Reads the operator's fees of a statement one by one. */
export function createChargedFeeReader(pool: pg.Pool): ChargedFeeReader {
  return {
    async list({ accountId, currency, fee, merchantId, range: { from, until } }, after, limit) {
      const { rows } =
        fee === 'monthly'
          ? await pool.query<Row>(OF_MONTHS, [merchantId, currency, from, until, after, limit])
          : await pool.query<Row>(OF_TRANSACTIONS, [
              merchantId,
              accountId,
              currency,
              from,
              until,
              fee === 'sales' ? 'sale' : 'refund',
              after,
              limit,
            ])
      return rows.map(feeOf)
    },
  }
}

function feeOf(row: Row): ChargedFee {
  const id = (name: string): bigint | null => {
    const value = row[name] ?? null
    return value === null ? null : BigInt(value)
  }
  return {
    id: BigInt(row['id'] ?? 0),
    transactionId: id('transaction_id'),
    orderId: id('order_id'),
    orderReference: row['reference'] ?? '',
    kind: row['kind'] ?? null,
    brand: row['brand'] ?? null,
    batchId: id('batch_id'),
    day: row['day'] ?? '',
    amountMinor: id('amount_minor'),
    feeMinor: minor(row['fee_minor']),
  }
}
