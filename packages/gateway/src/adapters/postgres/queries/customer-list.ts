import type { ListedCard } from '../../../usecases/queries/listed-rows.ts'
import type { ListSource } from './list-source.ts'

interface CustomerRow {
  readonly id: string
  readonly mode: string
  readonly reference: string
  readonly created_at: Date
  readonly cards: ListedCard[]
}

export const CUSTOMERS: ListSource<'customers'> = {
  table: 'customers',
  alias: 'c',
  at: 'c.created_at',
  sortedBy: 'id',
  markedBy: 'time',
  isOwnTime: true,
  joins: '',
  conditions: {
    mode: (value) => `c.mode = ${value}`,
    customer_reference: (value) => `c.reference = ${value}`,
  },
  narrow: {
    customer_reference: `select c.id from customers c
       where c.merchant_id = $1 and c.reference = $2 and c.reference <> ''`,
  },
  narrowKey: 'c.id',
  async read(client, merchantId, ids) {
    const { rows } = await client.query<CustomerRow>({
      name: 'listed customers',
      text: `select c.id, c.mode, c.reference, c.created_at,
                    (select coalesce(json_agg(json_build_object(
                              'brand', p.brand, 'last4', p.last4, 'id', p.id::text,
                              'reference', p.reference) order by p.id), '[]')
                       from payment_methods p
                      where p.customer_id = c.id and p.removed_at is null) as cards
               from customers c
              where c.id = any($2::bigint[]) and c.merchant_id = $1`,
      values: [merchantId, ids],
    })
    return rows.map((row) => [
      row.id,
      {
        customerId: row.id,
        mode: row.mode,
        reference: row.reference,
        createdAt: row.created_at,
        cards: row.cards,
      },
    ])
  },
}
