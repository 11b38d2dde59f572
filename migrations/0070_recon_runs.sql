-- Locks: none
-- Runs beside: 0056

-- The runs of tollgate recon that compared everything they were to compare: the next one with
-- --since-last goes on from both positions, which were noted before such a run read anything.
create table operator_recon_runs (
  id bigint generated always as identity (start with 1) primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  is_full boolean not null,
  -- Of the feed of events, and of the bank's journal.
  position bigint not null,
  bank_position text not null
);

-- The orders that the next run compares besides those that have changed: they were open when the
-- last noted run began, or they differed in it.
create table operator_recon_orders (
  order_id bigint primary key,
  reason text not null check (reason in ('open', 'found'))
);

-- The orders that only the bank knew in that run, by acquirer, terminal, STAN and time.
create table operator_recon_bank_orders (
  bank_key text primary key
);
