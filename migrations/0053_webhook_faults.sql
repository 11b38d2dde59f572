-- Faults of deliveries that an integrator asks for at an endpoint of a test site.

create table webhook_faults (
  id bigint generated always as identity (start with 1) primary key,
  endpoint_id bigint not null references webhook_endpoints on delete cascade,
  site_id bigint not null references sites,
  kind text not null
    check (kind in ('delay', 'double', 'reorder', 'lose', 'forge', 'stale')),
  -- Its events: a type, or a prefix that ends with a full stop; '' for all.
  type text not null,
  -- Of a hundred such events.
  share integer not null check (share between 1 and 100),
  -- How long an event is held back, by the site's clock.
  seconds integer not null check (seconds between 1 and 86400),
  -- Events that still meet the fault; null: until it is removed.
  events_left integer check (events_left between 0 and 1000)
);
create index webhook_faults_of_endpoint on webhook_faults (endpoint_id, id);

-- The fault that an attempt played; '' for none. An event meets one at most.
alter table webhook_attempts
  add column played text not null default ''
    check (played in ('', 'delay', 'double', 'reorder', 'lose', 'forge', 'stale'));

-- The next delivery of its object goes first, as a fault has it.
alter table webhook_deliveries
  add column yields boolean not null default false,
  add constraint concluded_deliveries_yield_to_none check (not yields or state = 'pending');
create index webhook_deliveries_yielding on webhook_deliveries (endpoint_id, due_at, position)
  where yields;

-- Only endpoints of test sites have faults, whatever the code does.
create function refuse_faults_of_live_site() returns trigger language plpgsql as $$
begin
  -- Locked, so that it cannot go live meanwhile.
  perform from sites s join webhook_endpoints e on e.site_id = s.id
    where s.id = new.site_id and e.id = new.endpoint_id and s.mode = 'test' for share of s;
  if not found then
    raise exception 'site % is not in test mode, so its webhooks have no faults', new.site_id
      using errcode = 'check_violation', constraint = 'webhook_faults_of_test_sites';
  end if;
  return new;
end $$;
create trigger webhook_faults_of_test_sites before insert or update of site_id, endpoint_id
  on webhook_faults for each row execute function refuse_faults_of_live_site();

create function drop_faults_of_live_site() returns trigger language plpgsql as $$
begin
  delete from webhook_faults where site_id = new.id;
  return null;
end $$;
create trigger sites_lose_their_faults after update of mode on sites
  for each row when (new.mode = 'live') execute function drop_faults_of_live_site();
