-- Locks: schema_migrations, access exclusive, milliseconds
-- Runs beside: 0056

-- Programs that know this schema run on after the migration. Null before this one: a program has to
-- know the migration itself.
alter table schema_migrations add column runs_beside integer;
