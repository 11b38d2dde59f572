-- No site enters live mode without its record in the same transaction: the audit entry of the
-- operator's command, or that entry and the approval of a second portal user. Sites that are live
-- already stay so. Creating a trigger locks sites against writes until the migration commits.

create function hold_live_site_to_its_record() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  mover text;
begin
  -- A transaction holds the head of the audit log from its first entry to its end, so its entries
  -- are the last ones.
  select e.actor into mover
    from (select number, xmin as written_by, actor, operation, object, result, details
            from audit_entries order by number desc limit 100) e
   where e.written_by = pg_current_xact_id()::xid
     and e.operation = 'site.mode_set' and e.object = 'site ' || new.id and e.result = 'done'
     and e.details::json ->> 'after' = 'live'
   limit 1;
  if mover is null
     or (mover not like 'operator:%' and not exists (
           select from go_live_requests r
            where r.site_id = new.id and r.wanted_mode = 'live' and r.state = 'approved'
              and r.xmin = pg_current_xact_id()::xid)) then
    raise exception
      'Site % cannot be live without a record: two portal users or "tollgate sites set-mode" move it.',
      new.id
      using errcode = 'check_violation', constraint = 'sites_live_have_a_record';
  end if;
  return null;
end $$;

-- At the commit, because the record is written after the move.
create constraint trigger sites_live_have_a_record_when_new after insert on sites
  deferrable initially deferred for each row
  when (new.mode = 'live') execute function hold_live_site_to_its_record();
create constraint trigger sites_live_have_a_record after update of mode on sites
  deferrable initially deferred for each row
  when (new.mode = 'live' and old.mode <> 'live') execute function hold_live_site_to_its_record();
