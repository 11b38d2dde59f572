import { findCurrency } from '../../../domain/currency.ts'
import type { EventData } from '../../../domain/events/event.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { BatchAction, BatchSum } from '../../../usecases/books/batches.ts'

/** `USD sale Visa: 3, 37.50 USD`, with what was voided of it. */
export function batchSumText({
  currency: code,
  action,
  brand,
  transactions,
  amountMinor,
  voidedMinor,
}: BatchSum): string {
  const currency = findCurrency(code)
  const amount = (minor: bigint): string =>
    `${currency === null ? minor : formatMinor(minor, currency)} ${code}`
  const voided = voidedMinor === 0n ? '' : `, ${amount(voidedMinor)} voided`
  return `${code} ${action} ${brand}: ${transactions}, ${amount(amountMinor)}${voided}`
}

/** The same for an event. */
export function batchSumData({
  currency: code,
  action,
  brand,
  transactions,
  amountMinor,
  voidedMinor,
}: BatchSum): EventData {
  const currency = findCurrency(code)
  const amount = (minor: bigint): string =>
    currency === null ? minor.toString() : formatMinor(minor, currency)
  return {
    currency: code,
    action,
    brand,
    transactions: Number(transactions),
    amount: amount(amountMinor),
    voided: amount(voidedMinor),
  }
}

/** Computed from what is in the batches $1; written so that the index of batches finds it. */
export const BATCH_SUMS = `select t.batch_id, o.currency, t.kind as action, p.brand,
       count(*) as transactions,
       sum(t.value_minor) as amount_minor, sum(t.voided_minor) as voided_minor
  from transactions t
  join orders o on o.id = t.order_id
  join payment_methods p on p.id = o.payment_method_id
 where t.batch_id = any($1::bigint[]) and t.kind in ('sale', 'capture', 'refund')
   and t.state = 'approved'
 group by t.batch_id, o.currency, t.kind, p.brand`

/** A row of batch_sums, or of the same columns computed. */
export interface BatchSumRow {
  readonly batch_id: string
  readonly currency: string
  readonly action: BatchAction
  readonly brand: string
  readonly transactions: string
  readonly amount_minor: string
  readonly voided_minor: string
}

export function sumOf(row: BatchSumRow): BatchSum {
  return {
    currency: row.currency,
    action: row.action,
    brand: row.brand,
    transactions: Number(row.transactions),
    amountMinor: BigInt(row.amount_minor),
    voidedMinor: BigInt(row.voided_minor),
  }
}
