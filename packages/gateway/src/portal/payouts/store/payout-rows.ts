import type { PayoutRow, PayoutSums, SettlementSource } from '../usecases/payouts.ts'

/** Columns of a row of amounts, with their names in the answer. */
const SUMS = {
  carriedMinor: 'carried_minor',
  grossMinor: 'gross_minor',
  refundsMinor: 'refunds_minor',
  chargebacksMinor: 'chargebacks_minor',
  feesMinor: 'fees_minor',
  reserveMinor: 'reserve_minor',
  otherMinor: 'other_minor',
  leftMinor: 'left_minor',
  netMinor: 'net_minor',
} as const satisfies Readonly<Record<keyof PayoutSums, string>>

export const SUM_COLUMNS = Object.values(SUMS)

export interface SourceColumns extends Record<string, unknown> {
  readonly source_id: string
  readonly account_id: string
  readonly mode: 'test' | 'live'
  readonly processor_name: string
  readonly currency: string
}

export interface PayoutColumns extends SourceColumns {
  readonly id: string
  readonly n: number
  readonly seq: string
  readonly state: PayoutRow['state']
  readonly payout: string | null
  readonly trace: string | null
  readonly iban_last4: string | null
  readonly value_date: string
  readonly arrives: string | null
}

/** The columns of a source, named as in `SourceColumns`. */
export const SOURCE = `
s.id as source_id, s.merchant_account_id as account_id, a.mode, a.processor_name, s.currency`

export function sumsOf(row: Record<string, unknown>): PayoutSums {
  return Object.fromEntries(
    Object.entries(SUMS).map(([name, column]) => [name, minor(row[column])]),
  ) as unknown as PayoutSums
}

export function sourceOf(row: SourceColumns): SettlementSource {
  const { currency, mode } = row
  return {
    currency,
    mode,
    id: BigInt(row.source_id),
    accountId: BigInt(row.account_id),
    processorName: row.processor_name,
  }
}

export function payoutOf(row: PayoutColumns): PayoutRow {
  const { arrives, payout, state, trace } = row
  return {
    ...sourceOf(row),
    ...sumsOf(row),
    arrives,
    payout,
    state,
    trace,
    id: BigInt(row.id),
    ibanLast4: row.iban_last4,
    valueDate: row.value_date,
    fileSeq: BigInt(row.seq),
    line: row.n,
  }
}

/** A bigint of the database, which the driver gives as text. */
export function minor(value: unknown): bigint {
  return BigInt(String(value))
}
