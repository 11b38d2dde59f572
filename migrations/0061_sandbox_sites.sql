-- Locks: merchant_accounts, access exclusive, reads the table
-- Locks: site_resets, access exclusive, milliseconds
-- Locks: sites, share row exclusive, milliseconds
-- Runs beside: 0056

-- The card brands that an account takes, null for all, and the fields that its payments must have.
alter table merchant_accounts
  add column brands text[],
  add column required_fields text[] not null default '{}',
  add constraint merchant_accounts_take_a_brand check (cardinality(brands) > 0),
  add constraint merchant_accounts_required_fields_check check (required_fields <@ array[
    'security_code', 'country', 'birthday', 'ssn', 'address', 'city', 'state', 'postal_code',
    'phone', 'ip_address', 'tax_number', 'email', 'first_name', 'last_name']);

-- Resets are requested by API users and by the gateway too.
alter table site_resets alter column portal_user_id drop not null;

-- Sites that a test made for itself. The row stays when the site has ended: no id is used again.
create table throwaway_sites (
  site_id bigint primary key references sites,
  merchant_id bigint not null,
  made_at timestamptz not null default now(),
  made_by text not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- Personal data up to this customer are erased.
  erased_customers bigint not null default 0,
  -- A process works on the removal, and the others leave it for a while.
  looked_at timestamptz,
  removed_at timestamptz,
  check (removed_at is null or ended_at is not null)
);

create index throwaway_sites_open on throwaway_sites (merchant_id) where ended_at is null;
create index throwaway_sites_to_remove on throwaway_sites (site_id)
  where ended_at is not null and removed_at is null;

create function refuse_live_throwaway_site() returns trigger language plpgsql as $$
begin
  if exists (select from throwaway_sites where site_id = new.id) then
    raise exception 'Site % was made for a test and stays in test mode.', new.id
      using errcode = 'check_violation', constraint = 'throwaway_sites_stay_in_test_mode';
  end if;
  return new;
end $$;

create trigger throwaway_sites_stay_in_test_mode before update of mode on sites
  for each row when (new.mode = 'live') execute function refuse_live_throwaway_site();
