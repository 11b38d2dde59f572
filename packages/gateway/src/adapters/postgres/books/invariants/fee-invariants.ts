import type { Invariant } from './invariant.ts'

/** The operator's fees against the transactions and batches that they were charged for. */
export const feeInvariants: readonly Invariant[] = [
  {
    name: 'fees_have_their_transaction',
    since: 'full run',
    sentence:
      'A fee has an approved transaction of its kind, batch, currency and amount after voids.',
    sql: `
      select f.transaction_id, f.batch_id, f.kind, f.amount_minor, t.value_minor, t.voided_minor
        from transaction_fees f
        left join transactions t on t.id = f.transaction_id and t.merchant_id = f.merchant_id
             and t.state = 'approved' and t.batch_id = f.batch_id
             and f.kind = case when t.kind = 'refund' then 'refund' else 'sale' end
             and f.amount_minor = t.value_minor - t.voided_minor
        left join orders o on o.id = t.order_id and o.currency = f.currency
       where o.id is null`,
  },
  {
    name: 'fees_are_counted',
    since: 'full run',
    sentence: 'The fees of a batch are as many as its charge counted.',
    sql: `
      select c.batch_id, c.fees, count(f.transaction_id) as posted
        from fee_charges c left join transaction_fees f on f.batch_id = c.batch_id
       group by c.batch_id having c.fees <> count(f.transaction_id)`,
  },
]
