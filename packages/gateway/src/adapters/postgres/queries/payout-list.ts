import { PAYOUT_SUMS, type PayoutSum } from '../../../usecases/queries/listed-rows.ts'
import { storedCurrency } from '../connection/stored-currency.ts'
import { type ListSource } from './list-source.ts'

interface PayoutRow extends Record<`${PayoutSum}_minor`, string> {
  readonly id: string
  readonly file_id: string
  readonly merchant_account_id: string
  readonly mode: string
  readonly state: string
  readonly payout: string | null
  readonly trace: string | null
  readonly currency: string
  readonly value_date: string
  readonly arrives: string | null
  readonly booked_at: Date
}

const JOINS = `
  join settlement_sources s on s.id = p.source_id
  join merchant_accounts a on a.id = s.merchant_account_id
  join settlement_files f on f.id = p.file_id`

export const PAYOUTS: ListSource<'payouts'> = {
  table: 'settlement_payouts',
  alias: 'p',
  at: '(select w.booked_at from settlement_files w where w.id = p.file_id)',
  sortedBy: 'id',
  markedBy: 'id',
  isOwnTime: true,
  joins: JOINS,
  conditions: {
    mode: (value) => `a.mode = ${value}`,
    status: (value) => `p.state = ${value}`,
    account: (value) => `s.merchant_account_id = ${value}::bigint`,
    payout_reference: (value) => `p.payout = ${value}`,
    currency: (value) => `p.currency = ${value}`,
    least_minor: (value) => `p.net_minor >= ${value}::bigint`,
    most_minor: (value) => `p.net_minor <= ${value}::bigint`,
  },
  narrow: {},
  narrowKey: 'p.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<PayoutRow>({
      name: 'listed payouts',
      text: `select p.id, p.file_id, s.merchant_account_id, a.mode, p.state, p.payout, p.trace,
                    p.currency, p.value_date::text, p.arrives::text, f.booked_at,
                    ${PAYOUT_SUMS.map((sum) => `p.${sum}_minor`).join(', ')}
               from settlement_payouts p ${JOINS}
              where p.id = any($2::bigint[]) and p.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        payoutId: row.id,
        fileId: row.file_id,
        accountId: row.merchant_account_id,
        mode: row.mode,
        state: row.state,
        reference: row.payout ?? '',
        trace: row.trace ?? '',
        currency: storedCurrency(row.currency),
        sumsMinor: Object.fromEntries(
          PAYOUT_SUMS.map((sum) => [sum, BigInt(row[`${sum}_minor`])]),
        ) as Record<PayoutSum, bigint>,
        valueDate: row.value_date,
        arrives: row.arrives,
        bookedAt: row.booked_at,
      },
    ])
  },
}
