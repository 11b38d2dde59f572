import { storedCurrency } from '../connection/stored-currency.ts'
import { customersOf, SITES, type ListSource } from './list-source.ts'

interface MembershipRow {
  readonly id: string
  readonly site_id: string
  readonly mode: string
  readonly state: string
  readonly created_at: Date
  readonly customer_id: string
  readonly customer_reference: string
  readonly membership_reference: string
  readonly order_id: string
  readonly product: string
  readonly next_product: string | null
  readonly price_minor: string
  readonly currency: string
  readonly payment_method_id: string
  readonly next_kind: string | null
  readonly next_at: Date | null
  readonly renewal_attempts: number
  readonly over_at: Date | null
}

const CHARGES: ReadonlySet<string | null> = new Set(['renewal', 'retry'])

export const MEMBERSHIPS: ListSource<'memberships'> = {
  table: 'memberships',
  alias: 'm',
  at: 'm.created_at',
  sortedBy: 'id',
  markedBy: 'time',
  isOwnTime: true,
  joins: '',
  conditions: {
    site: (value) => `m.site_id = ${value}::bigint`,
    mode: (value) => `m.mode = ${value}`,
    status: (value) => `m.state = ${value}`,
    customer: (value) => `m.customer_id = ${value}::bigint`,
    customer_reference: (value) => `m.customer_id = ${customersOf(value)}`,
    membership_reference: (value) =>
      `(select f.membership_reference from orders f where f.id = m.order_id) = ${value}`,
    product: (value) => `m.product = ${value}`,
    currency: (value) => `m.currency = ${value}`,
    least_minor: (value) => `m.price_minor >= ${value}::bigint`,
    most_minor: (value) => `m.price_minor <= ${value}::bigint`,
  },
  narrow: {
    customer: 'select m.id from memberships m where m.merchant_id = $1 and m.customer_id = $2',
    customer_reference: `select m.id from memberships m
       where m.merchant_id = $1 and m.customer_id = ${customersOf('$2')}`,
    membership_reference: `select l.membership_id as id from orders o
         join order_lines l on l.order_id = o.id and l.membership_id is not null
        where o.merchant_id = $1 and o.site_id = ${SITES}
          and o.membership_reference = $2 and o.membership_reference <> ''`,
  },
  narrowKey: 'm.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<MembershipRow>({
      name: 'listed memberships',
      text: `select m.id, m.site_id, m.mode, m.state, m.created_at, m.customer_id,
                    c.reference as customer_reference, o.membership_reference, m.order_id,
                    m.product, m.next_product, m.price_minor, m.currency, m.payment_method_id,
                    m.next_kind, m.next_at, m.renewal_attempts, m.over_at
               from memberships m
               join orders o on o.id = m.order_id
               join customers c on c.id = m.customer_id
              where m.id = any($2::bigint[]) and m.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        membershipId: row.id,
        siteId: row.site_id,
        mode: row.mode,
        state: row.state,
        createdAt: row.created_at,
        customerId: row.customer_id,
        customerReference: row.customer_reference,
        reference: row.membership_reference,
        firstOrderId: row.order_id,
        product: row.product,
        nextProduct: row.next_product,
        priceMinor: BigInt(row.price_minor),
        currency: storedCurrency(row.currency),
        cardId: row.payment_method_id,
        nextChargeAt: CHARGES.has(row.next_kind) ? row.next_at : null,
        attempts: row.renewal_attempts,
        endsAt: CHARGES.has(row.next_kind) ? null : row.next_at,
        overAt: row.over_at,
      },
    ])
  },
}
