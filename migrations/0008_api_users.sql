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
