import type pg from 'pg'

/** SQL: members of a JSON object about a row of `payment_methods`. */
export const CARD_DATA = `'pmt_id', id::text, 'pmt_id_xtl', reference, 'cust_id', customer_id::text,
           'brand', brand, 'last4', last4`

/** Records that numbers are erased now. Call it before, with the rows locked. */
export async function recordRemovedCards(
  client: pg.ClientBase,
  where: { readonly customers: readonly string[] } | { readonly card: bigint },
  removal: { readonly reason: 'staff' | 'customer_erased'; readonly by: string },
): Promise<void> {
  await client.query(
    `insert into event_outbox (type, merchant_id, object_id, details)
     select 'card.removed', merchant_id, id,
            json_build_object('mode', mode, 'origin', $3::text, 'actor', $4::text,
                              'data', json_build_object(${CARD_DATA}, 'reason', $5::text))
       from payment_methods
      where (id = $1 or customer_id = any ($2::bigint[])) and removed_at is null`,
    [
      'card' in where ? where.card : null,
      'card' in where ? [] : where.customers,
      removal.by.startsWith('portal:') ? 'PORTAL' : 'OPERATOR',
      removal.by,
      removal.reason,
    ],
  )
}
