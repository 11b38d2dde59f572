-- One word for what a user does once: an operation. Names only; no row is read or written. The locks
-- of a rename are exclusive and end with the migration.
-- The audit log hashes values and no names, so its entries verify as before.

alter table audit_entries rename column act to operation;
alter table audit_entries rename constraint audit_entries_act_check to audit_entries_operation_check;
create or replace function audit_hash(entry audit_entries) returns bytea stable language sql as $$
  select sha256(entry.previous_hash
    || audit_field(entry.number::text)
    || audit_field(to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || audit_field(entry.actor) || audit_field(entry.operation) || audit_field(entry.object)
    || audit_field(coalesce(entry.merchant_id::text, '')) || audit_field(entry.address)
    || audit_field(entry.result) || audit_field(entry.details))
$$;

alter table portal_acts rename to portal_operations;
alter table portal_operations rename column act to operation;
alter table portal_operations rename constraint portal_acts_pkey to portal_operations_pkey;
alter table portal_operations rename constraint portal_acts_once to portal_operations_once;
alter table portal_operations
  rename constraint portal_acts_end_with_a_result to portal_operations_end_with_a_result;
alter table portal_operations rename constraint portal_acts_act_check to portal_operations_operation_check;
alter table portal_operations rename constraint portal_acts_key_check to portal_operations_key_check;
alter table portal_operations rename constraint portal_acts_digest_check to portal_operations_digest_check;
alter table portal_operations rename constraint portal_acts_state_check to portal_operations_state_check;
alter table portal_operations
  rename constraint portal_acts_request_id_key to portal_operations_request_id_key;
alter table portal_operations
  rename constraint portal_acts_merchant_id_fkey to portal_operations_merchant_id_fkey;
alter table portal_operations
  rename constraint portal_acts_person_id_fkey to portal_operations_person_id_fkey;
alter table portal_operations rename constraint portal_acts_site_id_fkey to portal_operations_site_id_fkey;
alter index portal_acts_by_order rename to portal_operations_by_order;
alter index portal_acts_open rename to portal_operations_open;
alter sequence portal_acts_id_seq rename to portal_operations_id_seq;

alter table membership_acts rename to membership_operations;
alter table membership_operations rename constraint membership_acts_pkey to membership_operations_pkey;
alter table membership_operations
  rename constraint membership_acts_membership_id_fkey to membership_operations_membership_id_fkey;
alter index membership_acts_of_membership rename to membership_operations_of_membership;
