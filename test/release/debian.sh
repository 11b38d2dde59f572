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

# Images of containers forbid packages to restart services.
rm -f "$root/usr/sbin/policy-rc.d"
# The one of before shows processes of another namespace.
mount -t proc proc /proc
# A machine of its own, whose systemd runs the unit with all that the unit forbids. It needs the same
# kind of control groups as this one.
unified=0
[ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ] || unified=1
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=$unified systemd-nspawn --quiet --directory="$root" \
  --bind-ro="$2:/old.deb" --bind-ro="$3:/new.deb" --machine=tollgate-package --private-network \
  --register=no --keep-unit --resolv-conf=off --link-journal=no --console=read-only --boot -- --unit=dbus.socket >"$folder/console" 2>&1 &
machine=$!
on() { nsenter --target "$leader" --mount --uts --ipc --net --pid --root --wd "$@"; }
tries=0
until leader=$(pgrep -P "$machine") && on test -S /run/systemd/private 2>/dev/null; do
  if ! kill -0 "$machine" 2>/dev/null || [ $((tries += 1)) -gt 600 ]; then
    cat "$folder/console"
    echo "the machine did not start"
    exit 1
  fi
  sleep 0.1
done

# The triggers of other packages, such as the index of manual pages, take longer than all the rest.
install() { on dpkg --no-triggers --force-unsafe-io "$@" 2>&1; }
inside() { on "$@" 2>&1 || echo "exit code $?"; }
mark() { echo "== $1"; }
log() { on journalctl --unit tollgate --output cat --no-pager; }
pay() {
  on sh -c "$(log | grep '^curl' | tail -n 1)"
  echo
}
show() { inside stat -c '%U:%G %a %n' "$@"; }

export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive
mark installed
install -i /old.deb
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
# As production listens.
echo TLS_HOST=0.0.0.0 >>"$root/etc/tollgate/tollgate.env"
on systemctl start tollgate || log | tail -n 20
pay
mark command
inside tollgate verify
mark updated
echo '# a line of the administrator' >>"$root/etc/tollgate/tollgate.env"
echo secret >"$root/etc/tollgate/credentials/vault.key"
install -i /new.deb
mark settings
inside tail -n 1 /etc/tollgate/tollgate.env
show /etc/tollgate/tollgate.env
mark second-payment
pay
mark removed
install -r tollgate
inside systemctl is-active tollgate
log | tail -n 1
inside ls /usr/lib/tollgate
inside ls /etc/tollgate/tollgate.env /etc/tollgate/credentials/vault.key /var/lib/tollgate
mark purged
install -P tollgate
mark left
inside ls /etc/tollgate/tollgate.env
inside cat /etc/tollgate/credentials/vault.key
show /var/lib/tollgate /var/lib/tollgate/postgres/cluster
inside sh -c 'ls /etc/systemd/system/*tollgate* /etc/systemd/system/*/*tollgate*'
