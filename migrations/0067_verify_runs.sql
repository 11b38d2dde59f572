-- Locks: none
-- Runs beside: 0056

-- The runs of verify that found nothing wrong: the next one with --since-last goes on from the last
-- position of events that was there when such a run began.
create table verify_runs (
  id bigint generated always as identity (start with 1) primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  is_full boolean not null,
  position bigint not null
);

-- The orders that the next run checks besides those with later events: they were open when the last
-- good run began, or a run found something wrong with them.
create table verify_orders (
  order_id bigint primary key,
  reason text not null check (reason in ('open', 'found'))
);
