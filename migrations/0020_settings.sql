-- What people set in the portal, and sites that two people move between test and live.

alter table sites
  add constraint sites_name_can_be_shown check (name ~ '[^ ]' and length(name) <= 100),
  add constraint sites_default_currency_is_a_code check (default_currency ~ '^[A-Z]{3}$'),
  add constraint sites_default_product_is_an_id check (length(default_product) between 1 and 64),
  add constraint sites_match_sets_are_letters check (avs_match_set ~ '^[A-Za-z]{0,26}$' and cvv_match_set ~ '^[A-Za-z]{0,26}$'),
  add constraint sites_renewal_retry_days_within_caps
    check (cardinality(renewal_retry_days) <= 15 and 1 <= all (renewal_retry_days) and 30 >= all (renewal_retry_days));

-- One person asks, another decides.
create table go_live_requests (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  site_id bigint not null references sites,
  wanted_mode text not null check (wanted_mode in ('test', 'live')),
  state text not null default 'open' check (state in ('open', 'approved', 'refused', 'withdrawn', 'void', 'expired')),
  -- What the dry run listed for the person who asked, and its SHA-256 without what traffic changes.
  listed jsonb not null check (jsonb_typeof(listed) = 'array'),
  digest bytea not null check (length(digest) = 32),
  reason text not null default '' check (length(reason) <= 500),
  asked_by bigint not null references portal_people,
  asked_session bigint not null,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  decided_by bigint references portal_people,
  decided_session bigint,
  decided_at timestamptz,
  decision_reason text not null default '' check (length(decision_reason) <= 500),
  constraint go_live_requests_decided_with_a_time check ((state = 'open') = (decided_at is null)),
  constraint go_live_requests_decided_by_somebody
    check (state not in ('approved', 'refused', 'withdrawn') or (decided_by is not null and decided_session is not null)),
  constraint go_live_requests_need_two_people
    check (state not in ('approved', 'refused') or (decided_by <> asked_by and decided_session <> asked_session))
);
create unique index go_live_requests_one_open on go_live_requests (site_id) where state = 'open';
create index go_live_requests_by_merchant on go_live_requests (merchant_id, id);
