import type pg from 'pg'
import type { OpenPayout, UnmatchedEntry } from '../../../domain/settlement/deposit-matching.ts'
import type { DepositTx } from '../../../usecases/settlement/deposit-store.ts'
import { saveMatching } from './deposit-changes.ts'
import { statementVerbs } from './statement-rows.ts'

/** Entries without a payout: new ones, and those whose difference no person ended. */
const UNMATCHED = `
select e.id, e.amount_minor, e.booked_on::text, e.texts, e.sources::text[], e.has_reference,
       a.last4,
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
