#!/bin/bash
# Copies the primary on the first start, then follows it. A copy that broke off is made anew.
set -euo pipefail
# It goes into the recovery settings of the copy, too.
PGPASSWORD=$(cat "${REPLICATION_PASSWORD_FILE:-/run/secrets/replication-password}")
export PGPASSWORD
primary=${PRIMARY_HOST:-primary}
if [ ! -s "$PGDATA/PG_VERSION" ] || [ -e "$PGDATA.unfinished" ]; then
  mkdir -p "$(dirname "$PGDATA")"
  touch "$PGDATA.unfinished"
  rm -rf "$PGDATA"
  install --directory --mode=0700 "$PGDATA"
  pg_basebackup --pgdata="$PGDATA" --write-recovery-conf --wal-method=stream --slot=standby \
    --checkpoint=fast --host="$primary" --port="${PRIMARY_PORT:-5432}" --username=replication
  if [ "$(id -u)" = 0 ]; then chown -R postgres:postgres "$(dirname "$PGDATA")"; fi
  rm "$PGDATA.unfinished"
fi
exec docker-entrypoint.sh postgres
