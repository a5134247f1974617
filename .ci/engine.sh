#!/bin/bash
# Brings up a container engine and the base image octobench/base from nothing, on Debian as root: only the Debian mirror is needed,
# no image registry and no systemd. An engine that answers already is used as it is. Everything may be run again.
#
#   eval "$(.ci/engine.sh)"      sets DOCKER_HOST
#   .ci/engine.sh stop           stops the engine this script started (images stay; `clean` removes them too)
#
# OCTOBENCH_ENGINE_DIR   state of the engine (default /tmp/octobench-engine)
set -euo pipefail

DIR=${OCTOBENCH_ENGINE_DIR:-/tmp/octobench-engine}
SOCKET=$DIR/docker.sock
LOG=$DIR/start.log
IMAGE=octobench/base:bookworm-node24
PACKAGES=(bash base-files base-passwd coreutils dash diffutils findutils mawk grep gzip hostname sed tar util-linux ca-certificates git libstdc++6 procps ripgrep)
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BEGAN=$(date +%s%N)

say() { printf '[%6d ms] %s\n' $((($(date +%s%N) - BEGAN) / 1000000)) "$*" >&2; }
api() { curl -fsS --unix-socket "${DOCKER_HOST#unix://}" "$@"; }
answers() { case ${1:-} in unix://*) curl -fs -o /dev/null --max-time 2 --unix-socket "${1#unix://}" http://engine/_ping ;; *) false ;; esac; }
pid() { cat "$DIR/dockerd.pid" 2>/dev/null; }

stop_engine() {
  local p; p=$(pid) || return 0
  kill "$p" 2>/dev/null || true
  for _ in $(seq 100); do kill -0 "$p" 2>/dev/null || break; sleep 0.1; done
  clear_leftovers
}

# What an engine killed with -9 leaves behind keeps the next one from starting: shims (whose child is the container's first process),
# mounts and pid files. Only things below $DIR are touched.
clear_leftovers() {
  local p
  for p in $(pgrep -f "containerd-shim.*$DIR/exec/" || true); do
    kill -9 $(pgrep -P "$p" || true) "$p" 2>/dev/null || true
  done
  awk -v d="$DIR/" 'index($2, d) == 1 { print $2 }' /proc/mounts | sort -r | while read -r m; do umount -l "$m" 2>/dev/null || true; done
  rm -rf "$DIR/dockerd.pid" "$DIR/exec" "$SOCKET"
}

install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "$@" >>"$LOG" 2>&1 ||
    { apt-get update -qq >>"$LOG" 2>&1; apt-get install -y -qq --no-install-recommends "$@" >>"$LOG" 2>&1; }
}

start_engine() {
  clear_leftovers
  setsid dockerd --data-root "$DIR/data" --exec-root "$DIR/exec" --pidfile "$DIR/dockerd.pid" -H "unix://$SOCKET" \
    </dev/null >"$DIR/dockerd.log" 2>&1 &
  local p=$!
  for _ in $(seq 300); do
    answers "unix://$SOCKET" && return
    kill -0 $p 2>/dev/null || break
    sleep 0.1
  done
  say "the engine did not come up:"
  tail -20 "$DIR/dockerd.log" >&2
  exit 1
}

# A small Debian with git, ripgrep and this project's Node, made of this machine's own packages: seconds, where a bootstrap takes a
# minute. npm comes from the machine, accounts from Debian's templates.
make_base() {
  local stage=$DIR/stage node npm
  node=$(readlink -f "$HERE/node_modules/node/bin/node")
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  rm -rf "$stage"
  mkdir -p "$stage"/{etc,usr/local/bin,usr/local/lib/node_modules}
  cp "$node" "$stage/usr/local/bin/node"
  cp -a "$npm" "$stage/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$stage/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$stage/usr/local/bin/npx"
  cp /usr/share/base-passwd/passwd.master "$stage/etc/passwd"
  cp /usr/share/base-passwd/group.master "$stage/etc/group"
  files_of $(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "${PACKAGES[@]}" | grep '^[a-z0-9]') |
    tar -c --no-recursion --hard-dereference --owner=0 --group=0 -C / --null -T - -f "$DIR/base.tar.part" 2>>"$LOG"
  tar -r --owner=0 --group=0 -C "$stage" -f "$DIR/base.tar.part" usr/local etc/passwd etc/group
  rm -rf "$stage"
  mv "$DIR/base.tar.part" "$DIR/base.tar"
}

# Files of installed packages and what maintainer scripts made of them, without leading slash, each ended by a null byte. Packages
# name /bin/x; the files are in /usr/bin, and /bin is a link.
files_of() {
  {
    for package in "$@"; do dpkg-query -L "$package" 2>/dev/null || true; done |
      grep -vE '^/\.$|^/usr/share/(doc|man|locale|info|lintian|bug)/|^/usr/include/' |
      sed -E 's#^/(bin|sbin|lib|lib32|lib64|libx32)/#/usr/\1/#'
    printf '%s\n' /bin /sbin /lib /lib64 /etc/ld.so.cache /etc/nsswitch.conf /etc/ssl/certs /etc/os-release
    find /etc/alternatives /etc/ssl/certs
    find /usr/bin /usr/sbin /usr/lib/"$(uname -m)"-linux-gnu -maxdepth 1 -lname '/etc/alternatives/*'
  } | sort -u | while IFS= read -r file; do if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "${file#/}"; fi; done
}

import_base() {
  local changes='changes=ENV%20PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin&changes=CMD%20%5B%22bash%22%5D'
  api -o /dev/null -X POST -H 'content-type: application/x-tar' -T "$DIR/base.tar" \
    "http://engine/images/create?fromSrc=-&repo=${IMAGE%%:*}&tag=${IMAGE##*:}&$changes"
}

case ${1:-start} in
  stop) stop_engine; exit 0 ;;
  clean) stop_engine; rm -rf "$DIR"; exit 0 ;;
  start) ;;
  *) echo "usage: $0 [start|stop|clean]" >&2; exit 2 ;;
esac

mkdir -p "$DIR"
: >"$LOG"
if answers "${DOCKER_HOST:-}"; then say "using the engine at $DOCKER_HOST"
elif answers "unix://$SOCKET"; then export DOCKER_HOST=unix://$SOCKET
else
  missing=()
  command -v dockerd >/dev/null || missing+=(docker.io)
  command -v iptables >/dev/null || missing+=(iptables)
  for p in "${PACKAGES[@]}"; do dpkg-query -W "$p" >/dev/null 2>&1 || missing+=("$p"); done
  if [ ${#missing[@]} -gt 0 ]; then install "${missing[@]}"; say "installed ${missing[*]}"; fi
  base=
  if [ ! -s "$DIR/base.tar" ]; then make_base & base=$!; fi
  start_engine
  export DOCKER_HOST=unix://$SOCKET
  say "the engine is up"
  if [ -n "$base" ]; then wait "$base" || { say "the base image failed:"; tail -20 "$LOG" >&2; exit 1; }; say "base file system made"; fi
fi
if ! api -o /dev/null "http://engine/images/$IMAGE/json" 2>/dev/null; then
  [ -s "$DIR/base.tar" ] || make_base
  import_base
  say "imported $IMAGE"
fi
echo "export DOCKER_HOST=$DOCKER_HOST"
