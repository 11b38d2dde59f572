#!/bin/sh
# Installs, runs, updates, removes and purges the Debian package on a copy of this machine's files,
# in memory and without a network. Prints "== STEP" before the output of each step.
# $1: an empty folder, $2: the package, $3: the same with a higher version
set -eu
folder=$1
mount -t tmpfs -o size=2g none "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
root=$folder/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 none "$root/tmp"
mount -t tmpfs none "$root/run"
# Mounted, because a copy of each would take 200 MB of memory.
touch "$root/root/old.deb" "$root/root/new.deb"
mount --bind "$2" "$root/root/old.deb"
mount --bind "$3" "$root/root/new.deb"
ip link set lo up

# The triggers of other packages, such as the index of manual pages, take longer than all the rest.
install() { chroot "$root" dpkg --no-triggers --force-unsafe-io "$@" 2>&1; }
inside() { chroot "$root" "$@" 2>&1 || echo "exit code $?"; }
mark() { echo "== $1"; }
# As the unit runs it: no capabilities, no way to more rights, and only the data can be written.
start() {
  unshare -m sh -c '
    mount --bind "$1/var/lib/tollgate" "$1/var/lib/tollgate"
    mount -o remount,bind,ro "$1"
    cd "$1/var/lib/tollgate"
    exec chroot "$1" setpriv --reuid=tollgate --regid=tollgate --clear-groups --no-new-privs \
      --inh-caps=-all --bounding-set=-all env TOLLGATE_ENV_FILE=/etc/tollgate/tollgate.env \
      /usr/lib/tollgate/bin/tollgate start' start "$root" >"$folder/said" 2>&1 &
  program=$!
  tries=0
  until grep -q '^tollgate ready' "$folder/said"; do
    if ! kill -0 "$program" 2>/dev/null || [ $((tries += 1)) -gt 3000 ]; then
      cat "$folder/said"
      echo "tollgate did not start"
      exit 1
    fi
    sleep 0.1
  done
}
stop() {
  kill -TERM "$program"
  wait "$program" || echo "stopped with $?"
}
pay() { sh -c "$(grep '^curl' "$folder/said")"; echo; }
show() { inside stat -c '%U:%G %a %n' "$@"; }

export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive
mark installed
install -i /root/old.deb
mark places
show /etc/tollgate /etc/tollgate/credentials /etc/tollgate/tollgate.env /var/lib/tollgate \
  /usr/lib/tollgate/bin/tollgate
mark enabled
inside systemctl is-enabled tollgate.service
mark unit
inside systemd-analyze verify tollgate.service
mark exposure
inside systemd-analyze security --offline=yes --no-pager tollgate.service | tail -1
mark version
inside setpriv --reuid=nobody --regid=nogroup --clear-groups tollgate version
mark stranger
inside setpriv --reuid=nobody --regid=nogroup --clear-groups tollgate verify
mark payment
start
pay
mark command
inside tollgate verify
stop
mark updated
echo '# a line of the administrator' >>"$root/etc/tollgate/tollgate.env"
echo secret >"$root/etc/tollgate/credentials/vault.key"
install -i /root/new.deb
mark settings
inside tail -n 1 /etc/tollgate/tollgate.env
show /etc/tollgate/tollgate.env
mark second-payment
start
pay
stop
mark removed
install -r tollgate
inside ls /usr/lib/tollgate
inside ls /etc/tollgate/tollgate.env /etc/tollgate/credentials/vault.key /var/lib/tollgate
mark purged
install -P tollgate
mark left
inside ls /etc/tollgate/tollgate.env
inside cat /etc/tollgate/credentials/vault.key
show /var/lib/tollgate /var/lib/tollgate/postgres/cluster
inside sh -c 'ls /etc/systemd/system/*tollgate* /etc/systemd/system/*/*tollgate*'
