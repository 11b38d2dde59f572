import type pg from 'pg'

/**
 * The money that files took for a case d in its own currency, beside that of its notices. An amount
 * that the acquirer converted is not compared. Money that came back may be taken again.
 */
const MONEY = `
cross join lateral (
  select sum(m.taken_minor) as left_taken,
         coalesce(sum(m.taken_minor) filter (where m.kind = 'chargeback'), 0) as charged
    from dispute_movements m where m.dispute_id = d.id and m.currency = d.currency) m
cross join lateral (
  select min(n.amount_minor) as least, max(n.amount_minor) as most
    from dispute_notices n
   where n.dispute_id = d.id and n.currency = d.currency
     and n.event in ('chargeback', 'rapid_resolution')) n`

/** No notice yet, or no money yet, is no contradiction: both may still come. */
const DIFFERS = `
coalesce(m.left_taken > n.most or (m.charged > 0 and m.charged < n.least), false)`

/** At the last line that took money. $1 cases, $2 time. */
const RAISE = `
insert into settlement_differences
  (source_id, merchant_id, code, file_id, n, order_id, here_minor, here_currency, bank_minor,
   bank_currency, since, found_at)
select l.source_id, d.merchant_id, 'amount', l.file_id, l.n, d.order_id, n.most, d.currency,
       case when m.left_taken > n.most then m.left_taken else m.charged end, d.currency,
       l.business_date, $2
  from disputes d ${MONEY}
 cross join lateral (
   select x.source_id, x.file_id, x.n, f.business_date
     from dispute_movements x join settlement_files f on f.id = x.file_id
    where x.dispute_id = d.id and x.currency = d.currency and x.taken_minor > 0
    order by x.file_id desc, x.n desc limit 1) l
 where d.id = any ($1::bigint[]) and ${DIFFERS}
   and not exists (select from settlement_differences e
                     join dispute_movements x on x.file_id = e.file_id and x.n = e.n
                    where x.dispute_id = d.id and e.code = 'amount' and e.state = 'open')
on conflict do nothing`

/** $3 the actor. */
const END = `
update settlement_differences e
   set state = 'ended', ended_as = 'matched_late', ended_by = $3, ended_at = $2,
       ended_reason = 'The lines of case ' || d.case_id || ' have the amount of its notice.'
  from dispute_movements x join disputes d on d.id = x.dispute_id ${MONEY}
 where x.file_id = e.file_id and x.n = e.n and d.id = any ($1::bigint[]) and not ${DIFFERS}
   and e.code = 'amount' and e.state = 'open'`

/**
 * Raises the difference of each case of which files take another amount than its notices state, and
 * ends those of cases that agree by now.
 */
export async function noteAmounts(
  client: pg.ClientBase,
  caseIds: readonly bigint[],
  at: Date,
  by: string,
): Promise<void> {
  await client.query(RAISE, [caseIds, at])
  await client.query(END, [caseIds, at, by])
}
