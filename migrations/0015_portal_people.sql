-- People who work in the portal, and where they are signed in.

create table portal_people (
  id bigint generated always as identity (start with 101) primary key,
  merchant_id bigint not null references merchants,
  -- What they sign in with; lower case, so that there is one of each.
  email text not null unique check (email = lower(email) and email ~ '^[^@ ]+@[^@ ]+$' and length(email) <= 254),
  name text not null check (name <> '' and length(name) <= 100),
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'read_only')),
  -- Null until the invitation was taken up.
  password_hash text,
  active boolean not null default true,
  -- What one refund of theirs may be at most, in minor units of the currency; null for no limit.
  refund_limit_minor bigint check (refund_limit_minor >= 0),
  refund_limit_currency char(3),
  created_at timestamptz not null default now(),
  constraint portal_people_refund_limit_whole
    check ((refund_limit_minor is null) = (refund_limit_currency is null))
);
create index portal_people_by_merchant on portal_people (merchant_id);

create table portal_sessions (
  id bigint generated always as identity primary key,
  person_id bigint not null references portal_people,
  -- SHA-256 of what the cookie holds: whoever reads this table can't sign in with it.
  token_digest bytea not null unique check (length(token_digest) = 32),
  -- What pages send along with everything that changes something.
  csrf_token text not null,
  address text not null,
  browser text not null,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ended_at timestamptz
);
create index portal_sessions_by_person on portal_sessions (person_id) where ended_at is null;
