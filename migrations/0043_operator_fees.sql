-- What an operator charges merchants: dated plans, and the fees that follow from them. New tables
-- only.

-- Prices from a day of the merchant's time zone on, until the next plan starts.
create table fee_plans (
  merchant_id bigint not null references merchants,
  starts_on date not null,
  -- Rates and monthly fees: percentages in millionths, amounts in minor units by currency.
  prices jsonb not null,
  actor text not null check (actor <> ''),
  put_at timestamptz not null default now(),
  primary key (merchant_id, starts_on)
);

-- How far the fees of a closed batch are posted.
create table fee_charges (
  batch_id bigint primary key references batches,
  merchant_id bigint not null references merchants,
  after_transaction_id bigint not null default 0,
  -- Fees posted so far.
  fees integer not null default 0,
  charged_at timestamptz
);

-- The fee of a sale, capture or refund: the operator's claim where it is above zero. A plan that
-- priced one stays, since these rows refer to it.
create table transaction_fees (
  transaction_id bigint primary key,
  merchant_id bigint not null,
  batch_id bigint not null references fee_charges,
  kind text not null check (kind in ('sale', 'refund')),
  brand text not null,
  plan_starts_on date not null,
  -- Of the transaction, in the merchant's time zone.
  day date not null,
  currency char(3) not null,
  amount_minor bigint not null check (amount_minor > 0),
  fee_minor bigint not null check (fee_minor <> 0),
  posted_at timestamptz not null default now(),
  foreign key (merchant_id, plan_starts_on) references fee_plans (merchant_id, starts_on),
  constraint transaction_fees_follow_their_plan check (plan_starts_on <= day)
);
create index transaction_fees_by_day on transaction_fees (merchant_id, day);
create index transaction_fees_of_batch on transaction_fees (batch_id);

-- The last month whose monthly fees are posted; the month is its first day.
create table fee_months (
  merchant_id bigint primary key references merchants,
  month date not null check (extract(day from month) = 1)
);

create table monthly_fees (
  merchant_id bigint not null,
  month date not null check (extract(day from month) = 1),
  currency char(3) not null,
  plan_starts_on date not null,
  fee_minor bigint not null check (fee_minor > 0),
  posted_at timestamptz not null default now(),
  primary key (merchant_id, month, currency),
  foreign key (merchant_id, plan_starts_on) references fee_plans (merchant_id, starts_on),
  constraint monthly_fees_follow_their_plan check (plan_starts_on <= month)
);

create trigger transaction_fees_are_append_only
  before update or delete or truncate on transaction_fees
  for each statement execute function refuse_to_rewrite_the_ledger();
create trigger monthly_fees_are_append_only
  before update or delete or truncate on monthly_fees
  for each statement execute function refuse_to_rewrite_the_ledger();

-- Each fee as an entry of two accounts; the amount is above zero.
create view fee_entries as
  select merchant_id, currency, abs(fee_minor) as amount_minor, posted_at,
         case when fee_minor > 0 then 'fee_gateway' else 'operator_payable' end as debit,
         case when fee_minor > 0 then 'operator_payable' else 'fee_gateway' end as credit
    from transaction_fees
  union all
  select merchant_id, currency, fee_minor, posted_at, 'fee_gateway', 'operator_payable'
    from monthly_fees;
