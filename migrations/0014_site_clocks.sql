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
  changed_by text not null,
  changed_at timestamptz not null default now(),
  leased_until timestamptz,
  constraint site_clocks_move_forward check (target_at is null or target_at >= site_at)
);

-- What a site's clock shows while the machine's shows `machine_time`: that time itself, for all but few.
create function site_time(site bigint, machine_time timestamptz) returns timestamptz
  language sql stable parallel safe
  return coalesce(
    (select case when c.speed = 1 and c.target_at is null
                 then c.site_at + greatest(machine_time - c.real_at, interval '0') else c.site_at end
       from site_clocks c where c.site_id = site),
    machine_time);
