-- What people do with orders in the portal, and what they write about them.

-- Every act that moves money, written before anything of it happens. Whoever asks again under the
-- same key is told what came of the first.
create table portal_acts (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  person_id bigint not null references portal_people,
  site_id bigint not null references sites,
  -- Made by the page for one opened dialogue.
  key text not null check (length(key) between 16 and 80),
  act text not null check (act in ('capture', 'void', 'void_capture', 'credit', 'authorize', 'sale', 'charge')),
  -- Whose money it moves; of a new payment the order that it becomes, whose id is given before.
  order_id bigint not null,
  -- The order whose card is charged again.
  source_order_id bigint,
  -- SHA-256 of what was asked for.
  digest bytea not null check (length(digest) = 32),
  -- As the request log and the transaction know it.
  request_id bigint not null unique,
  -- Of a new payment, given before; of an adjustment, once it is done.
  transaction_id bigint,
  -- interrupted: nothing had happened when somebody looked after its time, and nothing can any more.
  state text not null default 'begun' check (state in ('begun', 'done', 'refused', 'interrupted')),
  -- What the person was told, as JSON; null while it is begun.
  result json,
  address text not null,
  begun_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint portal_acts_once unique (merchant_id, key),
  constraint portal_acts_end_with_a_result check ((state = 'begun') = (ended_at is null) and (state = 'begun') = (result is null))
);
create index portal_acts_by_order on portal_acts (order_id);
create index portal_acts_open on portal_acts (begun_at) where state = 'begun';

-- What people write about an order. Nothing is changed or taken away.
create table order_notes (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  order_id bigint not null references orders,
  person_id bigint not null references portal_people,
  text text not null check (length(text) between 1 and 4000),
  written_at timestamptz not null default now(),
  -- Made by the page, so that a note is written once however often it is sent.
  key text not null check (length(key) between 16 and 80),
  constraint order_notes_once unique (merchant_id, key)
);
create index order_notes_by_order on order_notes (order_id);

create function refuse_to_rewrite_notes() returns trigger language plpgsql as $$
begin
  raise exception 'Notes are append-only: write another one instead of %.', tg_op;
end
$$;
create trigger order_notes_are_append_only
  before update or delete or truncate on order_notes
  for each statement execute function refuse_to_rewrite_notes();

-- Who has looked an order up by the interface. Payments have no entry in it, and pay nothing.
create index requests_inquiries_by_order on requests (order_id, received_at)
  where action in ('CCSTATUS', 'CCTRANSUPDATE');
