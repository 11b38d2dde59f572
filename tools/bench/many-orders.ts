import type pg from 'pg'

/**
 * Writes orders of the demo merchants straight into an empty database, one each 31 seconds up to
 * now. They are there to be listed, and agree with no bank's books. A twentieth is another
 * merchant's.
 */
export async function writeManyOrders(pool: pg.Pool, orders: number): Promise<void> {
  // Names are made of letters: 42 is `ec`.
  const letters = (number: string): string =>
    `translate((${number})::text, '0123456789', 'abcdefghij')`
  const all = `generate_series(1, ${orders}) i`
  const merchant = 'case when i % 20 = 0 then 2 else 1 end'
  const statements = [
    `insert into customers (id, merchant_id, mode, first_name, last_name, email, created_at)
     select 5000000 + i, ${merchant}, 'test', 'First' || ${letters('i % 300')}, 'Last' || ${letters('i::bigint * 7919 % 5000')}, 'person' || i % 200000 || '@example.com', now()
       from ${all}`,
    `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint, brand, last4, expiry_month, expiry_year, created_at, last_used_at)
     select 5000000 + i, ${merchant}, 5000000 + i, 'test', decode(repeat('00', 45), 'hex'), 1, sha256(i::text::bytea),
            (array['Visa', 'Mastercard', 'American Express'])[1 + i % 3],
            case when i % 3 = 0 then '1111' else lpad((i::bigint * 7919 % 10000)::text, 4, '0') end, 12, 2030, now(), now()
       from ${all}`,
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id, payment_method_id, kind, state, currency, reference,
                         requested_minor, authorized_minor, captured_minor, refunded_minor, message_number, message_at, entry_mode,
                         auth_code, network_transaction_id, created_at)
     select 5000000 + i, ${merchant}, case when i % 20 = 0 then 1002 else 1001 end, case when i % 20 = 0 then 2002 else 2001 end, 'test',
            5000000 + i, 5000000 + i, 'payment', case when i % 10 = 3 then 'declined' else 'authorized' end,
            (array['USD', 'EUR', 'JPY', 'KWD'])[1 + i % 4], 'REF-' || i, m, case when i % 10 = 3 then 0 else m end,
            case when i % 10 = 3 or i % 5 = 1 then 0 else m end, case when i % 50 = 7 then m else 0 end, 5000000 + i, at, '012',
            case when i % 10 = 3 then '' else lpad((i::bigint * 7919 % 1000000)::text, 6, '0') end,
            case when i % 10 = 3 then '' else 'NET' || lpad(i::text, 12, '0') end, at
       from ${all}, lateral (select 100 + (i::bigint * 104729 % 49900) as m, now() - (${orders} - i) * interval '31 seconds' as at) x`,
    `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor, value_minor, batch_id, service_code, avs_code, cvv_code, created_at, concluded_at)
     select o.id, o.merchant_id, o.id, o.id, case when o.id % 5 = 1 then 'authorization' else 'sale' end,
            case when o.state = 'declined' then 'declined' else 'approved' end, o.requested_minor, o.requested_minor, 500,
            case when o.state <> 'declined' then 0 when o.id % 10000 = 3 then 605 when o.id % 100 = 3 then 635 else 650 end,
            case when o.id % 1000 = 5 then 'N' else 'M' end, 'M', o.created_at, o.created_at
       from orders o`,
    'select keep_request_ranges(max(id)) from orders',
    `insert into requests (id, received_at, merchant_id, site_id, username, address, action, parameters, http_status, api_code, service_code, ref_field, state, order_id, transaction_id, took_ms)
     select o.id, o.created_at, o.merchant_id, o.site_id, 'demo@tollgate.test', '127.0.0.1', 'CCAUTHCAP',
            '{"PMT_NUMB":"411111******1111","LI_VALUE_1":"12.50","XTL_ORDER_ID":"REF-1"}', 200, '0', 100, '', 'APPROVED', o.id, o.id, 12
       from orders o`,
    'vacuum analyze',
  ]
  for (const statement of statements) await pool.query(statement)
}

/** The postings of each order of `writeManyOrders`. */
export async function writePostings(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency,
                                  amount_minor, posted_at)
     select merchant_id, id, id, k.kind::ledger_posting_kind, currency, k.amount, created_at
       from orders cross join lateral (values ('authorization', authorized_minor),
                                              ('capture', captured_minor),
                                              ('refund', refunded_minor)) k (kind, amount)
      where k.amount > 0`,
  )
}
