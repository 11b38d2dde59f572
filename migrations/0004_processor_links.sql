-- Links to acquirers beside the bundled bank, and what keeps test and live apart.

create table processor_links (
  id bigint generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  mode text not null check (mode in ('test', 'live')),
  -- host:port, an IPv6 address in brackets; the second is the standby.
  addresses text[] not null check (cardinality(addresses) between 1 and 2),
  profile text not null check (profile in ('house', 'house-bcd')),
  -- DE 32 of the link's own messages: sign-on and echo.
  institution_id text not null check (institution_id ~ '^[1-9][0-9]{0,10}$'),
  echo_idle_seconds integer not null check (echo_idle_seconds between 1 and 3600),
  request_window integer not null check (request_window between 1 and 4096),
  message_timeout_ms integer not null check (message_timeout_ms between 100 and 120000),
  -- PEM. Without a CA the link is in plain text.
  tls_ca text,
  tls_certificate text,
  -- Format as payment_methods.pan_ciphertext, bound to the link's name.
  tls_key_ciphertext bytea,
  tls_key_data_key_id integer references data_keys,
  -- Grows with each change; gateways connect anew when it does.
  revision integer not null default 1,
  changed_at timestamptz not null default now(),
  constraint processor_links_client_certificate_has_its_key
    check ((tls_certificate is null) = (tls_key_ciphertext is null)
       and (tls_key_ciphertext is null) = (tls_key_data_key_id is null)),
  constraint processor_links_client_certificate_needs_tls
    check (tls_certificate is null or tls_ca is not null),
  -- What the accounts' foreign key refers to.
  unique (id, mode)
);

alter table merchant_accounts
  -- Null is the bundled bank.
  add column processor_link_id bigint,
  -- Requests of a live site that name this test account mean the live one.
  add column stands_for bigint unique references merchant_accounts,
  add constraint merchant_accounts_use_a_link_of_their_mode
    foreign key (processor_link_id, mode) references processor_links (id, mode),
  add constraint merchant_accounts_live_have_a_link check (mode = 'test' or processor_link_id is not null),
  add constraint merchant_accounts_live_stand_for_test check (stands_for is null or mode = 'live');

-- What an order's authorization went to is what its captures and reversals must go to.
create function refuse_another_bank() returns trigger language plpgsql as $$
begin
  raise exception 'Merchant account % stays with its bank: another bank needs another account.', old.id
    using errcode = 'check_violation', constraint = 'merchant_accounts_stay_with_their_bank';
end $$;

create trigger merchant_accounts_stay_with_their_bank
  before update on merchant_accounts for each row
  when (old.mode <> new.mode or old.merchant_id <> new.merchant_id
     or old.acquirer_id <> new.acquirer_id
     or old.acquirer_merchant_id <> new.acquirer_merchant_id
     or old.processor_link_id is distinct from new.processor_link_id)
  execute function refuse_another_bank();

-- How each gateway process last saw its links. Worth nothing after a crash.
create unlogged table processor_link_states (
  link_id bigint not null references processor_links on delete cascade,
  worker text not null,
  state text not null,
  address text not null,
  signed_on_since timestamptz,
  last_error text,
  in_flight integer not null,
  reported_at timestamptz not null,
  primary key (link_id, worker)
);

-- References, login names and customers belong to a mode; everything until now was test.
alter table order_claims add column mode text not null default 'test' check (mode in ('test', 'live'));
alter table order_claims alter column mode drop default;
alter table order_claims drop constraint order_claims_pkey;
alter table order_claims add primary key (site_id, reference, mode);

alter table customer_logins add column mode text not null default 'test' check (mode in ('test', 'live'));
alter table customer_logins alter column mode drop default;
alter table customer_logins drop constraint customer_logins_pkey;
alter table customer_logins add primary key (site_id, login, mode);

alter table customers add column mode text not null default 'test' check (mode in ('test', 'live'));
alter table customers alter column mode drop default;
