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
