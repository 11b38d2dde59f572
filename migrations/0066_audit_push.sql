-- Locks: none
-- Runs beside: 0056

-- How far the audit log was sent to the operator's receiver. One node sends at a time.
create table audit_push (
  only_one boolean primary key default true check (only_one),
  -- The last entry that the receiver has; 0 for none.
  number bigint not null default 0 check (number >= 0),
  -- Counts the leases: only the holder of the latest one moves the position.
  claims bigint not null default 0,
  leased_until timestamptz not null default '-infinity'
);
insert into audit_push default values;
