-- Settlement: files of acquirers, the lines in them, the transactions that a line settles, payouts,
-- postings and differences. Nothing here is written on a payment's way, and no table of payments
-- changes.

-- What an acquirer calls a merchant account, and from when on its files are complete.
create table settlement_sources (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  merchant_account_id bigint not null references merchant_accounts,
  currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
  sender text not null check (sender <> '' and length(sender) <= 64),
  receiver text not null check (receiver <> '' and length(receiver) <= 64),
  account text not null check (account <> '' and length(account) <= 64),
  -- Captures and refunds of earlier days are in none of the files.
  since date not null,
  -- The rate of a file may differ from the rate of the authorization by this much.
  fx_band_basis_points integer not null check (fx_band_basis_points between 0 and 10000),
  made_at timestamptz not null default now(),
  made_by text not null,
  unique (sender, account, currency),
  unique (merchant_account_id, currency)
);

create table settlement_files (
  id bigint generated always as identity (start with 1) primary key,
  source_id bigint not null references settlement_sources,
  merchant_id bigint not null,
  seq bigint not null check (seq > 0),
  file_id uuid not null unique,
  state text not null default 'staging' check (state in ('staging', 'booked')),
  business_date date not null,
  value_date date not null,
  zone text not null,
  created_at timestamptz not null,
  prev_sha256 text not null check (prev_sha256 ~ '^[0-9a-f]{64}$'),
  -- The trailer's, over the bytes before the trailer; the next file names it.
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  -- Over all bytes: the same file again is a repetition.
  bytes_sha256 text not null unique check (bytes_sha256 ~ '^[0-9a-f]{64}$'),
  lines integer not null check (lines >= 0),
  -- Count and net of each kind, in minor units.
  by_kind jsonb not null,
  opening_minor bigint not null,
  gross_minor bigint not null,
  fees_minor bigint not null,
  net_minor bigint not null,
  closing_minor bigint not null,
  -- The mapping that made the lines out of another format; empty for a file of this format.
  mapping text not null default '',
  mapping_version integer,
  staged_by text not null,
  staged_at timestamptz not null default now(),
  booked_by text,
  booked_at timestamptz,
  unique (source_id, seq),
  constraint settlement_files_add_up check (
    net_minor = gross_minor + fees_minor and closing_minor = opening_minor + net_minor),
  constraint settlement_files_booked_with_a_time check (
    (state = 'booked') = (booked_at is not null) and (booked_at is null) = (booked_by is null)),
  constraint settlement_files_mapping_whole check ((mapping = '') = (mapping_version is null))
);

create table settlement_lines (
  file_id bigint not null,
  n integer not null check (n > 0),
  sender text not null,
  line_id text not null check (line_id <> '' and length(line_id) <= 64),
  kind text not null,
  gross_minor bigint not null,
  net_minor bigint not null,
  fee_interchange_minor bigint not null,
  fee_scheme_minor bigint not null,
  fee_acquirer_minor bigint not null,
  fee_dispute_minor bigint not null,
  fee_tax_minor bigint not null,
  fee_other_minor bigint not null,
  value_date date not null,
  order_key text,
  -- The numbers of our messages that order_key and ref name; null where they name none.
  order_message bigint,
  ref_message bigint,
  rrn text,
  arn text,
  batch text,
  brand text,
  orig_minor bigint,
  orig_currency char(3),
  orig_rate text,
  case_id text,
  reason text,
  payout text,
  trace text,
  arrives date,
  iban_last4 text check (iban_last4 ~ '^[0-9A-Z]{4}$'),
  corrects text,
  ref text,
  period text,
  fee_code text,
  -- Fields that this version does not know, as they came.
  extra jsonb,
  primary key (file_id, n),
  constraint settlement_lines_once_per_sender unique (sender, line_id),
  constraint settlement_lines_add_up check (
    net_minor = gross_minor + fee_interchange_minor + fee_scheme_minor + fee_acquirer_minor
              + fee_dispute_minor + fee_tax_minor + fee_other_minor)
);

create index settlement_lines_periodic_fees on settlement_lines (sender, fee_code, period)
  where kind = 'fee' and fee_code is not null and period is not null;

create index settlement_lines_corrections on settlement_lines (sender, corrects)
  where corrects is not null;

create function refuse_to_rewrite_settlement_lines() returns trigger language plpgsql as $$
begin
  raise exception 'Lines of a settlement file never change: another line corrects them.'
    using errcode = 'check_violation', constraint = 'settlement_lines_never_change';
end
$$;
create trigger settlement_lines_never_change before update or truncate on settlement_lines
  for each statement execute function refuse_to_rewrite_settlement_lines();

-- Lines that were stored and never booked may go.
create function keep_booked_settlement_lines() returns trigger language plpgsql as $$
begin
  if exists (select from settlement_files f
              where f.state = 'booked' and f.id in (select g.file_id from gone g)) then
    raise exception 'Lines of a booked settlement file never change: another line corrects them.'
      using errcode = 'check_violation', constraint = 'settlement_lines_stay';
  end if;
  return null;
end
$$;
create trigger settlement_lines_stay after delete on settlement_lines
  referencing old table as gone
  for each statement execute function keep_booked_settlement_lines();

-- The capture or refund that a line settles, or rejects.
create table settled_transactions (
  transaction_id bigint primary key,
  order_id bigint not null,
  merchant_id bigint not null,
  file_id bigint not null,
  n integer not null,
  state text not null check (state in ('settled', 'rejected')),
  settled_on date not null,
  -- Of the file: the currency of the settlement.
  currency char(3) not null,
  gross_minor bigint not null,
  net_minor bigint not null,
  rate text,
  unique (file_id, n),
  constraint settled_transactions_rejected_without_money check (state = 'settled' or net_minor = 0)
);
create index settled_transactions_by_order on settled_transactions (order_id);

create type settlement_event as enum ('line', 'deposit', 'difference');
create type settlement_posting_kind as enum (
  'from_acquirer_receivable',
  'to_acquirer_receivable',
  'from_merchant_refunds',
  'to_merchant_refunds',
  'from_suspense',
  'to_suspense',
  'from_currency_conversion',
  'to_currency_conversion',
  'from_fx_difference',
  'to_fx_difference',
  'from_fee_interchange',
  'to_fee_interchange',
  'from_fee_scheme',
  'to_fee_scheme',
  'from_fee_acquirer',
  'to_fee_acquirer',
  'from_fee_dispute',
  'to_fee_dispute',
  'from_fee_tax',
  'to_fee_tax',
  'from_fee_other',
  'to_fee_other',
  'from_disputes_open',
  'to_disputes_open',
  'from_adjustments',
  'to_adjustments',
  'from_reserve_held',
  'to_reserve_held',
  'from_payout_in_transit',
  'to_payout_in_transit',
  'from_carried_forward',
  'to_carried_forward',
  'capture_rejected',
  'refund_rejected',
  'capture_converted',
  'refund_converted',
  'deposit',
  'deposit_debited',
  'deposit_short',
  'deposit_over',
  'deposit_unknown',
  'debit_unknown',
  'capture_written_off',
  'refund_written_off',
  'loss_written_off',
  'gain_written_off');

-- `from_` and `to_`: money that comes to the balance at the acquirer, and money that leaves it.
create table settlement_posting_kinds (
  kind settlement_posting_kind primary key,
  debit text not null,
  credit text not null,
  check (debit <> credit)
);
insert into settlement_posting_kinds (kind, debit, credit) values
  ('from_acquirer_receivable', 'acquirer_balance', 'acquirer_receivable'),
  ('to_acquirer_receivable', 'acquirer_receivable', 'acquirer_balance'),
  ('from_merchant_refunds', 'acquirer_balance', 'merchant_refunds'),
  ('to_merchant_refunds', 'merchant_refunds', 'acquirer_balance'),
  ('from_suspense', 'acquirer_balance', 'suspense'),
  ('to_suspense', 'suspense', 'acquirer_balance'),
  ('from_currency_conversion', 'acquirer_balance', 'currency_conversion'),
  ('to_currency_conversion', 'currency_conversion', 'acquirer_balance'),
  ('from_fx_difference', 'acquirer_balance', 'fx_difference'),
  ('to_fx_difference', 'fx_difference', 'acquirer_balance'),
  ('from_fee_interchange', 'acquirer_balance', 'fee_interchange'),
  ('to_fee_interchange', 'fee_interchange', 'acquirer_balance'),
  ('from_fee_scheme', 'acquirer_balance', 'fee_scheme'),
  ('to_fee_scheme', 'fee_scheme', 'acquirer_balance'),
  ('from_fee_acquirer', 'acquirer_balance', 'fee_acquirer'),
  ('to_fee_acquirer', 'fee_acquirer', 'acquirer_balance'),
  ('from_fee_dispute', 'acquirer_balance', 'fee_dispute'),
  ('to_fee_dispute', 'fee_dispute', 'acquirer_balance'),
  ('from_fee_tax', 'acquirer_balance', 'fee_tax'),
  ('to_fee_tax', 'fee_tax', 'acquirer_balance'),
  ('from_fee_other', 'acquirer_balance', 'fee_other'),
  ('to_fee_other', 'fee_other', 'acquirer_balance'),
  ('from_disputes_open', 'acquirer_balance', 'disputes_open'),
  ('to_disputes_open', 'disputes_open', 'acquirer_balance'),
  ('from_adjustments', 'acquirer_balance', 'adjustments'),
  ('to_adjustments', 'adjustments', 'acquirer_balance'),
  ('from_reserve_held', 'acquirer_balance', 'reserve_held'),
  ('to_reserve_held', 'reserve_held', 'acquirer_balance'),
  ('from_payout_in_transit', 'acquirer_balance', 'payout_in_transit'),
  ('to_payout_in_transit', 'payout_in_transit', 'acquirer_balance'),
  ('from_carried_forward', 'acquirer_balance', 'carried_forward'),
  ('to_carried_forward', 'carried_forward', 'acquirer_balance'),
  ('capture_rejected', 'merchant_payable', 'acquirer_receivable'),
  ('refund_rejected', 'acquirer_receivable', 'merchant_refunds'),
  ('capture_converted', 'currency_conversion', 'acquirer_receivable'),
  ('refund_converted', 'acquirer_receivable', 'currency_conversion'),
  ('deposit', 'bank', 'payout_in_transit'),
  ('deposit_debited', 'payout_in_transit', 'bank'),
  ('deposit_short', 'suspense', 'payout_in_transit'),
  ('deposit_over', 'bank', 'suspense'),
  ('deposit_unknown', 'bank', 'suspense'),
  ('debit_unknown', 'suspense', 'bank'),
  ('capture_written_off', 'fee_other', 'acquirer_receivable'),
  ('refund_written_off', 'acquirer_receivable', 'fee_other'),
  ('loss_written_off', 'fee_other', 'suspense'),
  ('gain_written_off', 'suspense', 'fee_other');

-- One row debits one account and credits another, as in ledger_postings. An event is a line
-- (file and number), an entry of a bank statement, or the end of a difference.
create table settlement_postings (
  event settlement_event not null,
  event_id bigint not null,
  n integer not null,
  kind settlement_posting_kind not null,
  source_id bigint not null,
  merchant_id bigint not null,
  currency char(3) not null,
  amount_minor bigint not null constraint settlement_postings_move_money check (amount_minor > 0),
  posted_at timestamptz not null,
  primary key (event, event_id, n, kind)
);
create trigger settlement_postings_are_append_only
  before update or delete or truncate on settlement_postings
  for each statement execute function refuse_to_rewrite_the_ledger();

-- Every posting, of orders, of settlements and of the operator's fees.
create view account_entries as
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from ledger_postings p join ledger_kinds k using (kind)
  union all
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from settlement_postings p join settlement_posting_kinds k using (kind)
  union all
  select merchant_id, debit, credit, currency, amount_minor, posted_at, 'operator_fee'
    from fee_entries;

create table settlement_payouts (
  id bigint generated always as identity (start with 1) primary key,
  source_id bigint not null references settlement_sources,
  merchant_id bigint not null,
  file_id bigint not null references settlement_files,
  n integer not null,
  state text not null default 'announced'
    check (state in ('announced', 'deposited', 'returned')),
  payout text,
  trace text,
  iban_last4 text,
  currency char(3) not null,
  -- The parts of the deposit: what was left before, and the lines since the payout before it.
  carried_minor bigint not null,
  gross_minor bigint not null,
  refunds_minor bigint not null,
  chargebacks_minor bigint not null,
  fees_minor bigint not null,
  reserve_minor bigint not null,
  other_minor bigint not null,
  left_minor bigint not null,
  -- Below zero: the acquirer debits the merchant's bank account.
  net_minor bigint not null check (net_minor <> 0),
  value_date date not null,
  arrives date,
  unique (file_id, n),
  constraint settlement_payouts_add_up check (
    carried_minor + gross_minor + refunds_minor + chargebacks_minor + fees_minor + reserve_minor
      + other_minor = net_minor + left_minor)
);
create index settlement_payouts_by_trace on settlement_payouts (trace) where trace is not null;
create index settlement_payouts_announced on settlement_payouts (arrives) where state = 'announced';

create table settlement_differences (
  id bigint generated always as identity (start with 1) primary key,
  source_id bigint not null references settlement_sources,
  merchant_id bigint not null,
  code text not null check (code in (
    'missing_at_bank', 'missing_here', 'amount', 'currency', 'state', 'duplicate', 'ambiguous',
    'fx_rate', 'fee_orphan', 'dispute_unknown', 'payout_missing', 'payout_unknown', 'payout_short',
    'payout_over')),
  state text not null default 'open' check (state in ('open', 'ended')),
  -- The line, where a file has one; the transaction, where this side has one.
  file_id bigint,
  n integer,
  transaction_id bigint,
  order_id bigint,
  payout_id bigint references settlement_payouts,
  -- Transactions that together have the amount of the line: a proposal.
  proposal bigint[] not null default '{}',
  here_minor bigint,
  here_currency char(3),
  bank_minor bigint,
  bank_currency char(3),
  -- The bank day from which its age counts.
  since date not null,
  found_at timestamptz not null,
  owner text not null default '',
  ended_as text check (ended_as in (
    'matched_late', 'corrected_by_acquirer', 'corrected_here', 'accepted_timing', 'written_off',
    'not_ours')),
  ended_by text,
  ended_at timestamptz,
  ended_reason text,
  constraint settlement_differences_line_whole check ((file_id is null) = (n is null)),
  constraint settlement_differences_have_a_side
    check (file_id is not null or transaction_id is not null or payout_id is not null),
  constraint settlement_differences_ended_whole check (
    (state = 'ended') = (ended_as is not null) and (ended_as is null) = (ended_at is null)
    and (ended_as is null) = (ended_by is null) and (ended_as is null) = (ended_reason is null)),
  constraint settlement_differences_once_per_line unique (file_id, n, code)
);
create unique index settlement_differences_missing_once
  on settlement_differences (transaction_id) where code = 'missing_at_bank';
create unique index settlement_differences_payout_missing_once
  on settlement_differences (payout_id) where code = 'payout_missing';
create index settlement_differences_open on settlement_differences (merchant_id, id)
  where state = 'open';

create table settlement_difference_notes (
  difference_id bigint not null references settlement_differences,
  number integer not null check (number > 0),
  author text not null,
  written_at timestamptz not null default now(),
  content text not null check (content <> '' and length(content) <= 2000),
  primary key (difference_id, number)
);
create trigger settlement_difference_notes_are_append_only
  before update or delete or truncate on settlement_difference_notes
  for each statement execute function refuse_to_rewrite_notes();

-- Batches all of whose captures and refunds are settled or have a difference.
create table settlement_checked_batches (
  batch_id bigint primary key references batches,
  checked_at timestamptz not null default now()
);

-- DE 37 of an order, as its bank messages have it.
create function retrieval_reference(message_number bigint, message_at timestamptz) returns text
  language sql stable parallel safe
  return to_char(message_at at time zone 'UTC', 'YDDDHH24')
      || lpad(((message_number % 999999) + 1)::text, 6, '0');
