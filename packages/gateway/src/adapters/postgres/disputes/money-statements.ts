import type pg from 'pg'
import { noteAmounts } from './amount-difference.ts'
import { holdAccount } from './dispute-lock.ts'

/** Kinds of lines that belong to a case. */
export const DISPUTE_KINDS = `('chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee')`

/** Lines of booked files, or of the file $1 that is being booked, that have a case now. */
const LINK = `
insert into dispute_movements
  (file_id, n, dispute_id, merchant_id, source_id, kind, currency, taken_minor,
   fee_minor, linked_at)
select l.file_id, l.n, d.id, d.merchant_id, s.id, l.kind, s.currency,
       case l.kind when 'dispute_fee' then 0 else -l.gross_minor end,
       case l.kind when 'dispute_fee' then -l.net_minor else l.gross_minor - l.net_minor end, $2
  from disputes d
  join settlement_lines l on l.case_id = d.case_id and l.kind in ${DISPUTE_KINDS}
  join settlement_files f on f.id = l.file_id
  join settlement_sources s on s.id = f.source_id and s.merchant_account_id = d.merchant_account_id
 where (l.gross_minor <> 0 or l.kind = 'dispute_fee')`

const LINK_FILE = `${LINK} and l.file_id = $1`

const LINK_CASES = `${LINK} and d.id = any ($1::bigint[]) and f.state = 'booked'
   and not exists (select from dispute_movements m where m.file_id = l.file_id and m.n = l.n)`

/** Posts the loss, or the rapid refund, of the cases $1, less the posted one, at $2. */
const SETTLE_LOSSES = `
insert into dispute_postings
  (dispute_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
select m.dispute_id,
       (select coalesce(max(p.n), 0) from dispute_postings p where p.dispute_id = m.dispute_id)
         + row_number() over (partition by m.dispute_id order by m.source_id),
       case when m.is_rapid then 'rapid_refund' else 'chargeback_loss' end
         || case when m.loss_minor > m.posted_minor then '' else '_returned' end,
       m.source_id, m.merchant_id, m.currency, abs(m.loss_minor - m.posted_minor), $2
  from dispute_money m
 where m.dispute_id = any ($1::bigint[]) and m.loss_minor <> m.posted_minor`

/**
 * Whether a case `d` waits for a line of a file: its money was not taken, or did not come back.
 */
export const WAITS_FOR_MONEY = `
(d.is_charged and case
   when d.state in ('chargeback', 'represented', 'pre_arbitration', 'arbitration')
     then not exists (select from dispute_movements m
                       where m.dispute_id = d.id and m.taken_minor > 0)
   when d.state in ('lost', 'accepted')
     then coalesce((select sum(m.taken_minor) from dispute_movements m
                     where m.dispute_id = d.id), 0) <= 0
   when d.state in ('won', 'withdrawn')
     then coalesce((select sum(m.taken_minor) from dispute_movements m
                     where m.dispute_id = d.id), 0) > 0
   else false end)`

/** Lines that have a case now, and cases that have their lines. $2 the time, $3 the actor. */
const END_EXPLAINED = `
update settlement_differences e
   set state = 'ended', ended_as = 'matched_late', ended_by = $3, ended_at = $2,
       ended_reason = 'Case ' || d.case_id || ' has both its notice and its line.'
  from disputes d
 where e.code = 'dispute_unknown' and e.state = 'open' and d.id = any ($1::bigint[])
   and ((e.dispute_id = d.id and not ${WAITS_FOR_MONEY})
        or exists (select from dispute_movements m
                    where m.dispute_id = d.id and m.file_id = e.file_id and m.n = e.n))`

/** Links, posts and explains the money of cases that notices have changed. */
export async function settleCases(
  client: pg.ClientBase,
  caseIds: readonly bigint[],
  at: Date,
  by: string,
): Promise<void> {
  await client.query(LINK_CASES, [caseIds, at])
  await settleLosses(client, caseIds, at, by)
}

/**
 * Links the lines of a file, inside the transaction that books it. A file without lines of disputes
 * costs one statement.
 */
export async function linkFile(
  client: pg.ClientBase,
  file: { readonly id: bigint; readonly merchantAccountId: bigint },
  at: Date,
  by: string,
): Promise<void> {
  const { rowCount } = await client.query(
    `select from settlement_lines where file_id = $1 and kind in ${DISPUTE_KINDS} limit 1`,
    [file.id],
  )
  if (rowCount === 0) return
  await holdAccount(client, file.merchantAccountId)
  await client.query(LINK_FILE, [file.id, at])
  const { rows } = await client.query<{ dispute_id: string }>(
    'select distinct dispute_id from dispute_movements where file_id = $1',
    [file.id],
  )
  const caseIds = rows.map((row) => BigInt(row.dispute_id))
  if (caseIds.length > 0) await settleLosses(client, caseIds, at, by)
}

async function settleLosses(
  client: pg.ClientBase,
  caseIds: readonly bigint[],
  at: Date,
  by: string,
): Promise<void> {
  await client.query(SETTLE_LOSSES, [caseIds, at])
  await client.query(END_EXPLAINED, [caseIds, at, by])
  await noteAmounts(client, caseIds, at, by)
}
