-- The sale of a membership that is under way holds its product for the customer, so that parallel
-- sign-ups begin one membership. A sale whose transaction no longer runs holds nothing: its row is
-- taken over by the next one, and a membership that began is found in memberships itself.
-- Locks nothing: the table is new.

create table membership_claims (
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  customer_id bigint not null,
  product text not null,
  merchant_id bigint not null,
  transaction_id bigint not null,
  claimed_at timestamptz not null,
  primary key (site_id, mode, customer_id, product)
);
