-- Lists of orders and transactions in the portal, and what they are searched by.

-- The lists themselves: pages go on behind the last row of the one before.
create index orders_by_merchant on orders (merchant_id, created_at, id);
create index transactions_by_merchant on transactions (merchant_id, created_at, id);

-- What people have in hand. Rows that lack it cost nothing.
-- Only once it is concluded: a payment gets one entry, not another one for each version of its row.
create index transactions_by_amount on transactions (merchant_id, amount_minor) where concluded_at is not null;
create index payment_methods_by_last4 on payment_methods (merchant_id, last4);
create index customers_by_email on customers (merchant_id, lower(email)) where email <> '';
create index customers_by_name on customers (merchant_id, lower(last_name || ' ' || first_name) text_pattern_ops)
  where last_name <> '';

-- Filters, sequence and columns that somebody gave a name; those that are shared are seen by all people
-- of the merchant.
create table portal_order_views (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  person_id bigint not null references portal_people,
  list text not null check (list in ('orders', 'transactions')),
  name text not null check (length(name) between 1 and 80),
  -- The search of the page's address, without a leading question mark.
  search text not null check (length(search) <= 4000),
  shared boolean not null default false,
  created_at timestamptz not null default now(),
  constraint portal_order_views_one_of_each_name unique (person_id, list, name)
);
create index portal_order_views_by_merchant on portal_order_views (merchant_id, list);

-- The columns that somebody last chose for a list.
create table portal_list_columns (
  person_id bigint not null references portal_people,
  list text not null check (list in ('orders', 'transactions')),
  columns text[] not null,
  primary key (person_id, list)
);
