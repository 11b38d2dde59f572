import { NAMES_COLUMNS, NAMES_JOINS, namesOf, type NamesRow } from '../events/order-names.ts'
import { EXPIRES_AT } from '../payments/written-ahead.ts'
import type { ListSource } from './list-source.ts'
import { NARROW_ORDERS, ORDER_CONDITIONS } from './order-conditions.ts'

interface OrderRow extends NamesRow {
  readonly kind: string
  readonly state: string
  readonly created_at: Date
  readonly requested_minor: string
  readonly authorized_minor: string
  readonly captured_minor: string
  readonly voided_minor: string
  readonly refunded_minor: string
  readonly expires_at: Date | null
  readonly released_at: Date | null
}

export const ORDERS: ListSource<'orders'> = {
  table: 'orders',
  alias: 'o',
  at: 'o.created_at',
  sortedBy: 'time',
  markedBy: 'time',
  isOwnTime: true,
  joins: '',
  conditions: {
    ...ORDER_CONDITIONS,
    status: (value) => `o.state = ${value}`,
    least_minor: (value) => `o.requested_minor >= ${value}::bigint`,
    most_minor: (value) => `o.requested_minor <= ${value}::bigint`,
  },
  narrow: NARROW_ORDERS,
  narrowKey: 'o.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<OrderRow>({
      name: 'listed orders',
      text: `select o.kind, o.state, o.created_at, o.requested_minor, o.authorized_minor,
                    o.captured_minor, o.voided_minor, o.refunded_minor, ${EXPIRES_AT} as expires_at,
                    o.released_at, ${NAMES_COLUMNS}
               from orders o ${NAMES_JOINS}
              where o.id = any($2::bigint[]) and o.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.order_id,
      {
        ...namesOf(row),
        kind: row.kind,
        state: row.state,
        createdAt: row.created_at,
        requestedMinor: BigInt(row.requested_minor),
        authorizedMinor: BigInt(row.authorized_minor),
        capturedMinor: BigInt(row.captured_minor),
        voidedMinor: BigInt(row.voided_minor),
        refundedMinor: BigInt(row.refunded_minor),
        expiresAt: row.expires_at,
        releasedAt: row.released_at,
      },
    ])
  },
}
