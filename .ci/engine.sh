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

# A small Debian with git, ripgrep and this project's Node. npm comes from the machine.
make_base() {
  local node npm
  node=$(readlink -f "$HERE/node_modules/node/bin/node")
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  SOURCE_DATE_EPOCH=1735689600 TMPDIR=$DIR mmdebstrap --quiet --variant=minbase --mode=root \
    --include=ca-certificates,git,procps,ripgrep \
    --aptopt='Acquire::Languages "none"' --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --customize-hook='mkdir -p "$1/usr/local/lib/node_modules"' \
    --customize-hook="cp '$node' \"\$1/usr/local/bin/node\"; cp -a '$npm' \"\$1/usr/local/lib/node_modules/npm\"" \
    --customize-hook='ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"' \
    --customize-hook='ln -s ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"' \
    --customize-hook='cat /etc/ssl/certs/ca-certificates.crt >"$1/etc/ssl/certs/ca-certificates.crt"' \
    bookworm - >"$DIR/base.tar.part" 2>>"$LOG"
  mv "$DIR/base.tar.part" "$DIR/base.tar"
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
  [ -s "$DIR/base.tar" ] || command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
  if [ ${#missing[@]} -gt 0 ]; then install "${missing[@]}"; say "installed ${missing[*]}"; fi
  base=
  if [ ! -s "$DIR/base.tar" ]; then make_base & base=$!; fi
  start_engine
  export DOCKER_HOST=unix://$SOCKET
  say "the engine is up"
  if [ -n "$base" ]; then wait "$base" || { say "the base image failed:"; tail -20 "$LOG" >&2; exit 1; }; say "base file system made"; fi
fi
if ! api -o /dev/null "http://engine/images/$IMAGE/json" 2>/dev/null; then
  [ -s "$DIR/base.tar" ] || { command -v mmdebstrap >/dev/null || install mmdebstrap; make_base; }
  import_base
  say "imported $IMAGE"
fi
echo "export DOCKER_HOST=$DOCKER_HOST"
