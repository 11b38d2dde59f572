/**
 * The statements that match the lines of a file with transactions, in their sequence. Each works
 * on all lines at once. They write temporary tables, which end with the transaction.
 *
 * $1 is the file everywhere.
 */

/** Lines that belong to a payment. `minor` and `currency` are what the cardholder paid or got. */
export const LINES = `
create temp table match_lines on commit drop as
select l.n, l.kind, case when l.kind = 'refund' then 'refund' else 'capture' end as family,
       abs(coalesce(l.orig_minor, l.gross_minor)) as minor,
       coalesce(l.orig_currency, s.currency) as currency,
       l.order_key, l.order_message, l.rrn, l.ref_message as message_number
  from settlement_lines l
  join settlement_files f on f.id = l.file_id
  join settlement_sources s on s.id = f.source_id
 where l.file_id = $1
   and (l.kind in ('sale', 'refund', 'reject')
        or (l.kind = 'fee' and (l.order_key is not null or l.rrn is not null)))`

/** The days of the orders, as DE 37 begins with them: last digit of the year, day of the year. */
export const DAYS = `
select distinct substr(rrn, 1, 4) as day from match_lines where rrn ~ '^[0-9]{12}$'`

// A key of another form than these is the acquirer's own, and only DE 37 counts.
const SAME_ORDER = `(l.order_key is null
   or case when l.order_message is not null then l.order_message = o.message_number
           else l.order_key in (o.id::text, o.reference) or l.order_key !~ '^[0-9]+$' end)`

const CANDIDATES = `
create temp table match_candidates on commit drop as
select o.id, o.reference, o.message_number,
       retrieval_reference(o.message_number, o.message_at) as rrn
  from orders o
 where o.merchant_account_id = $1 and o.merchant_id = $2`

/** Orders that a line may name by DE 37: $1 account, $2 merchant. Test sites have any clocks. */
export const ALL_CANDIDATES = CANDIDATES

/** The same of a live account: $3 are the days on which the orders were made, as dates in UTC. */
export const CANDIDATES_OF_DAYS = `${CANDIDATES}
   and exists (select from unnest($3::date[]) as d (day)
                where o.created_at >= d.day at time zone 'UTC'
                  and o.created_at < (d.day + 1) at time zone 'UTC')`

/** The order of each line; several rows where DE 37 names several. $1 account. */
export const ORDERS = `
create temp table match_orders on commit drop as
select l.n, o.id as order_id
  from match_lines l join match_candidates o on o.rrn = l.rrn
 where l.rrn is not null and ${SAME_ORDER}
union
select l.n, o.id
  from match_lines l
  join orders o
    on o.id = case when l.order_key ~ '^[1-9][0-9]{0,17}$' then l.order_key::bigint end
 where l.rrn is null and o.merchant_account_id = $1`

/** No person can write off a capture or refund of those orders while the file settles it. */
export const LOCK_MISSING = `
select from settlement_differences d
 where d.code = 'missing_at_bank' and d.state = 'open'
   and d.transaction_id in (select t.id from match_orders m
                              join transactions t on t.order_id = m.order_id)
 order by d.id for update`

/**
 * The captures and refunds of those orders, settled or not. `booked_minor` is what the bank's rate
 * at the authorization makes of it in the currency of the settlement; null without a conversion.
 */
export const TRANSACTIONS = `
create temp table match_transactions on commit drop as
select t.id, t.order_id, case when t.kind = 'refund' then 'refund' else 'capture' end as family,
       t.value_minor - t.voided_minor as minor, o.currency, a.message_number,
       coalesce(s.state, case when d.transaction_id is not null then 'written_off' end) as settled,
       case when c.settled_currency = f.currency and c.value_minor > 0
              then round(c.settled_minor::numeric * (t.value_minor - t.voided_minor)
                         / c.value_minor)::bigint end as booked_minor
  from (select distinct order_id from match_orders) m
  join orders o on o.id = m.order_id
  join transactions t on t.order_id = o.id and t.state = 'approved'
       and t.kind in ('sale', 'capture', 'refund')
 cross join (select s.currency from settlement_files f
               join settlement_sources s on s.id = f.source_id where f.id = $1) f
  left join advices a on a.transaction_id = t.id and a.kind in ('capture', 'refund')
  left join settled_transactions s on s.transaction_id = t.id
  left join settlement_differences d on d.transaction_id = t.id and d.code = 'missing_at_bank'
       and d.ended_as = 'written_off'
  left join lateral (
    select x.settled_currency, x.settled_minor, x.value_minor
      from transactions x
     where o.currency <> f.currency and x.order_id = o.id and x.state = 'approved'
       and x.settled_currency is not null and (x.id = t.id or x.kind in ('authorization', 'sale'))
     order by x.id <> t.id limit 1) c on true`

/** A reject is of a refund if it names the message of one. Otherwise it is of a capture. */
export const REJECTED_REFUNDS = `
update match_lines l set family = 'refund'
 where l.kind = 'reject' and l.message_number is not null
   and exists (select from match_orders m
                 join match_transactions t on t.order_id = m.order_id
                where m.n = l.n and t.family = 'refund' and t.message_number = l.message_number)`

export const PAIRS = `
create temp table match_pairs (n integer primary key, transaction_id bigint not null unique)
  on commit drop`

// A line that names a message belongs to the transaction of that message, or to none.
const FREE_LINES = `
select l.n, l.family, l.minor, l.currency, m.order_id
  from match_lines l
  join (select n, min(order_id) as order_id from match_orders group by n having count(*) = 1) m
    on m.n = l.n
 where l.kind <> 'fee' and not exists (select from match_pairs p where p.n = l.n)
   and (l.message_number is null or not exists (
         select from match_transactions t
          where t.order_id = m.order_id and t.message_number = l.message_number))`

const FREE_TRANSACTIONS = `
select t.* from match_transactions t
 where t.settled is null and t.minor > 0
   and not exists (select from match_pairs p where p.transaction_id = t.id)`

/**
 * Lines that name the message of a capture or refund. The planner knows how many do: without the
 * condition it joined the lines of a file that names none with every transaction.
 */
export const PAIR_BY_MESSAGE = `
insert into match_pairs
select distinct on (t.id) l.n, t.id
  from match_lines l
  join match_orders m on m.n = l.n
  join match_transactions t on t.order_id = m.order_id and t.message_number = l.message_number
       and t.family = l.family and t.settled is null and t.minor > 0
 where l.kind <> 'fee' and l.message_number is not null
 order by t.id, l.n`

/** Then the same amount, the first line to the first transaction. */
export const PAIR_BY_AMOUNT = `
insert into match_pairs
select l.n, t.id
  from (select n, family, minor, currency, order_id,
               row_number() over (partition by order_id, family, minor, currency order by n)
                 as place
          from (${FREE_LINES}) f) l
  join (select id, order_id, family, minor, currency,
               row_number() over (partition by order_id, family, minor, currency order by id)
                 as place
          from (${FREE_TRANSACTIONS}) f) t
 using (order_id, family, minor, currency, place)`

/** Several transactions of an order that together have the amount of its only open line. */
export const PROPOSALS = `
create temp table match_proposals on commit drop as
select l.n, t.ids
  from (select min(n) as n, order_id, family, min(minor) as minor from (${FREE_LINES}) f
         group by order_id, family having count(*) = 1) l
  join (select order_id, family, sum(minor) as minor, array_agg(id order by id) as ids
          from (${FREE_TRANSACTIONS}) f group by order_id, family having count(*) > 1) t
 using (order_id, family, minor)`

/** Then the rest of an order, in sequence: their amounts or currencies differ. */
export const PAIR_THE_REST = `
insert into match_pairs
select l.n, t.id
  from (select n, family, order_id,
               row_number() over (partition by order_id, family order by n) as place
          from (${FREE_LINES}) f where n not in (select n from match_proposals)) l
  join (select id, order_id, family,
               row_number() over (partition by order_id, family order by id) as place
          from (${FREE_TRANSACTIONS}) f
         where id not in (select unnest(ids) from match_proposals)) t
 using (order_id, family, place)`

/** Every line of a payment with its order and transaction, if it has any. */
export const RESULT = `
create temp table matches on commit drop as
select l.n, l.kind, l.family, l.minor, l.currency, m.order_id, coalesce(m.orders, 0) as orders,
       t.id as transaction_id, t.minor as here_minor, t.booked_minor,
       o.currency as here_currency, o.state as order_state, x.ids as proposal
  from match_lines l
  left join (select n, min(order_id) as order_id, count(*) as orders
               from match_orders group by n) m on m.n = l.n
  left join match_pairs p on p.n = l.n
  left join match_transactions t on t.id = p.transaction_id
  left join orders o on o.id = m.order_id
  left join match_proposals x on x.n = l.n`

/** Temporary tables have no statistics by themselves. */
export const analyze = (table: string): string => `analyze ${table}`
