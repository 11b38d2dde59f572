-- Deposits: bank accounts of merchants, their statements, and the entries that are payouts of an
-- acquirer. Only the differences of settlements change, by three columns.

create table bank_accounts (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  -- Of the account's number without blanks. The number itself is stored nowhere.
  number_sha256 text not null check (number_sha256 ~ '^[0-9a-f]{64}$'),
  last4 text not null check (last4 ~ '^[0-9A-Z]{4}$'),
  currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
  -- inverted: the bank gives entries that reverse others the direction of the reversed entry.
  reversals text not null check (reversals in ('as_given', 'inverted')),
  -- Entries that were booked before this day are not payouts of any file.
  since date not null,
  made_at timestamptz not null default now(),
  made_by text not null,
  unique (number_sha256, currency)
);
create index bank_accounts_by_merchant on bank_accounts (merchant_id);

-- How the deposits of a source look in bank statements.
create table deposit_payers (
  source_id bigint primary key references settlement_sources,
  merchant_id bigint not null references merchants,
  -- The acquirer's name as the bank writes it, and a pattern of its references; '' for none.
  payer_name text not null check (length(payer_name) <= 140),
  reference_pattern text not null check (length(reference_pattern) <= 200),
  made_at timestamptz not null default now(),
  made_by text not null,
  constraint deposit_payers_recognise_something
    check (payer_name <> '' or reference_pattern <> '')
);

create table bank_statements (
  id bigint generated always as identity (start with 1) primary key,
  bank_account_id bigint not null references bank_accounts,
  merchant_id bigint not null,
  statement text not null check (statement <> '' and length(statement) <= 64),
  -- The bank's sequence number; '' for none.
  sequence text not null check (length(sequence) <= 32),
  opened_on date,
  closed_on date not null,
  opening_minor bigint not null,
  closing_minor bigint not null,
  entries integer not null check (entries >= 0),
  -- Over all that the statement says, so that a second copy in another file is a repetition.
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  -- Over the bytes of each of its files, in the sequence of the pages.
  files_sha256 text[] not null check (cardinality(files_sha256) > 0),
  -- It does not open where the one before closed, and an operator accepted that.
  follows_gap boolean not null,
  imported_by text not null,
  imported_at timestamptz not null,
  unique (bank_account_id, statement, sequence)
);

-- The booked entries of a statement. Of other business only amount, day and reference are kept.
create table bank_entries (
  id bigint generated always as identity (start with 1) primary key,
  statement_id bigint not null references bank_statements,
  bank_account_id bigint not null references bank_accounts,
  merchant_id bigint not null,
  position integer not null check (position > 0),
  state text not null check (state in ('other', 'repeated', 'unknown', 'matched')),
  -- Plus comes into the account.
  amount_minor bigint not null,
  booked_on date not null,
  reference text,
  is_reversal boolean not null,
  charges_minor bigint,
  -- The sources whose acquirer the entry names, and the texts in which payouts are sought.
  sources bigint[] not null,
  texts text[] not null,
  has_reference boolean not null,
  unique (statement_id, position),
  constraint bank_entries_of_others_keep_no_text
    check (state in ('unknown', 'matched') or (texts = '{}' and sources = '{}')),
  constraint bank_entries_name_a_source
    check (state in ('other', 'repeated') or (cardinality(sources) > 0 and amount_minor <> 0))
);
create index bank_entries_by_reference on bank_entries (bank_account_id, reference)
  where reference is not null;
create index bank_entries_unknown on bank_entries (merchant_id, id) where state = 'unknown';

create function refuse_to_rewrite_bank_statements() returns trigger language plpgsql as $$
begin
  raise exception 'Bank statements never change: the next statement corrects them.'
    using errcode = 'check_violation', constraint = 'bank_statements_never_change';
end
$$;
create trigger bank_statements_never_change before update or delete or truncate on bank_statements
  for each statement execute function refuse_to_rewrite_bank_statements();
create trigger bank_entries_stay before delete or truncate on bank_entries
  for each statement execute function refuse_to_rewrite_bank_statements();
create trigger bank_entries_never_change before update on bank_entries
  for each row when (
    (old.id, old.statement_id, old.bank_account_id, old.merchant_id, old.position, old.amount_minor,
     old.booked_on, old.reference, old.is_reversal, old.charges_minor, old.sources, old.texts,
     old.has_reference)
    is distinct from
    (new.id, new.statement_id, new.bank_account_id, new.merchant_id, new.position, new.amount_minor,
     new.booked_on, new.reference, new.is_reversal, new.charges_minor, new.sources, new.texts,
     new.has_reference))
  execute function refuse_to_rewrite_bank_statements();

-- The payouts that an entry pays or takes back. The postings of the event `deposit` have the same
-- entry and number; number 0 is an entry without a payout.
create table payout_deposits (
  entry_id bigint not null references bank_entries,
  n integer not null check (n > 0),
  payout_id bigint not null references settlement_payouts,
  merchant_id bigint not null,
  kind text not null check (kind in ('deposit', 'supplement', 'return')),
  -- What it takes from payout_in_transit: the sum over a payout is the payout, or zero after a
  -- return. A supplement takes nothing: the rest of a short deposit, or money beyond the payout.
  cleared_minor bigint not null,
  matched_by text not null,
  matched_at timestamptz not null,
  primary key (entry_id, n),
  constraint payout_deposits_once unique (entry_id, payout_id),
  constraint payout_deposits_supplement_clears_nothing
    check ((kind = 'supplement') = (cleared_minor = 0))
);
create index payout_deposits_by_payout on payout_deposits (payout_id);
create trigger payout_deposits_are_append_only
  before update or delete or truncate on payout_deposits
  for each statement execute function refuse_to_rewrite_the_ledger();

create index settlement_payouts_by_merchant on settlement_payouts (merchant_id, value_date);

alter table settlement_differences
  add column entry_id bigint references bank_entries,
  -- Payouts that an entry without a match may be: a proposal.
  add column payouts bigint[] not null default '{}',
  drop constraint settlement_differences_have_a_side,
  add constraint settlement_differences_have_a_side check (
    file_id is not null or transaction_id is not null or payout_id is not null
    or entry_id is not null);
create unique index settlement_differences_once_per_entry
  on settlement_differences (entry_id, code) where entry_id is not null;

-- The portal's list of payouts, and the lines between two payouts of a source.
create index settlement_payouts_by_id on settlement_payouts (merchant_id, id);
create index settlement_payouts_by_source on settlement_payouts (source_id, file_id, n);
