-- A declined payment answers its own repeats for two minutes, so its claim on the reference stays.
--
-- Locks order_claims against everything else while the two checks read the table: about a second
-- for ten million rows. A gateway of an earlier version that still serves repeats a declined
-- payment without a limit of time, and refuses the reference in mode 1, until it is replaced.

alter table order_claims drop constraint order_claims_state_check;
alter table order_claims
  -- Keyed digest of everything that may make another request for the same payment end differently.
  add column details bytea,
  -- When the payment that holds or held the reference was concluded.
  add column ended_at timestamptz,
  -- Declined payments that held the reference before: transaction, details, at; the latest first.
  add column earlier jsonb not null default '[]',
  add constraint order_claims_state_check check (state in ('running', 'approved', 'declined')),
  add constraint order_claims_declined_are_dated
    check (state <> 'declined' or (details is not null and ended_at is not null));
