-- People who work in the portal, and where they are signed in.

create table portal_people (
  id bigint generated always as identity (start with 101) primary key,
  merchant_id bigint not null references merchants,
  -- What they sign in with; lower case, so that there is one of each.
  email text not null unique check (email = lower(email) and email ~ '^[^@ ]+@[^@ ]+$' and length(email) <= 254),
  name text not null check (name <> '' and length(name) <= 100),
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'read_only')),
  -- Null until the invitation was taken up, and after a reset until that was.
  password_hash text,
  -- Of a password of the sandbox, which everybody knows; until they have another one, it is the one above.
  published_password_hash text,
  password_changed_at timestamptz not null default now(),
  active boolean not null default true,
  -- What they may return of one order in all, in minor units of the currency; null for no limit.
  refund_limit_minor bigint check (refund_limit_minor >= 0),
  refund_limit_currency char(3),
  -- The secret of their one-time codes, under a data key; null where there is no second factor.
  second_factor_ciphertext bytea,
  second_factor_data_key_id integer references data_keys,
  second_factor_set_at timestamptz,
  -- The time step of the last code that was taken: no code is taken twice.
  second_factor_step bigint,
  created_at timestamptz not null default now(),
  -- Days without a sign-in count from here when there was none since.
  enabled_at timestamptz not null default now(),
  last_seen_at timestamptz,
  constraint portal_people_refund_limit_whole
    check ((refund_limit_minor is null) = (refund_limit_currency is null)),
  constraint portal_people_second_factor_whole
    check ((second_factor_ciphertext is null) = (second_factor_data_key_id is null)
       and (second_factor_ciphertext is null) = (second_factor_set_at is null)
       and (second_factor_ciphertext is not null or second_factor_step is null))
);
create index portal_people_by_merchant on portal_people (merchant_id);

-- A merchant that had an owner who may sign in keeps one. The lock on the merchant puts two owners who
-- take the role from each other in sequence; the count behind it sees what the first one did.
create function hold_last_owner() returns trigger language plpgsql as $$
begin
  perform from merchants where id = old.merchant_id for no key update;
  if not exists (select from portal_people
                  where merchant_id = old.merchant_id and role = 'owner' and active) then
    raise exception 'A merchant keeps one owner who is active.'
      using errcode = 'check_violation', constraint = 'portal_people_keep_an_owner';
  end if;
  return null;
end $$;
create trigger portal_people_keep_an_owner after update of role, active on portal_people
  for each row when (old.role = 'owner' and old.active and not (new.role = 'owner' and new.active))
  execute function hold_last_owner();

-- Hashes of earlier passwords, so that none of the last ones is taken again.
create table portal_past_passwords (
  person_id bigint not null references portal_people,
  hash text not null,
  replaced_at timestamptz not null default clock_timestamp(),
  primary key (person_id, replaced_at)
);

-- For who lost the device with the second factor; each works once.
create table portal_recovery_codes (
  person_id bigint not null references portal_people,
  digest bytea not null check (length(digest) = 32),
  used_at timestamptz,
  primary key (person_id, digest)
);

create table portal_sessions (
  id bigint generated always as identity primary key,
  person_id bigint not null references portal_people,
  -- SHA-256 of what the cookie holds: whoever reads this table can't sign in with it.
  token_digest bytea not null unique check (length(token_digest) = 32),
  -- What pages send along with everything that changes something.
  csrf_token text not null,
  -- Whether a code of the second factor was given, or a recovery code.
  second_factor boolean not null default false,
  address text not null,
  browser text not null,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ended_at timestamptz
);
create index portal_sessions_by_person on portal_sessions (person_id) where ended_at is null;

-- Links by which somebody sets a password: new people, and those whose password was reset.
create table portal_invitations (
  id bigint generated always as identity primary key,
  person_id bigint not null references portal_people,
  kind text not null check (kind in ('invitation', 'reset')),
  -- SHA-256 of what the link holds.
  token_digest bytea not null unique check (length(token_digest) = 32),
  made_by text not null,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  -- Taken up, or replaced by another one.
  ended_at timestamptz
);
create unique index portal_invitations_one_open on portal_invitations (person_id) where ended_at is null;
