-- A reset link lets the portal user who made it act as the user who was reset. A user who came in by
-- such a link carries its maker, and so do the operations that the user starts.

alter table portal_users
  add column came_in_by text,
  add column came_in_at timestamptz,
  add constraint portal_users_came_in_whole check ((came_in_by is null) = (came_in_at is null));
alter table portal_operations add column came_in_by text;

-- Where a merchant wants it, a change of a user of equal rank waits for a second user.
alter table merchants add column peer_approval boolean not null default false;
create table portal_user_requests (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  -- Null for the request that switches the approvals off.
  portal_user_id bigint references portal_users,
  wanted json not null check (json_typeof(wanted) = 'object'),
  -- Role, refund limit and state of the user when the request was made.
  seen text not null,
  state text not null default 'open'
    check (state in ('open', 'approved', 'refused', 'withdrawn', 'void', 'expired')),
  asked_by bigint not null references portal_users,
  asked_session bigint not null,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  decided_by bigint references portal_users,
  decided_session bigint,
  decided_at timestamptz,
  constraint portal_user_requests_decided_with_a_time
    check ((state = 'open') = (decided_at is null)),
  constraint portal_user_requests_decided_by_a_user
    check (state not in ('approved', 'refused', 'withdrawn')
           or (decided_by is not null and decided_session is not null)),
  constraint portal_user_requests_need_two_users
    check (state not in ('approved', 'refused')
           or (decided_by <> asked_by and decided_session <> asked_session)),
  constraint portal_user_requests_not_decided_by_their_subject
    check (portal_user_id is null or decided_by is null or decided_by <> portal_user_id)
);
create unique index portal_user_requests_one_open
  on portal_user_requests (merchant_id, coalesce(portal_user_id, 0)) where state = 'open';
create index portal_user_requests_by_merchant on portal_user_requests (merchant_id, id);
