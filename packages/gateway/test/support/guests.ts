import type pg from 'pg'

/** Customers from an id on, each with a card and one captured order that moved last at a time. */
export async function guests(pool: pg.Pool, first: number, count: number, at: Date): Promise<void> {
  const ids = `generate_series($1::bigint, $1 + $2 - 1) n`
  const values = [first, count, at]
  await pool.query(
    `insert into customers (id, merchant_id, mode, first_name, created_at)
     select n, 1, 'test', 'Ann', $3 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id,
       fingerprint, brand, last4, created_at, last_used_at)
     select n, 1, n, 'test', 'x', 1, sha256(n::text::bytea), 'Visa', '1111', $3, $3 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
       payment_method_id, kind, state, currency, requested_minor, authorized_minor, captured_minor,
       message_number, message_at, entry_mode, created_at, advice_count)
     select n, 1, 1, 1, 'test', n, n, 'payment', 'authorized', 'USD', 100, 100, 100, n, $3, '010',
            $3, 1 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
       value_minor, created_at, concluded_at, batch_id)
     select n, 1, n, n, 'sale', 'approved', 100, 100, $3, $3, 1 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
       amount_minor, original_mti, original_number, original_at, message_number, message_at,
       next_try_at, response_code, acknowledged_at, created_at)
     select n, 1, n, n, 1, 'capture', 'acknowledged', 100, '0100', n, $3, n + 1000000, $3, $3,
            '00', $3, $3 from ${ids}`,
    values,
  )
}
