import type pg from 'pg'

/**
 * All rows of a site in the books, as lines of text without ids. Two sites with the same events at
 * the same times have the same lines. Membership rows are read where there are any.
 */
export async function booksOfSite(pool: pg.Pool, siteId: number): Promise<string[]> {
  const lines: string[] = []
  for (const [name, text] of Object.entries(BOOKS)) {
    const { rows } = await pool.query<{ line: string }>(text, [siteId])
    lines.push(...rows.map(({ line }) => `${name} ${line}`))
  }
  return lines.toSorted()
}

// As JSON, without the columns that name a row, a message or the site, or come from the machine's
// clock.
const IDS = `array['id', 'merchant_id', 'site_id', 'merchant_account_id', 'customer_id', 'payment_method_id', 'order_id',
  'order_line_id', 'transaction_id', 'request_id', 'batch_id', 'membership_id', 'charge_card_id', 'reference',
  'message_number', 'message_at', 'auth_code', 'network_transaction_id', 'version', 'leased_until']`

const BOOKS = {
  order: `select (to_jsonb(o) - ${IDS})::text as line from orders o where o.site_id = $1`,
  line: `select (to_jsonb(l) - ${IDS})::text as line from order_lines l join orders o on o.id = l.order_id
          where o.site_id = $1`,
  transaction: `select (to_jsonb(t) - ${IDS})::text as line from transactions t join orders o on o.id = t.order_id
                 where o.site_id = $1`,
  posting: `select (to_jsonb(p) - ${IDS})::text as line from ledger_postings p join orders o on o.id = p.order_id
             where o.site_id = $1`,
  advice: `select concat_ws(' ', a.kind, a.state, a.amount_minor, a.remaining_minor, a.reason, a.sequence) as line
             from advices a join orders o on o.id = a.order_id where o.site_id = $1`,
  token: `select concat_ws(' ', t.created_at, t.expires_at, t.used_at, t.pan_ciphertext is null) as line
            from card_tokens t where t.site_id = $1`,
  membership: `select (to_jsonb(m) - ${IDS})::text as line from memberships m where m.site_id = $1`,
  charge: `select (to_jsonb(c) - ${IDS})::text as line from membership_charges c
             join memberships m on m.id = c.membership_id where m.site_id = $1`,
}
