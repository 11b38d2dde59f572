import { storedCurrency } from '../connection/stored-currency.ts'
import { type ListSource } from './list-source.ts'

interface BatchRow {
  readonly id: string
  readonly merchant_account_id: string
  readonly mode: string
  readonly state: string
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly agreed_at: Date | null
  readonly sums:
    | readonly {
        readonly currency: string
        readonly action: string
        readonly brand: string
        readonly transactions: number
        readonly amount: string
        readonly voided: string
      }[]
    | null
}

const STATE = `case when b.closed_at is null then 'open'
       when b.agreement = 'none' then 'closed' else b.agreement end`

export const BATCHES: ListSource<'batches'> = {
  table: 'batches',
  alias: 'b',
  at: 'b.opened_at',
  sortedBy: 'id',
  markedBy: 'id',
  isOwnTime: true,
  joins: 'join merchant_accounts a on a.id = b.merchant_account_id',
  conditions: {
    mode: (value) => `a.mode = ${value}`,
    status: (value) => `(${STATE}) = ${value}`,
    account: (value) => `b.merchant_account_id = ${value}::bigint`,
  },
  narrow: {},
  narrowKey: 'b.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<BatchRow>({
      name: 'listed batches',
      text: `select b.id, b.merchant_account_id, a.mode, ${STATE} as state, b.opened_at,
                    b.closed_at, b.agreed_at,
                    case when b.closed_at is not null then
                      (select coalesce(json_agg(json_build_object(
                                'currency', s.currency, 'action', s.action, 'brand', s.brand,
                                'transactions', s.transactions, 'amount', s.amount_minor::text,
                                'voided', s.voided_minor::text)
                                order by s.currency, s.action, s.brand), '[]')
                         from batch_sums s where s.batch_id = b.id)
                    end as sums
               from batches b
               join merchant_accounts a on a.id = b.merchant_account_id
              where b.id = any($2::bigint[]) and b.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        batchId: row.id,
        accountId: row.merchant_account_id,
        mode: row.mode,
        state: row.state,
        openedAt: row.opened_at,
        closedAt: row.closed_at,
        agreedAt: row.agreed_at,
        sums:
          row.sums?.map(({ amount, currency, voided, ...sum }) => ({
            ...sum,
            currency: storedCurrency(currency),
            amountMinor: BigInt(amount),
            voidedMinor: BigInt(voided),
          })) ?? null,
      },
    ])
  },
}
