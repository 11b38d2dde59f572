-- Clocks of test sites that do not show the machine's time.

-- At `real_at` by the machine's clock the site's showed `site_at`; it has gone `speed` times as fast since.
create table site_clocks (
  site_id bigint primary key references sites,
  site_at timestamptz not null,
  real_at timestamptz not null,
  -- 0: stands still.
  speed integer not null default 1 check (speed between 0 and 1000000),
  -- Where it is being moved to, through everything that is due on the way; null: nowhere.
  target_at timestamptz,
  -- Where the latest move began, and how much of what was done on it.
  moved_from timestamptz,
  done jsonb not null default '{}',
  made_at timestamptz not null default now(),
  changed_by text not null,
  changed_at timestamptz not null default now(),
  -- Whoever looks after it has it until then, by the database's own time, under this number.
  leased_until timestamptz,
  lease bigint not null default 0,
  -- When somebody is to look after it next.
  look_at timestamptz not null default now(),
  constraint site_clocks_move_forward check (target_at is null or target_at >= site_at),
  -- Messages to the bank can tell no later time.
  constraint site_clocks_end check (site_at < '2100-01-01Z' and (target_at is null or target_at < '2100-01-01Z'))
);

-- What a site's clock shows while the machine's shows `machine_time`: that time itself, for all but few.
create function site_time(site bigint, machine_time timestamptz) returns timestamptz
  language sql stable parallel safe
  return coalesce(
    (select case when c.speed = 1 and c.target_at is null
                 then c.site_at + greatest(machine_time - c.real_at, interval '0') else c.site_at end
       from site_clocks c where c.site_id = site),
    machine_time);

-- Only sites in test mode have one, whatever the code does.
create function refuse_clock_of_live_site() returns trigger language plpgsql as $$
begin
  -- Locked, so that it can't go live meanwhile.
  perform from sites where id = new.site_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it goes by the real time', new.site_id
      using errcode = 'check_violation', constraint = 'site_clocks_of_test_sites';
  end if;
  return new;
end $$;
create trigger site_clocks_of_test_sites before insert or update of site_id on site_clocks
  for each row execute function refuse_clock_of_live_site();

create function drop_clock_of_live_site() returns trigger language plpgsql as $$
begin
  delete from site_clocks where site_id = new.id;
  return null;
end $$;
create trigger sites_lose_their_clock after update of mode on sites
  for each row when (new.mode = 'live') execute function drop_clock_of_live_site();

-- What becomes due at one site: whoever moves its clock asks again and again. Live sites pay nothing.
create index orders_to_release_of_test_sites on orders (site_id, expires_at)
  where expires_at is not null and released_at is null and mode = 'test';
create index card_tokens_to_erase_of_test_sites on card_tokens (site_id, expires_at)
  where pan_ciphertext is not null and mode = 'test';
create index three_ds_authentications_open_of_test_sites on three_ds_authentications (site_id, expires_at)
  where state in ('asking', 'challenge', 'result') and mode = 'test';
