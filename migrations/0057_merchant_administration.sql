-- Locks: merchant_accounts, access exclusive, reads the table
-- Locks: merchants, access exclusive, reads the table
-- Runs beside: 0056

-- An operator has stopped the merchant: no payments, tokens, renewals or portal until it is enabled.
alter table merchants
  add column disabled_at timestamptz,
  add column disabled_by text,
  add column disabled_reason text,
  add constraint merchants_are_disabled_with_a_reason
    check ((disabled_at is null) = (disabled_by is null)
       and (disabled_at is null) = (disabled_reason is null));

-- Renewals leave these out, and there are few.
create index merchants_disabled on merchants (id) where disabled_at is not null;

-- Limits of amounts by currency, and of billing countries; null for none.
alter table merchant_accounts
  add column limits jsonb,
  add constraint merchant_accounts_limits_check check (jsonb_typeof(limits) = 'object');

-- Written by payments of accounts that have a limit for a day, one row for each.
create table account_volumes (
  merchant_id bigint not null references merchants,
  merchant_account_id bigint not null references merchant_accounts,
  currency char(3) not null,
  -- In the time zone of the merchant.
  day date not null,
  volume_minor bigint not null check (volume_minor >= 0),
  primary key (merchant_account_id, currency, day)
) with (fillfactor = 50);
