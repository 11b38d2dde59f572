-- The keys under which merchants may repeat requests that move money (Idempotency-Key).
-- Locks nothing: the table is new.

create table idempotency_keys (
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  -- Keyed digest of the key; the key itself is the merchant's text and is not stored.
  key bytea not null,
  merchant_id bigint not null,
  -- Keyed digest of the request.
  content bytea not null,
  transaction_id bigint not null,
  taken_at timestamptz not null,
  primary key (site_id, mode, key)
);
