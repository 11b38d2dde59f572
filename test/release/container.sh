#!/bin/sh
# Runs the steps of the image's last stage on a copy of this machine's files, then starts what it
# starts, with read-only files, no capabilities and no network. Prints "== STEP" before each step.
# $1: an empty folder, $2: the built program, $3: a Node
# RUN: the commands; PROGRAM: where the program goes; DATA: the volume; IDENTITY: UID:GID;
# SETTINGS: the environment; START and HEALTH: commands
set -eu
folder=$1
mount -t tmpfs -o size=2g none "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
root=$folder/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
ip link set lo up
mark() { echo "== $1"; }

mark steps
# The base image has no such user; a machine on which the package was installed has one.
chroot "$root" userdel tollgate 2>/dev/null || true
chroot "$root" groupdel tollgate 2>/dev/null || true
rm -f "$root/usr/local/bin/node"
cp "$3" "$root/usr/local/bin/node"
chroot "$root" /bin/sh -c "$RUN"
mkdir -p "$root$PROGRAM"
cp -a "$2/." "$root$PROGRAM"
chown -R 0:0 "$root$PROGRAM"
mount -t tmpfs -o mode=1777 none "$root/tmp"
mount --bind "$root$DATA" "$root$DATA"
mount -o remount,bind,ro "$root"
# Replaces the shell, so that a signal reaches the program: run it in a shell of its own.
inside() {
  exec chroot "$root" setpriv --reuid="${IDENTITY%:*}" --regid="${IDENTITY#*:}" --clear-groups \
    --no-new-privs --inh-caps=-all --bounding-set=-all \
    env -i PATH=/usr/local/bin:/usr/bin:/bin $SETTINGS sh -c "cd $DATA && exec $1"
}
mark unhealthy
(inside "$HEALTH") && echo healthy || echo "not healthy"
inside "$START" >"$folder/said" 2>&1 &
program=$!
mark healthy
tries=0
until (inside "$HEALTH") 2>/dev/null; do
  if ! kill -0 "$program" 2>/dev/null || [ $((tries += 1)) -gt 600 ]; then
    cat "$folder/said"
    exit 1
  fi
  sleep 0.2
done
echo healthy
mark payment
sh -c "$(grep '^curl' "$folder/said")"
echo
mark secure
curl -sk --write-out ' %{http_code}\n' https://127.0.0.1:8443/health/ready
mark stopped
kill -TERM "$program"
wait "$program" && echo "stopped with 0" || echo "stopped with $?"
