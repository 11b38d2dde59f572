-- Locks: merchants, share row exclusive, milliseconds
-- Locks: operators, share row exclusive, milliseconds
-- Runs beside: 0056

-- Visits of operators to the portal of a merchant. A visit reads only, and ends by itself.
create table support_visits (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators,
  -- The session at the console in which it was begun: no other one can use it.
  operator_session bigint not null,
  merchant_id bigint not null references merchants,
  reason text not null check (length(reason) between 3 and 200),
  begun_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- As the audit log names the one who ended it; empty where its time or its session was over.
  ended_by text,
  constraint support_visits_last_four_hours check (
    expires_at > begun_at and expires_at <= begun_at + interval '4 hours'),
  constraint support_visits_end_with_an_author check ((ended_at is null) = (ended_by is null))
);
create unique index support_visits_one_open on support_visits (operator_id) where ended_at is null;
create index support_visits_of_merchant on support_visits (merchant_id, id);
