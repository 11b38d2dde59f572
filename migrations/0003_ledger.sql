-- The ledger: every movement of an order's money once more, as postings between accounts. docs/internals/ledger.md
-- says what the accounts mean. One row debits one account and credits another with the same amount, so
-- that an entry out of balance cannot be written down at all; its kind says which two. A transaction
-- posts each kind at most once, which is why the key needs no number, and why nothing can be posted
-- twice.

create type ledger_posting_kind as enum ('authorization', 'release', 'capture', 'capture_void', 'credit');

create table ledger_kinds (
  kind ledger_posting_kind primary key,
  debit text not null,
  credit text not null,
  check (debit <> credit)
);
insert into ledger_kinds (kind, debit, credit) values
  ('authorization', 'authorizations', 'authorizations_contra'),
  ('release', 'authorizations_contra', 'authorizations'),
  ('capture', 'acquirer_receivable', 'merchant_payable'),
  ('capture_void', 'merchant_payable', 'acquirer_receivable'),
  ('credit', 'merchant_refunds', 'acquirer_receivable');

create table ledger_postings (
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  kind ledger_posting_kind not null,
  currency char(3) not null,
  amount_minor bigint not null constraint ledger_postings_move_money check (amount_minor > 0),
  posted_at timestamptz not null,
  primary key (order_id, transaction_id, kind)
);

create view ledger_entries as
  select p.*, k.debit, k.credit from ledger_postings p join ledger_kinds k using (kind);

create function refuse_to_rewrite_the_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is append-only: a posting is put right by another posting, never by %.', tg_op;
end
$$;

create trigger ledger_postings_are_append_only
  before update or delete or truncate on ledger_postings
  for each statement execute function refuse_to_rewrite_the_ledger();
