-- Memberships: products that are charged again and again, who has them, and every charge.

create sequence membership_ids increment by 1000 start 5000;
-- Products that a payment defines get a number as their id: one that no shop's own numbers come near,
-- since a site's catalogue may be open, and too short for a card number.
create sequence product_numbers start 81000000001;

-- A product with a type is a membership's; one without is sold once.
alter table products
  add column name text not null default '' check (length(name) <= 255),
  add column type text check (type in ('ends', 'renews')),
  add column metric char(1) check (metric in ('D', 'M', 'Y')),
  add column period integer check (period between 1 and 9999),
  add column price_minor bigint check (price_minor > 0),
  add column currency char(3),
  add column created_at timestamptz not null default now(),
  add constraint products_terms_whole
    check (num_nulls(type, metric, period, price_minor, currency) in (0, 5));
-- An equal definition is the same product.
create unique index products_one_of_each_definition
  on products (site_id, name, type, metric, period, price_minor, currency) where type is not null;

-- On which days after its first failure a renewal is tried again; null: 1, 3, 5 and 7.
alter table sites add column renewal_retry_days integer[];

create table memberships (
  id bigint primary key,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  customer_id bigint not null,
  merchant_account_id bigint not null,
  -- The order and line that began it.
  order_id bigint not null,
  order_line_id bigint not null unique,
  -- What the networks know the first payment by.
  network_transaction_id text not null default '',
  state text not null
    check (state in ('active', 'past_due', 'cancel_scheduled', 'cancelled', 'ended')),
  -- The terms in force for the period that is paid, or for the renewal that is open.
  product text not null,
  type text not null check (type in ('ends', 'renews')),
  metric char(1) not null check (metric in ('D', 'M', 'Y')),
  period_length integer not null check (period_length between 1 and 9999),
  price_minor bigint not null check (price_minor > 0),
  currency char(3) not null,
  -- Those that take their place at the next renewal; all null for none.
  next_product text,
  next_type text check (next_type in ('ends', 'renews')),
  next_metric char(1) check (next_metric in ('D', 'M', 'Y')),
  next_period_length integer check (next_period_length between 1 and 9999),
  next_price_minor bigint check (next_price_minor > 0),
  -- The saved card that is charged.
  payment_method_id bigint not null,
  anchor_at timestamptz not null,
  -- The latest paid period, counted from the anchor; -1 until the first is.
  paid_period integer not null check (paid_period >= -1),
  -- A renewal that is due and not paid; null: none.
  renewal_due_at timestamptz,
  renewal_attempts integer not null default 0 check (renewal_attempts >= 0),
  renewal_first_failed_at timestamptz,
  -- Its charge that was begun and not concluded.
  charge_at timestamptz,
  charge_card_id bigint,
  -- What it does next, and when; in the time of its site.
  next_kind text check (next_kind in ('renewal', 'retry', 'end', 'cancel', 'give_up')),
  next_at timestamptz,
  over_at timestamptz,
  created_at timestamptz not null,
  -- Whoever works on it has it until then, by the database's own time.
  leased_until timestamptz,
  -- Goes up with every change, so that none is written over another.
  version bigint not null default 1,
  constraint memberships_next_product_whole
    check (num_nulls(next_product, next_type, next_metric, next_period_length, next_price_minor) in (0, 5)),
  constraint memberships_next_step_whole check ((next_kind is null) = (next_at is null)),
  constraint memberships_charge_whole check ((charge_at is null) = (charge_card_id is null)),
  constraint memberships_charge_a_renewal check (charge_at is null or renewal_due_at is not null),
  constraint memberships_over_since check ((over_at is null) = (state not in ('cancelled', 'ended'))),
  constraint memberships_over_do_nothing_more check (over_at is null or next_at is null)
) with (fillfactor = 70);
create index memberships_due on memberships (next_at) where next_at is not null;
create index memberships_charging on memberships (charge_at) where charge_at is not null;
create index memberships_by_customer on memberships (customer_id);
create index memberships_by_card on memberships (payment_method_id);

-- Every charge of a renewal that was begun. Written before the bank is asked, by the statement that changes
-- its membership, so no foreign key looks for that once more.
create table membership_charges (
  membership_id bigint not null,
  merchant_id bigint not null,
  -- When the period began that it is for.
  due_at timestamptz not null,
  attempt integer not null check (attempt >= 1),
  at timestamptz not null,
  payment_method_id bigint not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency char(3) not null,
  outcome text not null default 'open' check (outcome in ('open', 'approved', 'declined', 'unknown', 'not_sent', 'forbidden')),
  -- Given before the bank is asked: whoever tries again finds what the first one left.
  order_id bigint not null,
  transaction_id bigint not null unique,
  -- Why, as a sentence or two.
  reason text not null default '',
  primary key (membership_id, due_at, attempt)
);
-- A period is paid once, and charged by one attempt at a time.
create unique index membership_charges_paid_once on membership_charges (membership_id, due_at)
  where outcome = 'approved';
create unique index membership_charges_one_at_a_time on membership_charges (membership_id)
  where outcome = 'open';
-- What a card's history is read by: its declines decide when it may be charged again.
drop index orders_by_customer;
create index orders_by_customer on orders (customer_id, created_at);

alter table payment_methods
  -- When its expiry or number was last changed, by the merchant or the account updater.
  add column data_changed_at timestamptz,
  -- What the account updater last did, and the day it names.
  add column update_description text not null default '',
  add column updated_on date,
  add column updated_at timestamptz;

-- What came with an answer beside its code: how to go on, and what the account updater found.
create table card_news (
  transaction_id bigint primary key,
  merchant_id bigint not null,
  merchant_advice text not null default '',
  update_result char(1) check (update_result in ('A', 'C', 'E', 'Q')),
  at timestamptz not null
);

alter table order_lines add column membership_id bigint;

-- The payments of a subscription that its merchant manages, by the merchant's own id of it.
create index orders_by_membership_reference on orders (site_id, membership_reference)
  where membership_reference <> '';
