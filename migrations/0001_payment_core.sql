-- The payment core: merchants, cards, orders, what happened to them, and what must still reach the bank.
-- Money columns end in _minor: whole minor units of the row's currency. Ids are handed out in blocks of
-- a thousand to each process, so that no insert waits for a counter.
-- A customer, a card, an order, its lines and its first transaction are written by one statement out of
-- the same values. Foreign keys between them would check each row again, and cost more than the rows;
-- whatever is written later has them.

create sequence request_ids increment by 1000 start 700000;
create sequence order_ids increment by 1000 start 600000;
create sequence line_ids increment by 1000 start 650000;
create sequence transaction_ids increment by 1000 start 800000;
create sequence customer_ids increment by 1000 start 9000;
create sequence payment_method_ids increment by 1000 start 7000;
create sequence advice_ids increment by 1000 start 1000;
-- A message number makes the terminal and the STAN of a bank message; none is ever used twice.
create sequence message_numbers increment by 1000 start 1000;
create sequence batch_ids start 501;

create table merchants (
  id bigint primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table api_users (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  username text not null unique,
  password_hash text not null,
  active boolean not null default true
);

create table merchant_accounts (
  id bigint primary key,
  merchant_id bigint not null references merchants,
  mode text not null check (mode in ('test', 'live')),
  processor_name text not null,
  acquirer_id text not null check (acquirer_id ~ '^[0-9]{1,11}$'),
  acquirer_merchant_id text not null check (length(acquirer_merchant_id) between 1 and 15),
  category_code char(4) not null,
  name_and_location text not null check (length(name_and_location) <= 40),
  currencies text[] not null,
  unreferenced_credits boolean not null default false
);

create table sites (
  id bigint primary key,
  merchant_id bigint not null references merchants,
  name text not null,
  mode text not null default 'test' check (mode in ('test', 'live')),
  tolerance text not null default 'strict' check (tolerance in ('strict', 'wide')),
  default_currency char(3) not null default 'USD',
  cvv_required boolean not null default false,
  avs_mode char(1) not null default 'I' check (avs_mode in ('T', 'F', 'C', 'I')),
  cvv_mode char(1) not null default 'I' check (cvv_mode in ('T', 'F', 'C', 'I')),
  avs_match_set text not null default 'ABDEFGHIJLMOPQRSTUVWXYZ',
  cvv_match_set text not null default 'M',
  catalogue text not null default 'open' check (catalogue in ('open', 'strict')),
  default_product text not null default '1'
);

create table site_merchant_accounts (
  site_id bigint not null references sites,
  merchant_account_id bigint not null references merchant_accounts,
  position integer not null default 1,
  primary key (site_id, merchant_account_id)
);

create table products (
  site_id bigint not null references sites,
  code text not null check (length(code) between 1 and 64),
  active boolean not null default true,
  primary key (site_id, code)
);

-- Failed logins, by user and the address they came from. A row is replaced when its window is over.
create table login_failures (
  username text not null,
  address text not null,
  window_started_at timestamptz not null,
  failures integer not null,
  locked_until timestamptz,
  primary key (username, address)
);

-- Data keys for card numbers, wrapped by the key-encrypting key, which is kept elsewhere.
create table data_keys (
  id integer generated always as identity primary key,
  purpose text not null check (purpose in ('pan', 'fingerprint')),
  wrapped bytea not null,
  kek_id text not null,
  created_at timestamptz not null default now()
);
-- Fingerprints must compare for ever, so there is one key for them, whoever starts first.
create unique index data_keys_one_fingerprint_key on data_keys (purpose) where purpose = 'fingerprint';

create table batches (
  id bigint primary key default nextval('batch_ids'),
  merchant_id bigint not null,
  merchant_account_id bigint not null references merchant_accounts,
  opened_at timestamptz not null default now(),
  closed_at timestamptz
);
create unique index batches_one_open_per_account on batches (merchant_account_id) where closed_at is null;

create table customers (
  id bigint primary key,
  merchant_id bigint not null,
  reference text not null default '',
  first_name text not null default '',
  last_name text not null default '',
  email text not null default '',
  phone text not null default '',
  login text not null default '',
  billing json not null default '{}',
  shipping json not null default '{}',
  others json not null default '{}',
  created_at timestamptz not null
);

-- A login name stands for one customer of a site.
create table customer_logins (
  site_id bigint not null references sites,
  login text not null,
  customer_id bigint not null,
  claimed_at timestamptz not null,
  primary key (site_id, login)
);

create table payment_methods (
  id bigint primary key,
  merchant_id bigint not null,
  customer_id bigint not null,
  mode text not null,
  -- Format: version 1, key id (4 bytes), nonce (12), ciphertext, tag (16); AES-256-GCM, bound to this row's id.
  pan_ciphertext bytea not null,
  data_key_id integer not null,
  -- HMAC-SHA-256 of merchant and number under a key of its own: finds the same card again.
  fingerprint bytea not null check (length(fingerprint) = 32),
  brand text not null,
  last4 char(4) not null,
  expiry_month smallint,
  expiry_year smallint,
  reference text not null default '',
  created_at timestamptz not null,
  last_used_at timestamptz not null
) with (fillfactor = 80);
create index payment_methods_by_customer on payment_methods (customer_id);

create table orders (
  id bigint primary key,
  merchant_id bigint not null,
  site_id bigint not null,
  merchant_account_id bigint not null,
  mode text not null,
  customer_id bigint not null,
  payment_method_id bigint not null,
  kind text not null check (kind in ('payment', 'credit')),
  state text not null check (state in ('running', 'pending', 'authorized', 'declined', 'failed')),
  currency char(3) not null,
  reference text not null default '',
  -- Never negative either: each is at least what is below it, and that begins at zero.
  requested_minor bigint not null,
  authorized_minor bigint not null default 0,
  captured_minor bigint not null default 0 check (captured_minor >= 0),
  voided_minor bigint not null default 0 check (voided_minor >= 0),
  credited_minor bigint not null default 0 check (credited_minor >= 0),
  -- Everything was undone on request: told apart from an order that was captured and credited to nothing.
  reversed_whole boolean not null default false,
  expires_at timestamptz,
  released_at timestamptz,
  -- Identity of the authorization message: the bank knows the order by it.
  message_number bigint not null,
  message_at timestamptz not null,
  entry_mode char(3) not null,
  auth_code text not null default '',
  network_transaction_id text not null default '',
  -- Advices are numbered within the order and reach the bank in that sequence.
  advice_count integer not null default 0,
  membership_reference text not null default '',
  receipt text,
  extras json not null default '{}',
  created_at timestamptz not null,
  constraint orders_no_more_approved_than_asked check (authorized_minor <= requested_minor),
  constraint orders_no_more_captured_than_authorized check (captured_minor + voided_minor <= authorized_minor),
  constraint orders_no_more_credited_than_captured check (credited_minor <= captured_minor or kind = 'credit'),
  constraint orders_credit_no_more_than_asked check (kind = 'payment' or credited_minor <= requested_minor)
) with (fillfactor = 60);
create index orders_by_reference on orders (site_id, reference) where reference <> '';
create index orders_by_customer on orders (customer_id);
-- Only an approved authorization expires. The state itself is in no index, so that an approved sale
-- changes none.
create index orders_to_release on orders (expires_at)
  where expires_at is not null and released_at is null;

create table order_lines (
  id bigint primary key,
  merchant_id bigint not null,
  order_id bigint not null,
  number smallint not null,
  product text not null,
  merchant_product text not null default '',
  count smallint not null check (count between 1 and 99),
  amount_minor bigint not null,
  captured_minor bigint not null default 0 check (captured_minor >= 0),
  voided_minor bigint not null default 0 check (voided_minor >= 0),
  credited_minor bigint not null default 0 check (credited_minor >= 0),
  constraint order_lines_no_more_captured_than_the_line check (captured_minor + voided_minor <= amount_minor),
  constraint order_lines_no_more_credited_than_captured check (credited_minor <= captured_minor)
) with (fillfactor = 80);
create index order_lines_by_order on order_lines (order_id);

create table transactions (
  id bigint primary key,
  merchant_id bigint not null,
  order_id bigint not null,
  request_id bigint not null,
  kind text not null
    check (kind in ('authorize', 'sale', 'capture', 'credit', 'void', 'void_capture')),
  state text not null check (state in ('running', 'pending', 'approved', 'declined', 'failed')),
  -- Asked for, and what came of it; both without sign.
  amount_minor bigint not null check (amount_minor >= 0),
  value_minor bigint not null,
  -- How much of this capture or sale was taken back by voids.
  undone_minor bigint not null default 0 check (undone_minor >= 0),
  -- The line that the request named, if it named one.
  order_line_id bigint,
  batch_id bigint,
  to_processor boolean not null default true,
  service_code smallint not null default 0,
  processor_code text not null default '',
  processor_advice text not null default '',
  industry_code text not null default '',
  industry_advice text not null default '',
  response_code text not null default '',
  avs_code text not null default '',
  cvv_code text not null default '',
  card_product text not null default '',
  card_balance_minor bigint,
  settled_minor bigint,
  settled_currency char(3),
  settled_rate text,
  processor_udf1 text not null default '',
  processor_udf2 text not null default '',
  created_at timestamptz not null,
  concluded_at timestamptz,
  constraint transactions_undo_no_more_than_their_value check (undone_minor <= value_minor),
  constraint transactions_have_an_end_once_past_running
    check ((state in ('running', 'pending')) = (concluded_at is null))
) with (fillfactor = 60);
create index transactions_by_order on transactions (order_id);
create index transactions_open on transactions (created_at) where state = 'running';

-- Which lines of an order a capture, credit or void took its amount from.
create table adjustment_lines (
  transaction_id bigint not null references transactions,
  merchant_id bigint not null,
  order_line_id bigint not null references order_lines,
  -- What the merchant sees as PO_LI_ID: the line's own, or a new one for a credit.
  shown_id bigint not null,
  amount_minor bigint not null check (amount_minor > 0),
  primary key (transaction_id, order_line_id)
);

-- The first approved order of a reference, and the request that is on its way to become it.
create table order_claims (
  site_id bigint not null,
  reference text not null,
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  state text not null check (state in ('running', 'approved')),
  -- SHA-256 of action, amount, currency and card fingerprint.
  content bytea not null,
  claimed_at timestamptz not null,
  primary key (site_id, reference)
);

-- What must reach the bank: written with the decision, sent in sequence, repeated until acknowledged.
-- The transaction that changes its order writes it, so no foreign key looks for the order once more.
create table advices (
  id bigint primary key,
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  sequence integer not null,
  kind text not null check (kind in ('capture', 'refund', 'reversal')),
  state text not null default 'queued' check (state in ('queued', 'acknowledged')),
  amount_minor bigint not null check (amount_minor >= 0),
  -- Reversals: what remains of the original; null takes back all of it.
  remaining_minor bigint,
  reason char(2),
  -- The message that this one is about.
  original_mti char(4) not null,
  original_number bigint not null,
  original_at timestamptz not null,
  message_number bigint not null,
  message_at timestamptz not null,
  tries integer not null default 0,
  next_try_at timestamptz not null,
  response_code text,
  acknowledged_at timestamptz,
  created_at timestamptz not null,
  constraint advices_in_sequence unique (order_id, sequence),
  constraint advices_are_acknowledged_with_a_time
    check ((state = 'acknowledged') = (acknowledged_at is not null))
) with (fillfactor = 80);
create index advices_due on advices (next_try_at) where state = 'queued';
create index advices_by_transaction on advices (transaction_id);

-- Every request as it came, card data and secrets masked.
create table requests (
  id bigint primary key,
  received_at timestamptz not null,
  merchant_id bigint,
  site_id bigint,
  username text not null,
  address text not null,
  action text not null,
  parameters json not null,
  http_status smallint not null,
  api_code text not null,
  service_code integer not null,
  ref_field text not null,
  state text not null,
  order_id bigint,
  transaction_id bigint,
  took_ms integer not null
);
create index requests_by_merchant on requests (merchant_id, received_at);

-- What was captured or credited belongs to a batch; a write that found none open is tried again.
alter table transactions add constraint transactions_moving_money_are_in_a_batch
  check (batch_id is not null or state <> 'approved' or kind not in ('sale', 'capture', 'credit'));
