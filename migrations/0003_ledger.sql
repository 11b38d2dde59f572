-- The ledger: every movement of an order's money once more, as postings between accounts. docs/ledger.md
-- says what the accounts mean. One row debits one account and credits another with the same amount, so
-- that an entry out of balance cannot be written down at all.
-- A transaction posts each kind at most once, which is why the key needs no number, and why nothing can
-- be posted twice.

create table ledger_postings (
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  kind text collate "C" not null,
  debit text collate "C" not null,
  credit text collate "C" not null,
  currency char(3) not null,
  amount_minor bigint not null constraint ledger_postings_move_money check (amount_minor > 0),
  posted_at timestamptz not null,
  primary key (order_id, transaction_id, kind),
  constraint ledger_postings_have_the_accounts_of_their_kind check (
    (debit, credit) = (
      case kind
        when 'authorization' then 'authorizations'
        when 'release' then 'authorizations_contra'
        when 'capture' then 'acquirer_receivable'
        when 'capture_void' then 'merchant_payable'
        when 'credit' then 'merchant_refunds'
        else 'none'
      end,
      case kind
        when 'authorization' then 'authorizations_contra'
        when 'release' then 'authorizations'
        when 'capture' then 'merchant_payable'
        when 'capture_void' then 'acquirer_receivable'
        when 'credit' then 'acquirer_receivable'
        else 'no such kind'
      end))
);

create function refuse_to_rewrite_the_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is append-only: a posting is put right by another posting, never by %.', tg_op;
end
$$;

create trigger ledger_postings_are_append_only
  before update or delete or truncate on ledger_postings
  for each statement execute function refuse_to_rewrite_the_ledger();

-- What was moved before there was a ledger. How much of a capture one void took back was not kept, so
-- the last void of an order gets all of it; what was released on expiry stands with the authorization.
with done as (
  select t.merchant_id, t.order_id, t.id, t.kind, t.value_minor, o.currency, t.concluded_at,
         o.kind = 'payment' and o.released_at is not null as released,
         row_number() over (partition by t.order_id, t.kind in ('void', 'void_capture')
                            order by t.created_at desc, t.id desc) = 1 as last_of_its_sort,
         o.voided_minor
           - coalesce(sum(t.value_minor) filter (where t.kind in ('void', 'void_capture'))
                        over (partition by t.order_id), 0) as expired_minor,
         coalesce(sum(t.undone_minor) over (partition by t.order_id), 0) as undone_minor,
         o.released_at
    from transactions t join orders o on o.id = t.order_id
   where t.state = 'approved'
), moved as (
  select *, 'authorization' as moved, value_minor as minor, concluded_at as at
    from done where kind in ('authorize', 'sale')
  union all
  select *, 'capture', value_minor, concluded_at from done where kind in ('sale', 'capture')
  union all
  select *, 'credit', value_minor, concluded_at from done where kind = 'credit'
  union all
  select *, 'release', value_minor, concluded_at from done where kind in ('void', 'void_capture')
  union all
  select *, 'release', expired_minor, released_at from done where kind = 'authorize' and released
  union all
  select *, 'capture_void', undone_minor, concluded_at
    from done where kind in ('void', 'void_capture') and last_of_its_sort
)
insert into ledger_postings (merchant_id, order_id, transaction_id, kind, debit, credit, currency,
                             amount_minor, posted_at)
select merchant_id, order_id, id, moved,
       case moved when 'authorization' then 'authorizations' when 'release' then 'authorizations_contra'
                  when 'capture' then 'acquirer_receivable' when 'capture_void' then 'merchant_payable'
                  else 'merchant_refunds' end,
       case moved when 'authorization' then 'authorizations_contra' when 'release' then 'authorizations'
                  when 'capture' then 'merchant_payable' else 'acquirer_receivable' end,
       currency, minor, at
  from moved where minor > 0;
