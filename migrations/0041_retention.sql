-- Retention: what was erased, and how far each kind has been walked. New tables only, and a mark on
-- orders that began a series: the request log has it so far, and its requests are erased first. The
-- update reads the request log once, and locks the marked orders until the migration commits.

create table retention_passes (
  kind text primary key,
  after_id bigint not null default 0,
  erased bigint not null default 0,
  next_at timestamptz not null default '-infinity'
);

-- The advices of these transactions were acknowledged and are erased; `erased` counts them.
create table advice_erasures (
  order_id bigint primary key,
  transaction_ids bigint[] not null,
  erased integer not null check (erased > 0),
  at timestamptz not null default now()
);

create table customer_erasures (
  customer_id bigint primary key,
  merchant_id bigint not null,
  actor text not null check (actor <> ''),
  at timestamptz not null default now()
);

update orders o
   set extras = (o.extras::jsonb || '{"REQUEST_REBILL": "2"}')::json
  from transactions t
  join requests r on r.id = t.request_id and r.order_id = t.order_id
 where t.order_id = o.id and t.kind in ('authorization', 'sale')
   and r.parameters ->> 'REQUEST_REBILL' = '2';
