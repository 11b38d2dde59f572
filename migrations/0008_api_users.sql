-- API users: passwords in rotation, last use, where they may come from.

alter table api_users
  add column allowed_from cidr[] not null default '{}',
  add column made_at timestamptz not null default now(),
  add column made_by text not null default 'tollgate',
  add column last_used_at timestamptz,
  -- By an operator; idle days count from here too.
  add column enabled_at timestamptz,
  -- What may be shown anywhere: printable, and nothing that could be a card number.
  add constraint api_users_name_is_plain check (username ~ '^[!-~]{3,64}$' and username !~ '([0-9][^A-Za-z0-9]{0,2}){12}');

create table api_user_passwords (
  user_id bigint not null references api_users,
  -- 1, 2, 3, ... for each user; operators name a password by it.
  number integer not null check (number > 0),
  -- Two are live at most: each holds one of two places.
  place smallint not null check (place in (1, 2)),
  -- Slow. Passwords of one user share their salt, so that one slow computation compares with both.
  hash text not null,
  made_at timestamptz not null default now(),
  made_by text not null,
  last_used_at timestamptz,
  retired_at timestamptz,
  retired_by text,
  primary key (user_id, number),
  check ((retired_at is null) = (retired_by is null))
);
create unique index api_user_passwords_two_live on api_user_passwords (user_id, place)
  where retired_at is null;
insert into api_user_passwords (user_id, number, place, hash, made_by)
select id, 1, 1, password_hash, 'tollgate' from api_users;
alter table api_users drop column password_hash;

-- Attempts to log in that were not proved right, by user name and address. `caller` is a digest: what
-- is sent as a user name may be anything, a card number too. `open` of the attempts are being verified.
drop table login_failures;
create table login_failures (
  caller text primary key,
  window_started_at timestamptz not null,
  attempts integer not null check (attempts >= 0),
  open integer not null check (open between 0 and attempts),
  opened_at timestamptz not null,
  locked_until timestamptz
) with (fillfactor = 70);
create index login_failures_locked on login_failures (locked_until) where locked_until is not null;
create index login_failures_by_window on login_failures (window_started_at);

-- What each user ('user 12') and each site of the token service ('site 1001') may still send. No row is
-- a full bucket. Unlogged: it changes with all traffic and is full again some seconds later anyway.
create unlogged table request_buckets (
  caller text primary key,
  -- Millionths of a request: what flows in within a microsecond is a whole number of them.
  level bigint not null check (level >= 0),
  refilled_at timestamptz not null
) with (fillfactor = 50);

-- Leases parts of buckets to a process: for each caller as many requests as wait there, and of the rest
-- a half, at most p_portion, for those to come. Callers are distinct. `missing`: millionths that the
-- bucket is short of being full afterwards.
create function lease_requests(
  p_callers text[], p_waiting int[], p_per_second int, p_burst int, p_portion int, p_at timestamptz
) returns table (granted int, missing bigint) language plpgsql as $$
declare
  capacity bigint := p_burst * 1000000::bigint;
  present timestamptz;
  has bigint;
  room int;
begin
  -- Every bucket is made or locked in one sequence, so that groups of several nodes wait for each other
  -- and never in a circle. A conflict locks the row although nothing is changed.
  insert into request_buckets as b (caller, level, refilled_at)
  select c, capacity, coalesce(p_at, clock_timestamp()) from unnest(p_callers) c order by c
      on conflict (caller) do update set level = b.level where false;
  -- Read when nobody else can: what flowed in by then is counted once.
  present := coalesce(p_at, clock_timestamp());

  for n in 1 .. coalesce(array_length(p_callers, 1), 0) loop
    select least(capacity, b.level + p_per_second
                 * greatest(0, extract(epoch from present - b.refilled_at) * 1000000))
      into has from request_buckets b where b.caller = p_callers[n];
    room := has / 1000000;
    granted := least(room, p_waiting[n] + least(p_portion, greatest(0, room - p_waiting[n] + 1) / 2));
    has := has - granted * 1000000::bigint;
    update request_buckets b set level = has, refilled_at = present where b.caller = p_callers[n];
    missing := capacity - has;
    return next;
  end loop;
end $$;
