-- Disputes: what acquirers say of them, the money that moved for them, and the answers of
-- merchants. No table of payments changes; a refund reads one row of `disputed_orders`.

-- The numbered notices of an acquirer about one merchant account.
create table dispute_feeds (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  merchant_account_id bigint not null unique references merchant_accounts,
  sender text not null check (sender <> '' and length(sender) <= 64),
  account text not null check (account <> '' and length(account) <= 64),
  last_n bigint not null default 0 check (last_n >= 0),
  made_at timestamptz not null default now(),
  made_by text not null,
  unique (sender, account)
);

create table disputes (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  feed_id bigint not null references dispute_feeds,
  -- The acquirer's id.
  case_id text not null check (case_id <> '' and length(case_id) <= 64),
  state text not null check (state in (
    'inquiry', 'reported', 'chargeback', 'represented', 'pre_arbitration', 'arbitration', 'won',
    'lost', 'withdrawn', 'accepted')),
  -- Null until an order of the account fits.
  order_id bigint,
  -- The keys of the first notice, as in the lines of settlement files.
  order_key text,
  rrn text,
  ref text,
  brand text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
  reason text,
  -- The issuer took money, or will: an inquiry alone does not.
  is_charged boolean not null,
  -- What of the order cannot be refunded because of this case, in the currency of the order.
  blocked_minor bigint not null default 0 check (blocked_minor >= 0),
  -- The network's limit for the answer to this stage, and the day until which we want it.
  network_due date,
  respond_by date,
  -- `respond_by` passed without an answer.
  is_overdue boolean not null default false,
  opened_at timestamptz not null,
  charged_at timestamptz,
  changed_at timestamptz not null,
  ended_at timestamptz,
  unique (feed_id, case_id),
  constraint disputes_block_only_charged check (blocked_minor = 0 or is_charged),
  constraint disputes_charged_with_a_time check (is_charged = (charged_at is not null)),
  constraint disputes_ended_with_a_time check (
    (state in ('won', 'lost', 'withdrawn', 'accepted')) = (ended_at is not null)),
  constraint disputes_due_whole check ((network_due is null) = (respond_by is null))
);
create index disputes_by_merchant on disputes (merchant_id, id);
create index disputes_by_order on disputes (order_id) where order_id is not null;
create index disputes_by_case on disputes (merchant_account_id, case_id);
create index disputes_due on disputes (respond_by) where ended_at is null and respond_by is not null;
create index disputes_of_month on disputes (merchant_account_id, opened_at);

create table dispute_notices (
  feed_id bigint not null references dispute_feeds,
  n bigint not null check (n > 0),
  merchant_id bigint not null,
  sender text not null,
  notice_id text not null check (notice_id <> '' and length(notice_id) <= 64),
  dispute_id bigint not null references disputes,
  event text not null check (event in (
    'inquiry', 'fraud_report', 'chargeback', 'representment', 'pre_arbitration', 'arbitration',
    'won', 'lost', 'withdrawn', 'accepted', 'rapid_resolution')),
  happened_at timestamptz not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency char(3) not null,
  reason text,
  network_due date,
  -- The merchant's answer that the acquirer acknowledges.
  answer_id bigint,
  state_before text,
  state_after text not null,
  -- Over all members, by which a repetition differs from a contradiction.
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  received_at timestamptz not null,
  received_by text not null,
  primary key (feed_id, n),
  constraint dispute_notices_once_per_sender unique (sender, notice_id)
);
create index dispute_notices_by_dispute on dispute_notices (dispute_id, n);

create function refuse_to_rewrite_dispute_records() returns trigger language plpgsql as $$
begin
  raise exception 'Records of disputes never change: the next notice or line corrects them.'
    using errcode = 'check_violation', constraint = 'dispute_records_never_change';
end
$$;
create trigger dispute_notices_are_append_only
  before update or delete or truncate on dispute_notices
  for each statement execute function refuse_to_rewrite_dispute_records();

-- The lines of settlement files that moved money for a case. Plus: the issuer took it.
create table dispute_movements (
  file_id bigint not null references settlement_files,
  n integer not null,
  dispute_id bigint not null references disputes,
  merchant_id bigint not null,
  source_id bigint not null references settlement_sources,
  kind text not null
    check (kind in ('chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee')),
  -- In the currency of the file.
  currency char(3) not null,
  taken_minor bigint not null,
  -- What the acquirer charges for the case; below zero where it returns that.
  fee_minor bigint not null,
  linked_at timestamptz not null,
  primary key (file_id, n),
  constraint dispute_movements_have_their_sign check (
    (taken_minor < 0) = (kind = 'dispute_reversal')
    and (taken_minor = 0) = (kind = 'dispute_fee'))
);
create index dispute_movements_by_dispute on dispute_movements (dispute_id);
create trigger dispute_movements_are_append_only
  before update or delete or truncate on dispute_movements
  for each statement execute function refuse_to_rewrite_dispute_records();

-- Lines of disputes that wait for their case.
create index settlement_lines_of_disputes on settlement_lines (case_id)
  where kind in ('chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee')
    and case_id is not null;

-- Money of a lost case that leaves `disputes_open`, and comes back to it after another outcome.
create table dispute_postings (
  dispute_id bigint not null references disputes,
  n integer not null check (n > 0),
  kind text not null check (kind in ('chargeback_loss', 'chargeback_loss_returned')),
  source_id bigint not null references settlement_sources,
  merchant_id bigint not null,
  currency char(3) not null,
  amount_minor bigint not null constraint dispute_postings_move_money check (amount_minor > 0),
  posted_at timestamptz not null,
  primary key (dispute_id, n)
);
create trigger dispute_postings_are_append_only
  before update or delete or truncate on dispute_postings
  for each statement execute function refuse_to_rewrite_the_ledger();

-- The money of each case by source, and what of it should be a loss: all that was taken from a
-- case that is lost or accepted, and nothing of another.
create view dispute_money as
  select d.id as dispute_id, d.merchant_id, d.state, m.source_id, m.currency, m.taken_minor,
         m.returned_minor,
         case when d.state in ('lost', 'accepted')
              then greatest(m.taken_minor - m.returned_minor, 0) else 0 end as loss_minor,
         coalesce(p.posted_minor, 0) as posted_minor
    from disputes d
   cross join lateral (
     select v.source_id, v.currency, coalesce(sum(v.taken_minor) filter (where v.taken_minor > 0), 0)
              as taken_minor,
            coalesce(-sum(v.taken_minor) filter (where v.taken_minor < 0), 0) as returned_minor
       from dispute_movements v where v.dispute_id = d.id group by v.source_id, v.currency) m
    left join lateral (
     select sum(case q.kind when 'chargeback_loss' then q.amount_minor else -q.amount_minor end)
              as posted_minor
       from dispute_postings q
      where q.dispute_id = d.id and q.source_id = m.source_id) p on true;

create or replace view account_entries as
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from ledger_postings p join ledger_kinds k using (kind)
  union all
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from settlement_postings p join settlement_posting_kinds k using (kind)
  union all
  select merchant_id, debit, credit, currency, amount_minor, posted_at, 'operator_fee'
    from fee_entries
  union all
  select merchant_id,
         case kind when 'chargeback_loss' then 'chargeback_loss' else 'disputes_open' end,
         case kind when 'chargeback_loss' then 'disputes_open' else 'chargeback_loss' end,
         currency, amount_minor, posted_at, kind
    from dispute_postings;

-- Orders with money in dispute. Written only under the lock of the order.
create table disputed_orders (
  order_id bigint primary key,
  merchant_id bigint not null,
  disputed_minor bigint not null check (disputed_minor >= 0),
  -- An acquirer disputes more than was captured: its word wins, and a person has to look.
  is_excess boolean not null
);

create function keep_disputes_within_captured() returns trigger language plpgsql as $$
begin
  if not new.is_excess and new.disputed_minor >
      coalesce((select captured_minor from orders where id = new.order_id), 0) then
    raise exception 'More of order % is in dispute than was captured.', new.order_id
      using errcode = 'check_violation', constraint = 'disputed_orders_within_captured';
  end if;
  return new;
end
$$;
create trigger disputed_orders_within_captured before insert or update on disputed_orders
  for each row execute function keep_disputes_within_captured();

-- The issuer returns disputed money. The merchant must not return it a second time.
create function keep_refunds_beside_disputes() returns trigger language plpgsql as $$
begin
  if exists (select from disputed_orders d
              where d.order_id = new.id and d.disputed_minor > 0
                and d.disputed_minor + new.refunded_minor > new.captured_minor) then
    raise exception 'Money of order % is in dispute, and cannot be refunded too.', new.id
      using errcode = 'check_violation', constraint = 'orders_refund_no_disputed_money';
  end if;
  return new;
end
$$;
create trigger orders_refund_no_disputed_money before update of refunded_minor on orders
  for each row when (new.refunded_minor > old.refunded_minor)
  execute function keep_refunds_beside_disputes();

create table dispute_answers (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  dispute_id bigint not null references disputes,
  state text not null default 'queued'
    check (state in ('queued', 'sent', 'acknowledged', 'refused')),
  answer text not null check (answer in ('accept', 'contest')),
  -- The stage that it answers: the number of the notice that opened it.
  stage_n bigint not null,
  -- Sealed; null without a text, and once it was erased.
  text_ciphertext bytea,
  text_data_key_id integer,
  made_by text not null,
  made_at timestamptz not null,
  sent_at timestamptz,
  acknowledged_at timestamptz,
  refused_reason text,
  erased_at timestamptz,
  constraint dispute_answers_sealed_whole
    check ((text_ciphertext is null) = (text_data_key_id is null)),
  constraint dispute_answers_refused_with_reason
    check ((state = 'refused') = (refused_reason is not null)),
  constraint dispute_answers_sent_with_a_time check (state in ('queued', 'refused') or sent_at is not null)
);
create index dispute_answers_by_dispute on dispute_answers (dispute_id);
create index dispute_answers_queued on dispute_answers (id) where state = 'queued';
-- One answer for each stage, unless the acquirer refused it.
create unique index dispute_answers_once_per_stage on dispute_answers (dispute_id, stage_n)
  where state <> 'refused';

-- Evidence. The content is encrypted under a key of its own, and that key under a data key.
create table dispute_files (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  dispute_id bigint not null references disputes,
  -- Null until an answer takes it along.
  answer_id bigint references dispute_answers,
  name text not null check (name <> '' and length(name) <= 120),
  content_type text not null check (content_type in (
    'application/pdf', 'image/png', 'image/jpeg', 'text/plain')),
  bytes integer not null check (bytes between 1 and 5000000),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  content_ciphertext bytea,
  key_ciphertext bytea,
  data_key_id integer,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  erased_at timestamptz,
  constraint dispute_files_sealed_whole check (
    (content_ciphertext is null) = (key_ciphertext is null)
    and (key_ciphertext is null) = (data_key_id is null)
    and (content_ciphertext is null) = (erased_at is not null))
);
create index dispute_files_by_dispute on dispute_files (dispute_id);

alter table settlement_differences
  add column dispute_id bigint references disputes,
  drop constraint settlement_differences_have_a_side,
  add constraint settlement_differences_have_a_side check (
    file_id is not null or transaction_id is not null or payout_id is not null
    or entry_id is not null or dispute_id is not null);
create unique index settlement_differences_once_per_dispute
  on settlement_differences (dispute_id, code) where state = 'open' and dispute_id is not null;
