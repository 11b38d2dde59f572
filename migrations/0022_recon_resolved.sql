-- A difference between the books is resolved. "Settled" is said of funds only.

alter table recon_differences rename column settled_by to resolved_by;
alter table recon_differences rename column settled_at to resolved_at;
alter table recon_differences
  rename constraint recon_differences_settled_by_somebody to recon_differences_resolved_by_a_user;
alter table recon_differences
  rename constraint recon_differences_settled_by_fkey to recon_differences_resolved_by_fkey;

alter table recon_notes drop constraint recon_notes_what_check;
update recon_notes set what = 'resolved' where what = 'settled';
alter table recon_notes add constraint recon_notes_what_check
  check (what in ('taken', 'handed', 'noted', 'resolved', 'reopened'));
