#!/bin/sh
# Runs Tollgate with the Node in this release, else with TOLLGATE_NODE, else with the one on the path.
set -eu
home=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
if [ -x "$home/node/bin/node" ]; then
  node=$home/node/bin/node
else
  node=${TOLLGATE_NODE:-node}
fi
if ! command -v "$node" >/dev/null; then
  echo "Tollgate found no Node: $node is not a program. Install Node 24 or newer, or set TOLLGATE_NODE to its path." >&2
  exit 1
fi
exec "$node" "$home/bin/launch.mjs" "$@"
