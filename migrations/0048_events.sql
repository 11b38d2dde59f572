-- Events: a feed of everything that happened, for merchants' programs. New tables, and a right of
-- API users that those from before this migration do not have.

-- The facts that have no position yet. Each is written in the transaction that makes the fact. No
-- index, no constraint, and nothing that the fact's own rows say: every payment pays for it.
create table event_outbox (
  -- Drawn while the fact's rows are locked, so that facts of one object are numbered in sequence.
  n bigint generated always as identity (start with 1 cache 1),
  type text not null,
  merchant_id bigint not null,
  site_id bigint,
  object_id bigint not null,
  transaction_id bigint,
  recorded_at timestamptz not null default now(),
  -- What the rows of the fact do not say, or not for ever.
  details json
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The last position of the feed, and what a pass of the numbering goes on from.
create table event_head (
  only_one boolean primary key default true check (only_one),
  position bigint not null,
  -- By the machine's clock. It never goes back, so that days follow each other as positions do.
  numbered_at timestamptz not null,
  -- Facts with numbers up to it were taken, except those whose transactions were open.
  looked_to bigint not null,
  -- Orders from this id on have all their events in the feed.
  first_order_id bigint not null
) with (fillfactor = 50);
insert into event_head (position, numbered_at, looked_to, first_order_id)
  select 0, '-infinity', 0, coalesce(max(id), 0) + 1 from orders;

-- One row for each line of history: a promoted standby or a restored copy begins another one.
create table event_epochs (
  epoch integer primary key,
  system_identifier text not null,
  timeline integer not null,
  first_position bigint not null,
  began_at timestamptz not null default now()
);

-- The last sequence number of each object that had several events, or whose first is not known when
-- it is written: most orders have one event at first, and no row.
create table event_objects (
  type text collate "C" not null,
  id bigint not null,
  sequence bigint not null,
  primary key (id, type)
) with (fillfactor = 80);

-- What is answered follows from the rows of the fact when the event is read.
create table events (
  day date not null,
  position bigint not null,
  merchant_id bigint not null,
  site_id bigint,
  type text not null,
  object_id bigint not null,
  -- Of the object, from 1.
  sequence bigint not null,
  transaction_id bigint,
  -- Random, and the same for all events of a pass: the event's id is made of it and of the position.
  -- A position that is given twice after a lost commit would name two facts.
  salt bigint not null,
  -- By the site's clock, where no row of the fact has the time.
  at timestamptz not null,
  recorded_at timestamptz not null,
  details json,
  primary key (merchant_id, day, position)
) partition by range (day);

create function refuse_to_rewrite_events() returns trigger language plpgsql as $$
begin
  raise exception 'Events never change: days of them are dropped when their retention is over.'
    using errcode = 'check_violation', constraint = 'events_never_change';
end
$$;

create trigger events_never_change before update or delete or truncate on events
  for each statement execute function refuse_to_rewrite_events();

-- The days whose partition there is. Days without an event have none.
create table event_days (
  id bigint generated always as identity (start with 1) primary key,
  day date not null unique,
  first_position bigint not null
);

-- A role that only serves owns no table: the two functions make and drop partitions in its place. A
-- partition is attached rather than created in place, which would lock the feed against readers.
create function open_event_day(opened date, first bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  partition text := 'events_' || to_char(opened, 'YYYY_MM_DD');
begin
  insert into event_days (day, first_position) values (opened, first) on conflict do nothing;
  if not found then return; end if;
  execute format('create table %I (like events including all)', partition);
  execute format('alter table events attach partition %I for values from (%L) to (%L)',
                 partition, opened, opened + 1);
  execute format('create trigger events_never_change before update or delete or truncate on %I
                    for each statement execute function refuse_to_rewrite_events()', partition);
end
$$;
create function drop_event_day(dropped date) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from event_days where day = dropped;
  if found then execute format('drop table %I', 'events_' || to_char(dropped, 'YYYY_MM_DD')); end if;
end
$$;

-- How far authorizations that are about to expire were announced; site 0 stands for all sites that
-- go by the machine's clock.
create table event_expiring_marks (
  site_id bigint primary key,
  -- Of the last one: when it expires, and its order.
  until timestamptz not null,
  order_id bigint not null
);

alter table api_users add column reads_api boolean not null default false;
