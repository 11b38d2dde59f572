-- The time zone of a merchant: its days in lists, files, the home page and charts, and the zone in which
-- the portal shows times. Nothing that is stored depends on it, so a change moves no figure of a batch.
-- Locks merchants for the moment in which the column is added; a constant default rewrites no row.

alter table merchants
  add column time_zone text not null default 'UTC'
    -- Raises for a name that PostgreSQL does not know.
    constraint merchants_time_zone_is_known check (timezone(time_zone, timestamptz 'epoch') is not null);
