import type pg from 'pg'
import type {
  ChargedFee,
  ChargedFeeReader,
  ChargedFeesOf,
  FeePlace,
  OperatorFee,
} from '../usecases/charged-fees.ts'
import { minor } from './payout-rows.ts'

/** As the statement sums them. $2 account, $6 kinds, $7 the place, $8 the number of fees. */
const OF_TRANSACTIONS = `
select f.transaction_id as id, f.transaction_id, t.order_id, o.reference, t.kind, f.brand,
       f.batch_id, f.day::text, f.amount_minor, f.fee_minor
  from transaction_fees f
  join batches b on b.id = f.batch_id and b.merchant_account_id = $2
  join transactions t on t.id = f.transaction_id
  join orders o on o.id = t.order_id
 where f.merchant_id = $1 and f.currency = $3 and f.posted_at >= $4 and f.posted_at < $5
   and f.kind = any($6::text[]) and f.transaction_id > $7
 order by f.transaction_id limit $8`

/** Of all accounts of the merchant together. $5 the place, $6 the number of fees. */
const OF_MONTHS = `
select to_char(month, 'YYYYMM') as id, month::text as day, fee_minor
  from monthly_fees
 where merchant_id = $1 and currency = $2 and posted_at >= $3 and posted_at < $4
   and to_char(month, 'YYYYMM')::bigint > $5
 order by month limit $6`

type Row = Readonly<Record<string, string | null>>

/** The kinds of transactions whose fees are in a sum. */
const KINDS: Readonly<Record<OperatorFee, readonly string[]>> = {
  sales: ['sale'],
  refunds: ['refund'],
  monthly: [],
  all: ['sale', 'refund'],
}

/** Reads the operator's fees of a statement one by one. */
export function createChargedFeeReader(pool: pg.Pool): ChargedFeeReader {
  async function ofTransactions(of: ChargedFeesOf, after: FeePlace, limit: number) {
    const { accountId, currency, fee, merchantId, range } = of
    const { from, until } = range
    if (after.of === 'month' || KINDS[fee].length === 0) return []
    const values = [merchantId, accountId, currency, from, until, KINDS[fee], after.id, limit]
    const { rows } = await pool.query<Row>(OF_TRANSACTIONS, values)
    return rows.map((row) => feeOf(row, 'transaction'))
  }
  async function ofMonths(of: ChargedFeesOf, after: FeePlace, limit: number) {
    const { currency, fee, merchantId, range } = of
    if (limit === 0 || (fee !== 'monthly' && fee !== 'all')) return []
    const behind = after.of === 'month' ? after.id : 0n
    const values = [merchantId, currency, range.from, range.until, behind, limit]
    const { rows } = await pool.query<Row>(OF_MONTHS, values)
    return rows.map((row) => feeOf(row, 'month'))
  }
  return {
    async list(of, after, limit) {
      const first = await ofTransactions(of, after, limit)
      return [...first, ...(await ofMonths(of, after, limit - first.length))]
    },
  }
}

function feeOf(row: Row, of: FeePlace['of']): ChargedFee {
  const id = (name: string): bigint | null => {
    const value = row[name] ?? null
    return value === null ? null : BigInt(value)
  }
  return {
    place: { of, id: BigInt(row['id'] ?? 0) },
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
