#!/bin/bash
# Runs once, when the primary's database is made: a user for the standby, and the right to copy.
set -euo pipefail
password=$(cat "${REPLICATION_PASSWORD_FILE:-/run/secrets/replication-password}")
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
  --set="password=$password" <<'SQL'
create role replication with replication login password :'password';
select pg_create_physical_replication_slot('standby');
SQL
echo 'host replication replication all scram-sha-256' >>"$PGDATA/pg_hba.conf"
