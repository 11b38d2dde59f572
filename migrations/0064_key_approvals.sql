-- Locks: operator_requests, access exclusive, reads the table
-- Runs beside: 0056

-- An approved operation on keys is done by a command, once. Others are done by the approval.
alter table operator_requests
  add column used_at timestamptz,
  add column used_by text,
  add constraint operator_requests_used_once_approved check (
    (used_at is null) = (used_by is null) and (used_at is null or state = 'approved'));
