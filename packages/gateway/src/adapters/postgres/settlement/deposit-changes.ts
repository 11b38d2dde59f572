import type pg from 'pg'
import type { DepositChanges } from '../../../usecases/settlement/deposit-store.ts'

interface Occasion {
  readonly merchantId: bigint
  readonly currency: string
  readonly at: Date
  readonly by: string
}

const ADD_LINKS = `
insert into payout_deposits
  (entry_id, n, payout_id, merchant_id, kind, cleared_minor, matched_by, matched_at)
select l.entry_id, l.n, l.payout_id, $1, l.kind, l.cleared_minor, $3, $2
  from jsonb_to_recordset($4::jsonb) as l (
    entry_id bigint, n integer, payout_id bigint, kind text, cleared_minor bigint)`

// A posting with a payout belongs to the source of that payout.
const ADD_POSTINGS = `
insert into settlement_postings
  (event, event_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
select 'deposit', p.entry_id, p.n, p.kind::settlement_posting_kind,
       coalesce(o.source_id, e.sources[1]), $1, $4, p.minor, $2
  from jsonb_to_recordset($3::jsonb) as p (entry_id bigint, n integer, kind text, minor bigint)
  join bank_entries e on e.id = p.entry_id
  left join payout_deposits l on l.entry_id = p.entry_id and l.n = p.n
  left join settlement_payouts o on o.id = l.payout_id`

const SET_STATES = `
update settlement_payouts p set state = s.state
  from jsonb_to_recordset($2::jsonb) as s (payout_id bigint, state text)
 where p.id = s.payout_id and p.merchant_id = $1 and s.state = $3`

const END_LATE = `
update settlement_differences d
   set state = 'ended', ended_as = 'matched_late', ended_by = $4, ended_at = $3,
       ended_reason = case d.code when 'payout_missing' then 'A bank statement has the payout.'
                                  else 'A payout of a later file explains the entry.' end
 where d.merchant_id = $1 and d.state = 'open'
   and ((d.code = 'payout_missing' and d.payout_id in (
           select (x->>'payout_id')::bigint from jsonb_array_elements($2::jsonb) x))
     or (d.code = 'payout_unknown' and d.entry_id = any ($5::bigint[])))`

const COMPLETE = `
update settlement_differences d
   set bank_minor = d.bank_minor + c.minor,
       state = case when d.bank_minor + c.minor = d.here_minor then 'ended' else 'open' end,
       ended_as = case when d.bank_minor + c.minor = d.here_minor then 'matched_late' end,
       ended_by = case when d.bank_minor + c.minor = d.here_minor then $4 end,
       ended_at = case when d.bank_minor + c.minor = d.here_minor then $3::timestamptz end,
       ended_reason = case when d.bank_minor + c.minor = d.here_minor
                           then 'A later entry has the rest.' end
  from jsonb_to_recordset($2::jsonb) as c (payout_id bigint, minor bigint)
 where d.merchant_id = $1 and d.payout_id = c.payout_id and d.code = 'payout_short'
   and d.state = 'open'`

const ADD_DIFFERENCES = `
insert into settlement_differences
  (source_id, merchant_id, code, entry_id, payout_id, payouts, here_minor, here_currency,
   bank_minor, bank_currency, since, found_at)
select coalesce(o.source_id, e.sources[1]), $1, d.code, e.id, d.payout_id,
       array(select jsonb_array_elements_text(d.proposal)::bigint), d.here_minor,
       case when d.here_minor is not null then $4 end, d.bank_minor, $4, e.booked_on, $2
  from jsonb_to_recordset($3::jsonb) as d (
    code text, entry_id bigint, payout_id bigint, proposal jsonb, here_minor bigint,
    bank_minor bigint)
  join bank_entries e on e.id = d.entry_id
  left join settlement_payouts o on o.id = d.payout_id`

/** Writes the effects of a matching, on the connection of its transaction. */
export async function saveMatching(
  client: pg.ClientBase,
  { at, by, currency, merchantId }: Occasion,
  changes: DepositChanges,
): Promise<void> {
  const { completions, differences, links, matched, payoutStates, postings } = changes
  await client.query(ADD_LINKS, [merchantId, at, by, rowsOf(links)])
  await client.query(ADD_POSTINGS, [merchantId, at, rowsOf(postings), currency])
  // A statement may have a deposit and its return: one state after the other.
  for (const state of ['deposited', 'returned']) {
    await client.query(SET_STATES, [merchantId, rowsOf(payoutStates), state])
  }
  await client.query(
    `update bank_entries set state = 'matched'
      where id = any($1::bigint[]) and merchant_id = $2 and state = 'unknown'`,
    [matched, merchantId],
  )
  await client.query(END_LATE, [merchantId, rowsOf(payoutStates), at, by, matched])
  await client.query(COMPLETE, [merchantId, rowsOf(completions), at, by])
  await client.query(ADD_DIFFERENCES, [merchantId, at, rowsOf(differences), currency])
}

/** Rows as JSON with the names of columns. */
function rowsOf(rows: readonly object[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]: [string, unknown]) => [
          name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`),
          value,
        ]),
      ),
    ),
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  )
}
