import { NAMES_COLUMNS, NAMES_JOINS, namesOf, type NamesRow } from '../events/order-names.ts'
import { ENTERED_BATCH } from '../payments/written-ahead.ts'
import type { ListSource } from './list-source.ts'
import { NARROW_ORDERS, ORDER_CONDITIONS } from './order-conditions.ts'

interface TransactionRow extends NamesRow {
  readonly id: string
  readonly request_id: string
  readonly kind: string
  readonly state: string
  readonly origin: string
  readonly portal_user_id: string | null
  readonly created_at: Date
  readonly concluded_at: Date | null
  readonly amount_minor: string
  readonly value_minor: string
  readonly voided_minor: string
  readonly batch_id: string | null
  readonly service_code: number
  readonly processor_code: string
  readonly industry_code: string
  readonly response_code: string
  readonly avs_code: string
  readonly cvv_code: string
  readonly eci: string
}

export const TRANSACTIONS: ListSource<'transactions'> = {
  table: 'transactions',
  alias: 't',
  at: 't.created_at',
  sortedBy: 'time',
  markedBy: 'time',
  isOwnTime: true,
  joins: 'join orders o on o.id = t.order_id',
  conditions: {
    ...ORDER_CONDITIONS,
    status: (value) => `t.state = ${value}`,
    action: (value) => `t.kind = ${value}`,
    origin: (value) => `t.origin = ${value}`,
    batch: (value) => `${ENTERED_BATCH} = ${value}::bigint`,
    least_minor: (value) => `t.amount_minor >= ${value}::bigint`,
    most_minor: (value) => `t.amount_minor <= ${value}::bigint`,
  },
  narrow: NARROW_ORDERS,
  narrowKey: 't.order_id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<TransactionRow>({
      name: 'listed transactions',
      text: `select t.id, t.request_id, t.kind, t.state, t.origin, t.created_at, t.concluded_at,
                    t.amount_minor, t.value_minor, t.voided_minor, ${ENTERED_BATCH} as batch_id,
                    t.service_code,
                    t.processor_code, t.industry_code, t.response_code, t.avs_code, t.cvv_code,
                    coalesce(a.eci, '') as eci,
                    case when t.origin = 'portal' then
                      (select u.portal_user_id from portal_operations u
                        where u.order_id = t.order_id and u.request_id = t.request_id)
                    end as portal_user_id, ${NAMES_COLUMNS}
               from transactions t
               join orders o on o.id = t.order_id ${NAMES_JOINS}
               left join three_ds_authentications a on a.transaction_id = t.id
              where t.id = any($2::bigint[]) and t.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        ...namesOf(row),
        transactionId: row.id,
        requestId: row.request_id,
        kind: row.kind,
        state: row.state,
        origin: row.origin,
        portalUserId: row.portal_user_id,
        createdAt: row.created_at,
        concludedAt: row.concluded_at,
        requestedMinor: BigInt(row.amount_minor),
        valueMinor: BigInt(row.value_minor),
        voidedMinor: BigInt(row.voided_minor),
        batchId: row.batch_id,
        codes: {
          service: row.service_code,
          processor: row.processor_code,
          industry: row.industry_code,
          response: row.response_code,
        },
        avs: row.avs_code,
        cvv: row.cvv_code,
        eci: row.eci,
      },
    ])
  },
}

/** Sales, captures and refunds of one batch, which an index has in the sequence of their ids. */
export const BATCH_TRANSACTIONS: ListSource<'transactions'> = {
  ...TRANSACTIONS,
  sortedBy: 'id',
}
