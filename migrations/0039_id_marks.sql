-- Lets a gateway notice that it serves a restored copy of its database, and skip the ids that were
-- assigned after the backup. A dump keeps both: who the database is, and how far it was noted.

create table database_identity (
  id uuid primary key default gen_random_uuid(),
  is_only boolean not null default true unique check (is_only)
);
insert into database_identity default values;

-- One more with each note that a gateway takes of the sequences. A database that is behind a note
-- is an older copy, even if nothing else was assigned since.
create sequence id_notes;
