-- Webhooks: addresses of merchants' programs that events are posted to. New tables only. Payments
-- write nothing into them: a job takes events out of the feed.

create table webhook_endpoints (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  site_id bigint not null references sites,
  url text not null,
  -- Types, or prefixes that end with a full stop; empty for all.
  types text[] not null,
  state text not null default 'enabled' check (state in ('enabled', 'paused', 'disabled')),
  -- Why it is paused or disabled; '' while it is enabled.
  reason text not null default '' check (reason in ('', 'requested', 'failing', 'gone')),
  -- Events of the feed up to it have their deliveries.
  position bigint not null,
  -- Attempts that failed since the last one that succeeded, and when the first of them was.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  -- Nothing is sent before it.
  wait_until timestamptz,
  created_at timestamptz not null default now(),
  constraint a_reason_for_each_pause check ((state = 'enabled') = (reason = '')),
  constraint failures_have_a_beginning check ((failures = 0) = (failing_since is null))
) with (fillfactor = 70);
create index webhook_endpoints_of_site on webhook_endpoints (site_id);

-- Two secrets of an endpoint sign at once: the newest, and the one before it.
create table webhook_secrets (
  id bigint generated always as identity (start with 1) primary key,
  endpoint_id bigint not null references webhook_endpoints on delete cascade,
  generation text not null check (generation in ('current', 'previous')),
  secret_ciphertext bytea not null,
  data_key_id integer not null references data_keys,
  made_at timestamptz not null default now(),
  unique (endpoint_id, generation)
);

-- An event for an endpoint. Its content is read from the feed for each attempt.
create table webhook_deliveries (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  endpoint_id bigint not null references webhook_endpoints on delete cascade,
  day date not null,
  position bigint not null,
  event_id text not null,
  type text not null,
  -- Deliveries of one object go out one after another.
  object text not null,
  object_id bigint not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- Attempts of this round: a repeated delivery begins again.
  attempts integer not null default 0 check (attempts between 0 and 12),
  -- By the site's clock.
  due_at timestamptz not null,
  -- By the database's clock: a process that died leaves its claim until then.
  leased_until timestamptz not null default '-infinity',
  -- Each claim has its number, so that the result of an old one is not written.
  claims integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (endpoint_id, position),
  constraint ended_deliveries_have_a_time check ((state = 'pending') = (ended_at is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where state = 'pending';
create index webhook_deliveries_in_turn
  on webhook_deliveries (endpoint_id, object, object_id, position) where state = 'pending';

-- What was sent and answered.
create table webhook_attempts (
  id bigint generated always as identity (start with 1) primary key,
  delivery_id bigint not null references webhook_deliveries on delete cascade,
  -- By the clock of the machine.
  at timestamptz not null,
  duration_ms integer not null,
  request_bytes integer not null,
  -- Null where no answer came.
  status integer,
  -- '' for success.
  fault text not null,
  -- The beginning of the answer, with card numbers masked.
  answer text not null
);
create index webhook_attempts_of_delivery on webhook_attempts (delivery_id);
