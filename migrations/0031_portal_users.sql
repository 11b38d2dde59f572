-- One word for the people of the portal: portal users. The locks of a rename are exclusive and end
-- with the migration. Entries of the audit log are hashed, so those of earlier versions keep the actor
-- `person:` and the operations `person.*`; every other column that names an actor is rewritten.

alter table portal_people rename to portal_users;
alter table portal_users rename constraint portal_people_pkey to portal_users_pkey;
alter table portal_users rename constraint portal_people_email_key to portal_users_email_key;
alter table portal_users rename constraint portal_people_email_check to portal_users_email_check;
alter table portal_users rename constraint portal_people_name_check to portal_users_name_check;
alter table portal_users
  rename constraint portal_people_refund_limit_minor_check to portal_users_refund_limit_minor_check;
alter table portal_users
  rename constraint portal_people_refund_limit_whole to portal_users_refund_limit_whole;
alter table portal_users rename constraint portal_people_role_check to portal_users_role_check;
alter table portal_users
  rename constraint portal_people_second_factor_whole to portal_users_second_factor_whole;
alter table portal_users rename constraint portal_people_merchant_id_fkey to portal_users_merchant_id_fkey;
alter table portal_users
  rename constraint portal_people_second_factor_data_key_id_fkey to portal_users_second_factor_data_key_id_fkey;
alter index portal_people_by_merchant rename to portal_users_by_merchant;
alter sequence portal_people_id_seq rename to portal_users_id_seq;
alter trigger portal_people_keep_an_owner on portal_users rename to portal_users_keep_an_owner;
create or replace function hold_last_owner() returns trigger language plpgsql as $$
begin
  perform from merchants where id = old.merchant_id for no key update;
  if not exists (select from portal_users
                  where merchant_id = old.merchant_id and role = 'owner' and active) then
    raise exception 'A merchant keeps one owner who is active.'
      using errcode = 'check_violation', constraint = 'portal_users_keep_an_owner';
  end if;
  return null;
end $$;

alter table order_notes rename column person_id to portal_user_id;
alter table order_notes
  rename constraint order_notes_person_id_fkey to order_notes_portal_user_id_fkey;
alter table portal_invitations rename column person_id to portal_user_id;
alter table portal_invitations
  rename constraint portal_invitations_person_id_fkey to portal_invitations_portal_user_id_fkey;
alter table portal_list_columns rename column person_id to portal_user_id;
alter table portal_list_columns
  rename constraint portal_list_columns_person_id_fkey to portal_list_columns_portal_user_id_fkey;
alter table portal_operations rename column person_id to portal_user_id;
alter table portal_operations
  rename constraint portal_operations_person_id_fkey to portal_operations_portal_user_id_fkey;
alter table portal_order_views rename column person_id to portal_user_id;
alter table portal_order_views
  rename constraint portal_order_views_person_id_fkey to portal_order_views_portal_user_id_fkey;
alter table portal_past_passwords rename column person_id to portal_user_id;
alter table portal_past_passwords
  rename constraint portal_past_passwords_person_id_fkey to portal_past_passwords_portal_user_id_fkey;
alter table portal_recovery_codes rename column person_id to portal_user_id;
alter table portal_recovery_codes
  rename constraint portal_recovery_codes_person_id_fkey to portal_recovery_codes_portal_user_id_fkey;
alter table portal_sessions rename column person_id to portal_user_id;
alter table portal_sessions
  rename constraint portal_sessions_person_id_fkey to portal_sessions_portal_user_id_fkey;
alter table recon_notes rename column person_id to portal_user_id;
alter table recon_notes
  rename constraint recon_notes_person_id_fkey to recon_notes_portal_user_id_fkey;
alter table site_resets rename column person_id to portal_user_id;
alter table site_resets
  rename constraint site_resets_person_id_fkey to site_resets_portal_user_id_fkey;
alter index portal_sessions_by_person rename to portal_sessions_by_user;
alter table go_live_requests
  rename constraint go_live_requests_need_two_people to go_live_requests_need_two_portal_users;
alter table go_live_requests
  rename constraint go_live_requests_decided_by_somebody to go_live_requests_decided_by_a_user;

update api_users set made_by = 'portal:' || substr(made_by, 8) where made_by like 'person:%';
update api_user_passwords set made_by = 'portal:' || substr(made_by, 8) where made_by like 'person:%';
update api_user_passwords set retired_by = 'portal:' || substr(retired_by, 8) where retired_by like 'person:%';
update batches set closed_by = 'portal:' || substr(closed_by, 8) where closed_by like 'person:%';
update membership_operations set actor = 'portal:' || substr(actor, 8) where actor like 'person:%';
update portal_invitations set made_by = 'portal:' || substr(made_by, 8) where made_by like 'person:%';
update recon_runs set asked_by = 'portal:' || substr(asked_by, 8) where asked_by like 'person:%';
update site_clocks set changed_by = 'portal:' || substr(changed_by, 8) where changed_by like 'person:%';
