#!/bin/sh
# Makes the secrets that are missing in ./secrets. Keep a copy of vault.key: without it no stored
# card can be decrypted. The self-made certificate is for a trial; replace it.
set -eu
cd "$(dirname -- "$0")"
mkdir -p secrets
cd secrets
umask 077
for name in database-password replication-password; do
  [ -e "$name" ] || openssl rand -hex 32 >"$name"
done
[ -e vault.key ] || openssl rand -base64 32 >vault.key
if [ ! -e privkey.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout privkey.pem -out fullchain.pem 2>openssl.log || {
    cat openssl.log >&2
    exit 1
  }
  rm openssl.log
fi
# Compose mounts the files as they are, and their readers are users of the containers. The folder
# keeps other users of this machine out.
chmod 700 .
chmod 644 database-password replication-password fullchain.pem
if [ "$(id -u)" = 0 ]; then
  chown 10001:10001 vault.key privkey.pem
  chmod 600 vault.key privkey.pem
else
  chmod 644 vault.key privkey.pem
fi
