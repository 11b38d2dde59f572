-- What the home page sums up, how batches are closed, and the reconciliation as people work with it.

-- Payments and refunds of a site, summed up by the hour in which they came in. docs/portal/home.md says
-- what counts. A job adds what is older than a few minutes; what is newer is summed up when it is asked for.
create table payment_hours (
  merchant_id bigint not null,
  site_id bigint not null,
  hour timestamptz not null,
  currency char(3) not null,
  outcome text not null check (outcome in ('approved', 'declined', 'failed', 'refunded')),
  -- Of a decline: why.
  service_code smallint not null,
  payments bigint not null check (payments > 0),
  amount_minor bigint not null check (amount_minor >= 0),
  primary key (merchant_id, site_id, hour, currency, outcome, service_code)
);

-- Everything of a site that came in before this is in payment_hours, exactly once.
create table payment_hours_until (
  site_id bigint primary key references sites,
  merchant_id bigint not null,
  until timestamptz not null
);

-- What a batch holds; authorizations and voids move nothing.
create index transactions_of_batch on transactions (batch_id, id)
  where batch_id is not null and kind in ('sale', 'capture', 'credit');
create index batches_by_merchant on batches (merchant_id, id);

alter table batches
  -- `person:<e-mail>`, `operator:...` or `gateway:...`; '' for a batch that is open.
  add column closed_by text not null default '';

-- Sums of a closed batch, which never changes again.
create table batch_sums (
  batch_id bigint not null references batches,
  currency char(3) not null,
  action text not null check (action in ('sale', 'capture', 'credit')),
  brand text not null,
  transactions bigint not null check (transactions > 0),
  amount_minor bigint not null,
  -- Of sales and captures: what was taken back while the batch was open.
  undone_minor bigint not null check (undone_minor between 0 and amount_minor),
  primary key (batch_id, currency, action, brand)
);

-- The minute of the day, in UTC, at which the account's batch is closed; null: by people only.
alter table merchant_accounts add column batch_cutoff smallint check (batch_cutoff between 0 and 1439);

-- Comparisons of a merchant's orders with the books of the bundled bank.
create table recon_runs (
  id bigint generated always as identity (start with 301) primary key,
  merchant_id bigint not null references merchants,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  -- `person:<e-mail>`, or `gateway` for the daily one.
  asked_by text not null,
  asked_at timestamptz not null default now(),
  finished_at timestamptz,
  -- How far it is, and when the process at it last said so.
  doing text not null default '',
  orders_seen bigint not null default 0,
  alive_at timestamptz not null default now(),
  -- Why it could not be made.
  fault text not null default '',
  orders bigint,
  differences integer,
  -- By currency: orders, and approved, captured and credited in each of the books, in minor units as text.
  totals jsonb not null default '[]',
  constraint recon_runs_end_with_a_time check ((state in ('done', 'failed')) = (finished_at is not null)),
  constraint recon_runs_done_with_figures check ((state = 'done') = (orders is not null and differences is not null))
);
create unique index recon_runs_one_at_a_time on recon_runs (merchant_id) where state in ('waiting', 'running');
create index recon_runs_by_merchant on recon_runs (merchant_id, id);

-- The hour of the day, in UTC, at which a merchant's orders are compared; no row: when people ask.
create table recon_schedules (
  merchant_id bigint primary key references merchants,
  hour smallint not null check (hour between 0 and 23)
);

-- Orders about which the books differ.
create table recon_differences (
  id bigint generated always as identity (start with 701) primary key,
  merchant_id bigint not null,
  order_id bigint not null,
  currency char(3) not null,
  bank_currency text,
  -- Approved, captured and credited in minor units; null where the books do not know the order.
  gateway_minor bigint[] check (cardinality(gateway_minor) = 3),
  ledger_minor bigint[] check (cardinality(ledger_minor) = 3),
  bank_minor bigint[] check (cardinality(bank_minor) = 3),
  -- What explains it, the gravest first.
  reasons jsonb not null,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  last_run_id bigint not null references recon_runs,
  -- A later run found the books equal.
  gone_at timestamptz,
  owner_id bigint references portal_people,
  settled_by bigint references portal_people,
  settled_at timestamptz,
  -- Goes up with everything that people do, so that nobody overwrites what they have not seen.
  version integer not null default 1,
  constraint recon_differences_settled_by_somebody check ((settled_by is null) = (settled_at is null))
);
create unique index recon_differences_one_at_a_time on recon_differences (merchant_id, order_id)
  where gone_at is null;
create index recon_differences_by_merchant on recon_differences (merchant_id, id);

-- What people wrote and did about a difference; never changed.
create table recon_notes (
  id bigint generated always as identity primary key,
  difference_id bigint not null references recon_differences,
  person_id bigint not null references portal_people,
  at timestamptz not null default now(),
  what text not null check (what in ('taken', 'handed', 'noted', 'settled', 'reopened')),
  text text not null default '' check (length(text) <= 2000)
);
create index recon_notes_by_difference on recon_notes (difference_id, id);
