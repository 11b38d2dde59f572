#!/bin/sh
# Runs a command of Tollgate with the settings of the service, as its user.
set -eu
case ${1:-help} in
  help | --help | -h | version | --version | -v)
    exec /usr/lib/tollgate/bin/tollgate "${@:-help}"
    ;;
esac
export TOLLGATE_ENV_FILE=/etc/tollgate/tollgate.env
# Relative names of files in the arguments are those of the caller, so its folder stays.
case $(id -un) in
  tollgate) exec /usr/lib/tollgate/bin/tollgate "$@" ;;
  root) exec runuser -u tollgate -- /usr/lib/tollgate/bin/tollgate "$@" ;;
esac
echo "You are $(id -un); tollgate needs the user tollgate. Run: sudo tollgate $*" >&2
exit 1
