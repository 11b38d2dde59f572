/**
 * The statements that book the lines of a matched file. $1 is the file, $2 the time of the booking.
 * Temporary table `matches` has the lines of payments.
 */

const CONTEXT = `
settlement_lines l
  join settlement_files f on f.id = l.file_id
  join settlement_sources s on s.id = f.source_id
  left join matches m on m.n = l.n and l.kind <> 'fee'`

/** The line that an adjustment or reversal corrects, if it has a difference and is in suspense. */
const CORRECTED = `
select c.file_id, c.n from settlement_lines c
 where c.sender = l.sender and c.line_id = l.corrects
   and exists (select from settlement_differences d where d.file_id = c.file_id and d.n = c.n)`

export const SETTLE = `
insert into settled_transactions
  (transaction_id, order_id, merchant_id, file_id, n, state, settled_on, currency, gross_minor,
   net_minor, rate)
select m.transaction_id, m.order_id, f.merchant_id, f.id, l.n,
       case l.kind when 'reject' then 'rejected' else 'settled' end, l.value_date, s.currency,
       l.gross_minor, l.net_minor, l.orig_rate
  from ${CONTEXT}
 where l.file_id = $1 and m.transaction_id is not null`

const IS_CONVERTED = `(m.transaction_id is not null and m.here_currency <> s.currency)`
const SIGN = `case l.kind when 'refund' then -1 else 1 end`
/** The expected amount of a sale or refund in the currency of the file, with its sign. */
const EXPECTED = `case when m.transaction_id is null then 0
       when m.here_currency = s.currency then ${SIGN} * m.here_minor
       else coalesce(${SIGN} * m.booked_minor, l.gross_minor) end`

/** The other account of the gross amount of a line, by its kind. */
const GROSS = `
(case when l.kind in ('sale', 'refund') then
        case when m.transaction_id is null then 'suspense'
             when ${IS_CONVERTED} then 'currency_conversion' else 'acquirer_receivable' end
      when l.kind in ('adjustment', 'refund_reversal') and l.corrects is not null
           and exists (${CORRECTED}) then 'suspense'
      when l.kind = 'refund_reversal' then 'merchant_refunds'
      when l.kind in ('chargeback', 'chargeback_again', 'dispute_reversal') then 'disputes_open'
      when l.kind in ('fee', 'dispute_fee') then 'fee_other'
      when l.kind = 'adjustment' then 'adjustments'
      when l.kind in ('reserve_hold', 'reserve_release') then 'reserve_held'
      when l.kind in ('payout', 'payout_return', 'top_up') then 'payout_in_transit'
      when l.kind = 'carry_forward' then 'carried_forward'
      else 'suspense' end,
 case when l.kind in ('sale', 'refund') and m.transaction_id is not null then ${EXPECTED}
      when l.kind in ('fee', 'dispute_fee') then l.gross_minor + l.fee_other_minor
      else l.gross_minor end)`

/** The amount of the file beyond the expected one. */
const REST = `
(case when ${IS_CONVERTED} then 'fx_difference' else 'suspense' end,
 case when l.kind in ('sale', 'refund') and m.transaction_id is not null
        then l.gross_minor - (${EXPECTED}) else 0 end)`

/** Plus comes to the balance at the acquirer, minus leaves it. */
export const POST = `
insert into settlement_postings
  (event, event_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
select 'line', l.file_id, l.n,
       (case when v.amount > 0 then 'from_' else 'to_' end || v.account)::settlement_posting_kind,
       s.id, s.merchant_id, s.currency, abs(v.amount), $2
  from ${CONTEXT}
 cross join lateral (values ${GROSS}, ${REST},
   ('fee_interchange', l.fee_interchange_minor), ('fee_scheme', l.fee_scheme_minor),
   ('fee_acquirer', l.fee_acquirer_minor), ('fee_dispute', l.fee_dispute_minor),
   ('fee_tax', l.fee_tax_minor),
   ('fee_other', case when l.kind in ('fee', 'dispute_fee') then 0 else l.fee_other_minor end)
 ) as v (account, amount)
 where l.file_id = $1 and v.amount <> 0`

/** Postings in the currency of the order: conversions, and what rejected lines had booked. */
export const POST_IN_ORDER_CURRENCY = `
insert into settlement_postings
  (event, event_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
select 'line', l.file_id, l.n,
       (case when l.kind = 'reject' and m.family = 'refund' then 'refund_rejected'
             when l.kind = 'reject' then 'capture_rejected'
             when l.kind = 'refund' then 'refund_converted'
             else 'capture_converted' end)::settlement_posting_kind,
       s.id, s.merchant_id, m.here_currency, m.here_minor, $2
  from ${CONTEXT}
 where l.file_id = $1 and m.transaction_id is not null
   and (l.kind = 'reject' or ${IS_CONVERTED})`

export const PAYOUTS = `
insert into settlement_payouts
  (source_id, merchant_id, file_id, n, payout, trace, iban_last4, currency, carried_minor,
   gross_minor, refunds_minor, chargebacks_minor, fees_minor, reserve_minor, other_minor,
   left_minor,
   net_minor, value_date, arrives)
select s.id, s.merchant_id, f.id, p.n, p.payout, p.trace, p.iban_last4, s.currency,
       f.opening_minor + coalesce(before.net, 0), part.gross, part.refunds, part.chargebacks,
       part.fees, part.reserve, part.other,
       f.opening_minor + coalesce(before.net, 0) + part.gross + part.refunds + part.chargebacks
         + part.fees + part.reserve + part.other + p.gross_minor,
       -p.gross_minor, p.value_date, p.arrives
  from (select l.*, coalesce(lag(l.n) over (order by l.n), 0) as previous_n
          from settlement_lines l where l.file_id = $1 and l.kind = 'payout') p
  join settlement_files f on f.id = p.file_id
  join settlement_sources s on s.id = f.source_id
 cross join lateral (
   select sum(b.net_minor) as net from settlement_lines b
    where b.file_id = $1 and b.n <= p.previous_n) before
 cross join lateral (
   select coalesce(sum(b.gross_minor) filter (where b.kind = 'sale'), 0) as gross,
          coalesce(sum(b.gross_minor) filter (where b.kind in ('refund', 'refund_reversal')), 0)
            as refunds,
          coalesce(sum(b.gross_minor) filter (
            where b.kind in ('chargeback', 'chargeback_again', 'dispute_reversal')), 0)
            as chargebacks,
          coalesce(sum(b.net_minor - b.gross_minor), 0) as fees,
          coalesce(sum(b.gross_minor) filter (
            where b.kind in ('reserve_hold', 'reserve_release')), 0) as reserve,
          coalesce(sum(b.gross_minor) filter (
            where b.kind in ('reject', 'dispute_fee', 'fee', 'adjustment', 'payout_return',
                             'carry_forward', 'top_up')), 0) as other
     from settlement_lines b
    where b.file_id = $1 and b.n > p.previous_n and b.n <= p.n) part`

/** Captures and refunds of the file $1 that the acquirer does not pay. */
export const REJECTED_FACTS = `
insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id, details)
select case t.kind when 'refund' then 'refund.rejected' else 'capture.rejected' end,
       s.merchant_id, o.site_id, s.order_id, s.transaction_id,
       json_build_object('file', s.file_id::text)
  from settled_transactions s
  join transactions t on t.id = s.transaction_id
  join orders o on o.id = s.order_id
 where s.file_id = $1 and s.state = 'rejected' order by s.n`

/** The differences between the lines of payments and this side. */
export const PAYMENT_DIFFERENCES = `
insert into settlement_differences
  (source_id, merchant_id, code, file_id, n, transaction_id, order_id, proposal, here_minor,
   here_currency, bank_minor, bank_currency, since, found_at)
select s.id, s.merchant_id, d.code, f.id, l.n, m.transaction_id, m.order_id,
       coalesce(m.proposal, '{}'), m.here_minor, m.here_currency, m.minor, m.currency,
       f.business_date, $2
  from ${CONTEXT}
 cross join lateral (select case
   when m.orders > 1 then 'ambiguous'
   when m.orders = 0 then 'missing_here'
   when m.proposal is not null then 'amount'
   when m.transaction_id is not null then
     case when m.currency <> m.here_currency then 'currency'
          when m.minor <> m.here_minor then 'amount'
          when ${IS_CONVERTED} and abs(l.gross_minor - (${EXPECTED})) > 1
               and abs(l.gross_minor - (${EXPECTED}))::numeric * 10000
                   > s.fx_band_basis_points * abs(${EXPECTED})::numeric then 'fx_rate' end
   when l.kind <> 'reject' and exists (
     select from match_transactions t
      where t.order_id = m.order_id and t.family = m.family
        and (t.settled = 'settled' or exists (select from match_pairs p
              join settlement_lines x on x.file_id = $1 and x.n = p.n and x.kind <> 'reject'
             where p.transaction_id = t.id))) then 'duplicate'
   else 'state' end as code) d
 where l.file_id = $1 and m.n is not null and d.code is not null`

/** Fees of payments that never settled, periods that were charged before, and cases without id. */
export const OTHER_DIFFERENCES = `
insert into settlement_differences
  (source_id, merchant_id, code, file_id, n, order_id, bank_minor, bank_currency, since, found_at)
select s.id, s.merchant_id, d.code, f.id, l.n, m.order_id, l.net_minor, s.currency, f.business_date,
       $2
  from settlement_lines l
  join settlement_files f on f.id = l.file_id
  join settlement_sources s on s.id = f.source_id
  left join matches m on m.n = l.n
 cross join lateral (select case
   when l.kind in ('chargeback', 'chargeback_again', 'dispute_reversal') and l.case_id is null
     then 'dispute_unknown'
   when l.kind = 'fee' and m.n is not null
        and (m.orders <> 1 or m.order_state <> 'authorized') then 'fee_orphan'
   when l.kind = 'fee' and l.net_minor < 0 and l.fee_code is not null and l.period is not null
        and exists (
          select from settlement_lines x
            join settlement_files xf on xf.id = x.file_id and xf.source_id = s.id
           where x.sender = l.sender and x.kind = 'fee' and x.fee_code = l.fee_code
             and x.period = l.period and x.net_minor < 0
             and (x.order_key, x.rrn) is not distinct from (l.order_key, l.rrn)
             and (xf.seq < f.seq or (x.file_id = l.file_id and x.n < l.n))) then 'duplicate'
   end as code) d
 where l.file_id = $1 and l.kind in ('chargeback', 'chargeback_again', 'dispute_reversal', 'fee')
   and d.code is not null`

/** A late file ends what was missing. $3 is the actor. */
export const END_MISSING = `
update settlement_differences d
   set state = 'ended', ended_as = 'matched_late', ended_by = $3, ended_at = $2,
       ended_reason = 'Line ' || m.n || ' of file ' || $1::bigint || ' has it.'
  from matches m
 where m.transaction_id is not null and d.transaction_id = m.transaction_id
   and d.code = 'missing_at_bank' and d.state = 'open'`

/** The balance of a line in suspense, with later corrections of it. */
export const SUSPENDED = (file: string, n: string): string => `(
  select coalesce(sum(case p.kind when 'from_suspense' then p.amount_minor
                                  when 'to_suspense' then -p.amount_minor end), 0)
    from settlement_postings p
   where p.event = 'line' and p.kind in ('from_suspense', 'to_suspense')
     and (p.event_id, p.n) in (
       select x.file_id, x.n from settlement_lines x where x.file_id = ${file} and x.n = ${n}
        union all
       select y.file_id, y.n from settlement_lines y
         join settlement_lines x on x.sender = y.sender and x.line_id = y.corrects
        where x.file_id = ${file} and x.n = ${n} and y.corrects is not null))`

/** An adjustment or a reversal that explains all of a difference ends it. $3 is the actor. */
export const END_CORRECTED = `
update settlement_differences d
   set state = 'ended', ended_as = 'corrected_by_acquirer', ended_by = $3, ended_at = $2,
       ended_reason = 'Line ' || l.n || ' of file ' || $1::bigint || ' corrects it.'
  from settlement_lines l
  join settlement_lines c on c.sender = l.sender and c.line_id = l.corrects
 where l.file_id = $1 and l.kind in ('adjustment', 'refund_reversal') and l.corrects is not null
   and d.file_id = c.file_id and d.n = c.n and d.state = 'open'
   and ${SUSPENDED('c.file_id', 'c.n')} = 0`
