-- Card tokens of the token service.

create sequence card_token_ids increment by 1000 start 1000;

-- The secrets that sites sign their requests with. Two at most: while a site's programs change over to
-- a new one, the one before it works as well.
create table site_token_keys (
  id bigint generated always as identity unique,
  site_id bigint not null references sites,
  generation text not null check (generation in ('current', 'previous')),
  -- Format as payment_methods.pan_ciphertext, bound to the site.
  key_ciphertext bytea not null,
  data_key_id integer not null references data_keys,
  made_at timestamptz not null default now(),
  primary key (site_id, generation)
);

-- Origins whose pages may read the token service's answers; '*' is every origin.
alter table sites add column token_origins text[] not null default '{}';

create table card_tokens (
  id bigint primary key,
  -- SHA-256 of the token. The token itself is kept nowhere.
  token_hash bytea not null unique check (length(token_hash) = 32),
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  -- Format as payment_methods.pan_ciphertext. Erased when the token is used, and once it has expired.
  pan_ciphertext bytea,
  data_key_id integer,
  -- Stays, so that a repeated request can be known for the same one.
  fingerprint bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The order reference of the payment that took it, where a repeat is to be answered; else ''.
  used_for text not null default '',
  constraint card_tokens_hold_a_number_or_none check ((pan_ciphertext is null) = (data_key_id is null)),
  constraint card_tokens_are_empty_once_used check (used_at is null or pan_ciphertext is null)
);
create index card_tokens_to_erase on card_tokens (expires_at) where pan_ciphertext is not null;
create index card_tokens_by_expiry on card_tokens (expires_at);

-- Security codes, for minutes. Not logged: they reach neither the write-ahead log nor what is made of
-- it, archives and standbys; after a crash the table is empty. What is left of a deleted row in a file
-- does not open either: the key is derived from a data key and the token, and the token is not here.
create unlogged table card_token_codes (
  token_id bigint primary key,
  code_ciphertext bytea not null,
  expires_at timestamptz not null
);
create index card_token_codes_to_erase on card_token_codes (expires_at);

-- Each UNIQUE_ID of a site, for as long as a timestamp that came with it could be valid.
create table token_request_ids (
  site_id bigint not null,
  unique_id text not null,
  used_at timestamptz not null,
  primary key (site_id, unique_id)
);
create index token_request_ids_to_forget on token_request_ids (used_at);
