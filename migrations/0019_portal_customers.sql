-- Customers, their cards and their memberships, as people look after them in the portal.

-- A card that was taken away: its number is erased, the rest stays for the books.
alter table payment_methods
  alter column pan_ciphertext drop not null,
  alter column data_key_id drop not null,
  add column removed_at timestamptz,
  add constraint payment_methods_number_until_removed
    check (num_nulls(pan_ciphertext, data_key_id) = case when removed_at is null then 0 else 2 end);

-- What people did to memberships. The page makes the key when it asks, so that nothing is done twice.
create table membership_acts (
  merchant_id bigint not null,
  key uuid not null,
  membership_id bigint not null references memberships,
  -- The membership's, once it was done.
  version bigint not null,
  actor text not null,
  -- What was asked for, as JSON: the same key must not come with anything else.
  wish text not null,
  -- A sentence.
  what text not null,
  at timestamptz not null,
  primary key (merchant_id, key)
);
create index membership_acts_of_membership on membership_acts (membership_id, version);

-- Lists of memberships: by state the newest first, by when they do something next, and of a product.
create index memberships_by_state on memberships (merchant_id, state, id);
create index memberships_by_next on memberships (merchant_id, next_at, id) where next_at is not null;
create index memberships_of_product on memberships (site_id, product, id);

-- The list of customers, and the shop's own reference; what else they are looked up by has its index
-- where orders are searched. Who sends no reference pays nothing for it.
create index customers_by_merchant on customers (merchant_id, id);
create index customers_by_reference on customers (merchant_id, reference) where reference <> '';
