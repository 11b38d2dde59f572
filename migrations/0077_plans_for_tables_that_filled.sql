-- Locks: none
-- Runs beside: 0056

-- PostgreSQL plans a named statement once. For a table that a vacuum found empty, all its indexes
-- cost the same, and the plan may read one of them whole. Autovacuum analyzes a table that has
-- filled after a minute at the earliest, and under load much later. This does it at once, and new
-- statistics make PostgreSQL plan again. A table that was never analyzed counts as one of ten pages
-- and has good plans, so it is left alone. Returns the number of tables.
create function analyze_filled_tables() returns int
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  filled regclass;
  analyzed int := 0;
begin
  if not has_table_privilege(session_user, 'orders', 'insert') then
    raise insufficient_privilege using message = 'permission denied for the statistics of tables';
  end if;
  for filled in
    select oid from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and reltuples between 0 and 99 and pg_stat_get_live_tuples(oid) >= 200
       -- A table whose rows come and go would be planned for again and again.
       and coalesce(pg_stat_get_last_analyze_time(oid) < now() - interval '1 minute', true)
  loop
    -- A vacuum that has the lock brings statistics of its own.
    execute format('analyze (skip_locked) %s', filled);
    analyzed := analyzed + 1;
  end loop;
  return analyzed;
end
$$;
