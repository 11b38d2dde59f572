-- Batches agreed with the bank: the steps of a close, the totals that the bank was asked about, and
-- the rows about which it differs. Every statement is short: columns with constant defaults rewrite
-- no row, and the new indexes begin with what is queued.

alter table batches
  -- The step of a batch that is not open; `none`: closed without an agreement.
  add column agreement text not null default 'none'
    constraint batches_agreement_check
    check (agreement in ('none', 'closing', 'agreeing', 'comparing', 'agreed', 'differing')),
  add column agreed_at timestamptz,
  -- The bank has heard of this batch in every capture: none of the batches before this migration.
  add column named_to_bank boolean not null default false,
  -- The end of the lease of the process that compares the detail.
  add column compared_until timestamptz,
  add constraint batches_open_without_agreement check (closed_at is not null or agreement = 'none'),
  add constraint batches_agreed_with_a_time
    check ((agreement in ('agreed', 'differing')) = (agreed_at is not null));
alter table batches alter column named_to_bank set default true;
create index batches_being_agreed on batches (id)
  where agreement in ('closing', 'agreeing', 'comparing');

alter table advices
  -- Of a capture or refund: the batch that its message names, which is its transaction's.
  add column batch_id bigint,
  -- The first batch that a message may have named before a cut-off moved the transaction on.
  add column left_batch_id bigint;
create index advices_queued_by_batch on advices (batch_id, id)
  where state = 'queued' and batch_id is not null;
create index advices_queued_by_left_batch on advices (left_batch_id)
  where state = 'queued' and left_batch_id is not null;
update advices a set batch_id = t.batch_id
  from transactions t
 where t.id = a.transaction_id and a.state = 'queued' and a.kind in ('capture', 'refund');

-- A 0500 for each currency of a batch: an intent that is sent until the bank answers.
create table batch_agreements (
  batch_id bigint not null references batches,
  currency char(3) not null,
  message_number bigint not null unique,
  message_at timestamptz not null,
  state text not null default 'queued' check (state in ('queued', 'answered')),
  tries integer not null default 0,
  next_try_at timestamptz not null,
  -- By brand, as the message states them.
  totals jsonb not null,
  -- As the bank answered; null until it did.
  bank_totals jsonb,
  in_balance boolean,
  -- The last DE 39, an ending one or not.
  response_code text,
  answered_at timestamptz,
  primary key (batch_id, currency),
  constraint batch_agreements_answered_whole check (
    (state = 'answered') = (answered_at is not null)
    and (state = 'answered') = (in_balance is not null)
    and (state = 'answered') = (bank_totals is not null))
);
create index batch_agreements_due on batch_agreements (next_try_at) where state = 'queued';

-- Captures and refunds about which a batch differs from the bank's.
create table batch_differences (
  batch_id bigint not null references batches,
  number integer not null check (number > 0),
  currency char(3) not null,
  kind text not null check (kind in ('capture', 'refund')),
  -- Null for a row of the bank that this batch does not have.
  transaction_id bigint,
  order_id bigint,
  -- Of the row's advice; negative for a message that no gateway sent.
  message_number bigint not null,
  -- Minor units before and of voids; null where one side does not have the row.
  gateway_minor bigint,
  gateway_voided_minor bigint,
  bank_minor bigint,
  bank_voided_minor bigint,
  primary key (batch_id, number),
  constraint batch_differences_are_somewhere check (gateway_minor is not null or bank_minor is not null),
  constraint batch_differences_of_the_gateway check (
    (gateway_minor is null) = (gateway_voided_minor is null)
    and (gateway_minor is null) = (transaction_id is null)
    and (transaction_id is null) = (order_id is null)),
  constraint batch_differences_of_the_bank check ((bank_minor is null) = (bank_voided_minor is null)),
  constraint batch_differences_differ check (
    (gateway_minor, gateway_voided_minor) is distinct from (bank_minor, bank_voided_minor))
);

-- Whether the acquirer of a link answers 0500 and 0600.
alter table processor_links add column batch_agreement boolean not null default false;
