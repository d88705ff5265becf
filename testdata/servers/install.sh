#!/usr/bin/env bash
# The Debian packages that tests need and a fresh machine lacks: a Redis server for the
# distributed lock, and strace, which records file operations for the power-cut test.
set -euo pipefail
missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
command -v strace >/dev/null || missing+=(strace)
[ ${#missing[@]} -eq 0 ] && exit 0
echo "== servers: installing ${missing[*]} with apt"
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
export DEBIAN_FRONTEND=noninteractive
# Nothing may start by itself: the tests start their own server, on a free port.
policy=/usr/sbin/policy-rc.d
if [ "$(id -u)" -eq 0 ] && [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
