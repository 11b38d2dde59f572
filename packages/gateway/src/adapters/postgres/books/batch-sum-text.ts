import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { BatchSum } from '../../../usecases/books/batches.ts'

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
