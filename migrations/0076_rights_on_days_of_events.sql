-- Locks: none
-- Runs beside: 0056

-- Any role may call a function, so each of the two looks at what the role itself may do. A role
-- that only reads could make a day of the feed, and drop one with its events.
create or replace function open_event_day(opened date, first bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  partition text := 'events_' || to_char(opened, 'YYYY_MM_DD');
begin
  if not has_table_privilege(session_user, 'event_days', 'insert') then
    raise insufficient_privilege using message = 'permission denied for the days of events';
  end if;
  insert into event_days (day, first_position) values (opened, first) on conflict do nothing;
  if not found then return; end if;
  execute format('create table %I (like events including all)', partition);
  execute format('alter table events attach partition %I for values from (%L) to (%L)',
                 partition, opened, opened + 1);
  execute format('create trigger events_never_change before update or delete or truncate on %I
                    for each statement execute function refuse_to_rewrite_events()', partition);
end
$$;

create or replace function drop_event_day(dropped date) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not has_table_privilege(session_user, 'event_days', 'delete') then
    raise insufficient_privilege using message = 'permission denied for the days of events';
  end if;
  delete from event_days where day = dropped;
  if found then execute format('drop table %I', 'events_' || to_char(dropped, 'YYYY_MM_DD')); end if;
end
$$;
