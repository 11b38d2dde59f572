import { storedCurrency } from '../connection/stored-currency.ts'
import { type ListSource } from './list-source.ts'

interface DisputeRow {
  readonly id: string
  readonly case_id: string
  readonly merchant_account_id: string
  readonly mode: string
  readonly state: string
  readonly order_id: string | null
  readonly order_reference: string
  readonly brand: string
  readonly amount_minor: string
  readonly currency: string
  readonly reason: string | null
  readonly is_charged: boolean
  readonly respond_by: string | null
  readonly opened_at: Date
  readonly changed_at: Date
  readonly ended_at: Date | null
}

export const DISPUTES: ListSource<'disputes'> = {
  table: 'disputes',
  alias: 'd',
  at: 'd.opened_at',
  sortedBy: 'id',
  markedBy: 'id',
  // Notices have the time of the acquirer, and may come days later.
  isOwnTime: false,
  joins: 'join merchant_accounts a on a.id = d.merchant_account_id',
  conditions: {
    mode: (value) => `a.mode = ${value}`,
    status: (value) => `d.state = ${value}`,
    order: (value) => `d.order_id = ${value}::bigint`,
    account: (value) => `d.merchant_account_id = ${value}::bigint`,
    case: (value) => `d.case_id = ${value}`,
    currency: (value) => `d.currency = ${value}`,
    least_minor: (value) => `d.amount_minor >= ${value}::bigint`,
    most_minor: (value) => `d.amount_minor <= ${value}::bigint`,
  },
  narrow: {
    order: `select d.id from disputes d
       where d.order_id = $2 and d.order_id is not null and d.merchant_id = $1`,
  },
  narrowKey: 'd.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<DisputeRow>({
      name: 'listed disputes',
      text: `select d.id, d.case_id, d.merchant_account_id, a.mode, d.state, d.order_id,
                    coalesce(o.reference, '') as order_reference, d.brand, d.amount_minor,
                    d.currency, d.reason, d.is_charged, d.respond_by::text, d.opened_at,
                    d.changed_at, d.ended_at
               from disputes d
               join merchant_accounts a on a.id = d.merchant_account_id
               left join orders o on o.id = d.order_id
              where d.id = any($2::bigint[]) and d.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        disputeId: row.id,
        caseId: row.case_id,
        accountId: row.merchant_account_id,
        mode: row.mode,
        state: row.state,
        orderId: row.order_id,
        orderReference: row.order_reference,
        brand: row.brand,
        amountMinor: BigInt(row.amount_minor),
        currency: storedCurrency(row.currency),
        reason: row.reason ?? '',
        isCharged: row.is_charged,
        respondBy: row.respond_by,
        openedAt: row.opened_at,
        changedAt: row.changed_at,
        endedAt: row.ended_at,
      },
    ])
  },
}
