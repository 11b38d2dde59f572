import type pg from 'pg'
import type { OpenPayout, UnmatchedEntry } from '../../../domain/settlement/deposit-matching.ts'
import type { DepositChanges, DepositTx } from '../../../usecases/settlement/deposit-store.ts'
import { statementVerbs } from './statement-rows.ts'

/** Entries without a payout: new ones, and those whose difference no person ended. */
const UNMATCHED = `
select e.id, e.amount_minor, e.booked_on::text, e.texts, e.sources::text[], e.has_reference, a.last4,
       exists (select from settlement_postings p
                where p.event = 'deposit' and p.event_id = e.id and p.n = 0) as is_posted
  from bank_entries e join bank_accounts a on a.id = e.bank_account_id
 where e.state = 'unknown'
   and not exists (select from settlement_differences d
                    where d.entry_id = e.id and d.code = 'payout_unknown' and d.state = 'ended')`

interface EntryRow {
  readonly id: string
  readonly amount_minor: string
  readonly booked_on: string
  readonly texts: readonly string[]
  readonly sources: readonly string[]
  readonly has_reference: boolean
  readonly last4: string
  readonly is_posted: boolean
}

/** Deposits may come back, or be completed, for this long. */
const PAYOUTS = `
select p.id, p.source_id, p.state, p.net_minor, p.trace, p.payout, p.value_date::text,
       p.arrives::text, p.iban_last4,
       coalesce((select d.here_minor - d.bank_minor from settlement_differences d
                  where d.payout_id = p.id and d.code = 'payout_short' and d.state = 'open'), 0)
         as missing_minor
  from settlement_payouts p
 where p.merchant_id = $1 and p.currency = $2
   and (p.state = 'announced'
        or (p.state = 'deposited'
            and p.value_date > (select max(x.value_date) - 120 from settlement_payouts x
                                 where x.merchant_id = $1)))`

interface PayoutRow {
  readonly id: string
  readonly source_id: string
  readonly state: 'announced' | 'deposited'
  readonly net_minor: string
  readonly trace: string | null
  readonly payout: string | null
  readonly value_date: string
  readonly arrives: string | null
  readonly iban_last4: string | null
  readonly missing_minor: string
}

/** A payout that a file returns before a bank had it: the lines of both cleared its transit. */
const RETURN_ANNOUNCED = `
with returned as (
  update settlement_payouts p set state = 'returned'
   where p.merchant_id = $1 and p.state = 'announced' and p.payout is not null
     and exists (select from settlement_lines l
                   join settlement_files f on f.id = l.file_id and f.state = 'booked'
                  where f.source_id = p.source_id and l.kind = 'payout_return'
                    and l.payout = p.payout and l.gross_minor = p.net_minor)
  returning p.id),
ended as (
  update settlement_differences d
     set state = 'ended', ended_as = 'matched_late', ended_by = $3, ended_at = $2,
         ended_reason = 'A later file returns the payout.'
    from returned r
   where d.merchant_id = $1 and d.payout_id = r.id and d.code = 'payout_missing'
     and d.state = 'open')
select from returned`

const RAISE_MISSING = `
insert into settlement_differences
  (source_id, merchant_id, code, payout_id, here_minor, here_currency, since, found_at)
select p.source_id, p.merchant_id, 'payout_missing', p.id, p.net_minor, p.currency,
       coalesce(p.arrives, p.value_date), $3
  from settlement_payouts p
 where p.source_id = $1 and ${OVERDUE('$2')}
    on conflict do nothing`

/** Whether a payout `p` is announced and expected from the first day of an account until a day. */
export function OVERDUE(latestDay: string): string {
  return `p.state = 'announced' and coalesce(p.arrives, p.value_date) <= ${latestDay}::date
   and exists (select from bank_accounts a
                where a.merchant_id = p.merchant_id and a.currency = p.currency
                  and a.since <= coalesce(p.arrives, p.value_date))
   and not exists (select from settlement_differences d
                    where d.payout_id = p.id and d.code = 'payout_missing')`
}

/** The verbs of deposits, on the connection of a transaction. */
export function depositTx(client: pg.ClientBase): DepositTx {
  return {
    ...statementVerbs(client),
    async readUnmatched(merchantId, currency) {
      const { rows } = await client.query<EntryRow>(
        `${UNMATCHED} and e.merchant_id = $1 and a.currency = $2 order by e.booked_on, e.id`,
        [merchantId, currency],
      )
      return rows.map(entryOf)
    },
    async readPayouts(merchantId, currency) {
      const { rows } = await client.query<PayoutRow>(`${PAYOUTS} order by p.value_date, p.id`, [
        merchantId,
        currency,
      ])
      return rows.map(payoutOf)
    },
    saveMatching: (merchantId, currency, changes, at, by) =>
      saveMatching(client, { merchantId, currency, at, by }, changes),
    async returnAnnounced(merchantId, at, by) {
      const { rowCount } = await client.query(RETURN_ANNOUNCED, [merchantId, at, by])
      return rowCount ?? 0
    },
    readPair: (entryId, payoutId) => readPair(client, entryId, payoutId),
    async raiseMissingPayouts(sourceId, latestDay, at) {
      const { rowCount } = await client.query(RAISE_MISSING, [sourceId, latestDay, at])
      return rowCount ?? 0
    },
  }
}

async function readPair(
  client: pg.ClientBase,
  entryId: bigint,
  payoutId: bigint,
): ReturnType<DepositTx['readPair']> {
  const { rows } = await client.query<{ merchant_id: string; currency: string }>(
    `select p.merchant_id, p.currency
       from bank_entries e
       join bank_accounts a on a.id = e.bank_account_id
       join settlement_payouts p on p.merchant_id = e.merchant_id and p.currency = a.currency
      where e.id = $1 and p.id = $2 and e.state in ('unknown', 'matched')`,
    [entryId, payoutId],
  )
  const [pair] = rows
  if (pair === undefined) return null
  const entries = await client.query<EntryRow>(`${UNMATCHED} and e.id = $1`, [entryId])
  const payouts = await client.query<PayoutRow>(`${PAYOUTS} and p.id = $3`, [
    pair.merchant_id,
    pair.currency,
    payoutId,
  ])
  const [entry] = entries.rows
  const [payout] = payouts.rows
  return {
    merchantId: BigInt(pair.merchant_id),
    currency: pair.currency,
    entry: entry === undefined ? null : entryOf(entry),
    payout: payout === undefined ? null : payoutOf(payout),
  }
}

function entryOf(row: EntryRow): UnmatchedEntry {
  return {
    id: BigInt(row.id),
    amountMinor: BigInt(row.amount_minor),
    isPosted: row.is_posted,
    bookedOn: row.booked_on,
    texts: row.texts,
    sources: row.sources.map(BigInt),
    hasReference: row.has_reference,
    last4: row.last4,
  }
}

function payoutOf(row: PayoutRow): OpenPayout {
  return {
    id: BigInt(row.id),
    netMinor: BigInt(row.net_minor),
    trace: row.trace,
    payout: row.payout,
    sourceId: BigInt(row.source_id),
    state: row.state,
    valueDate: row.value_date,
    arrives: row.arrives,
    last4: row.iban_last4,
    missingMinor: BigInt(row.missing_minor),
  }
}

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
  (source_id, merchant_id, code, entry_id, payout_id, payouts, here_minor, here_currency, bank_minor,
   bank_currency, since, found_at)
select coalesce(o.source_id, e.sources[1]), $1, d.code, e.id, d.payout_id,
       array(select jsonb_array_elements_text(d.proposal)::bigint), d.here_minor,
       case when d.here_minor is not null then $4 end, d.bank_minor, $4, e.booked_on, $2
  from jsonb_to_recordset($3::jsonb) as d (
    code text, entry_id bigint, payout_id bigint, proposal jsonb, here_minor bigint,
    bank_minor bigint)
  join bank_entries e on e.id = d.entry_id
  left join settlement_payouts o on o.id = d.payout_id`

async function saveMatching(
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
