-- Receivers of the sandbox: they catch the webhooks of a test site for an integrator without a
-- server. New tables only.

create table webhook_receivers (
  -- Part of an address that needs no login, so it cannot be guessed.
  id text primary key check (id ~ '^rcv_[A-Za-z0-9_-]{32}$'),
  site_id bigint not null references sites,
  endpoint_id bigint not null unique references webhook_endpoints on delete cascade,
  -- How requests are answered: with a status, byte by byte, never, or by a closed connection.
  manner text not null default 'answer' check (manner in ('answer', 'trickle', 'hang', 'close')),
  status integer not null default 204 check (status between 200 and 599),
  retry_after_s integer check (retry_after_s between 0 and 86400),
  delay_ms integer not null default 0 check (delay_ms between 0 and 30000),
  -- Requests that are answered so; null: until it is changed.
  answers_left integer check (answers_left between 1 and 1000),
  created_at timestamptz not null default now()
);
create index webhook_receivers_of_site on webhook_receivers (site_id);

-- Requests that receivers caught, with card numbers masked. The newest of a site are kept.
create table caught_webhooks (
  id bigint generated always as identity (start with 1) primary key,
  receiver_id text not null references webhook_receivers on delete cascade,
  site_id bigint not null,
  -- By the clock of the machine, and by that of the site.
  at timestamptz not null,
  site_at timestamptz not null,
  -- Of the request; empty if it names none.
  event_id text not null,
  event_type text not null,
  verdict text not null check (verdict in ('current', 'previous', 'wrong', 'missing', 'too_old')),
  -- Name and value of each header.
  headers jsonb not null,
  body text not null,
  body_bytes integer not null check (body_bytes between 0 and 65536),
  -- The answer, as the receiver was asked to give it.
  manner text not null check (manner in ('answer', 'trickle', 'hang', 'close')),
  status integer not null
);
create index caught_webhooks_of_site on caught_webhooks (site_id, id);

-- Only sites in test mode have a receiver, whatever the code does.
create function refuse_receiver_of_live_site() returns trigger language plpgsql as $$
begin
  -- Locked, so that it cannot go live meanwhile.
  perform from sites where id = new.site_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it has no receiver', new.site_id
      using errcode = 'check_violation', constraint = 'webhook_receivers_of_test_sites';
  end if;
  return new;
end $$;
create trigger webhook_receivers_of_test_sites before insert or update of site_id
  on webhook_receivers for each row execute function refuse_receiver_of_live_site();

-- The endpoint goes with its receiver: it would send live events to an address of the sandbox.
create function drop_receivers_of_live_site() returns trigger language plpgsql as $$
begin
  delete from webhook_endpoints
   where id in (select endpoint_id from webhook_receivers where site_id = new.id);
  return null;
end $$;
create trigger sites_lose_their_receivers after update of mode on sites
  for each row when (new.mode = 'live') execute function drop_receivers_of_live_site();
