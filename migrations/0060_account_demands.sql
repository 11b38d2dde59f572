-- Locks: merchant_accounts, access exclusive, reads the table
-- Runs beside: 0056

-- The card brands that an account takes, null for all, and the fields that its payments must have.
alter table merchant_accounts
  add column brands text[],
  add column required_fields text[] not null default '{}',
  add constraint merchant_accounts_take_a_brand check (cardinality(brands) > 0),
  add constraint merchant_accounts_required_fields_check check (required_fields <@ array[
    'security_code', 'country', 'birthday', 'ssn', 'address', 'city', 'state', 'postal_code',
    'phone', 'ip_address', 'tax_number', 'email', 'first_name', 'last_name']);
