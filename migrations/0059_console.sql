-- Locks: data_keys, share row exclusive, milliseconds
-- Runs beside: 0056

-- Operators of the gateway, who sign in to the console. They belong to no merchant.
create table operators (
  id bigint generated always as identity primary key,
  email text not null unique
    check (email = lower(email) and email ~ '^[^@ ]+@[^@ ]+$' and length(email) <= 254),
  name text not null check (name <> '' and length(name) <= 100),
  role text not null check (role in ('owner', 'admin', 'viewer')),
  password_hash text,
  password_changed_at timestamptz not null default now(),
  active boolean not null default true,
  second_factor_ciphertext bytea,
  second_factor_data_key_id integer references data_keys,
  second_factor_set_at timestamptz,
  -- The time step of the last code: no code counts twice.
  second_factor_step bigint,
  created_at timestamptz not null default now(),
  enabled_at timestamptz not null default now(),
  last_seen_at timestamptz,
  constraint operators_second_factor_whole check (
    (second_factor_ciphertext is null) = (second_factor_data_key_id is null)
    and (second_factor_ciphertext is null) = (second_factor_set_at is null)
    and (second_factor_ciphertext is not null or second_factor_step is null))
);

-- Digests of tokens only, as for portal users.
create table operator_sessions (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators,
  token_digest bytea not null unique check (length(token_digest) = 32),
  csrf_token text not null,
  second_factor boolean not null default false,
  address text not null,
  browser text not null,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ended_at timestamptz
);
create index operator_sessions_by_operator on operator_sessions (operator_id) where ended_at is null;

create table operator_invitations (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators,
  kind text not null check (kind in ('invitation', 'reset')),
  token_digest bytea not null unique check (length(token_digest) = 32),
  made_by text not null,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  ended_at timestamptz
);
create unique index operator_invitations_one_open on operator_invitations (operator_id)
  where ended_at is null;

create table operator_recovery_codes (
  operator_id bigint not null references operators,
  digest bytea not null check (length(digest) = 32),
  used_at timestamptz,
  primary key (operator_id, digest)
);

create table operator_past_passwords (
  operator_id bigint not null references operators,
  hash text not null,
  replaced_at timestamptz not null default clock_timestamp(),
  primary key (operator_id, replaced_at)
);

-- Operations that need a second operator within 24 hours.
create table operator_requests (
  id bigint generated always as identity primary key,
  wanted json not null check (json_typeof(wanted) = 'object'),
  -- The merchant, account or operator that it changes, such as `merchant 7`; one at a time.
  subject text not null check (subject <> ''),
  -- The state of the subject when the request was made.
  seen text not null,
  reason text not null default '' check (length(reason) <= 500),
  state text not null default 'open'
    check (state in ('open', 'approved', 'refused', 'withdrawn', 'void', 'expired')),
  asked_by bigint not null references operators,
  asked_session bigint not null,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  decided_by bigint references operators,
  decided_session bigint,
  decided_at timestamptz,
  constraint operator_requests_decided_with_a_time check ((state = 'open') = (decided_at is null)),
  constraint operator_requests_decided_by_an_operator check (
    state not in ('approved', 'refused', 'withdrawn')
    or (decided_by is not null and decided_session is not null)),
  constraint operator_requests_need_two_operators check (
    state not in ('approved', 'refused')
    or (decided_by <> asked_by and decided_session <> asked_session)),
  constraint operator_requests_not_decided_by_their_subject check (
    decided_by is null or state = 'withdrawn' or subject <> 'operator ' || decided_by)
);
create unique index operator_requests_one_open on operator_requests (subject) where state = 'open';
