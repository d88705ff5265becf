#!/usr/bin/env bash
# What tests need and a fresh machine lacks: a Redis server for the lock between machines and
# strace, which records file operations for the power-cut test, both Debian packages; and
# versitygw, an object storage over a directory, a Go program.
set -euo pipefail
gateway=github.com/versity/versitygw/cmd/versitygw@v1.8.0
missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
command -v strace >/dev/null || missing+=(strace)
if [ ${#missing[@]} -gt 0 ]; then
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
fi
bin=${XDG_CACHE_HOME:-$HOME/.cache}/memory-lancedb-pro/servers
if [ ! -x "$bin/versitygw" ]; then
  echo "== servers: building ${gateway##*/} from its Go module, once"
  GOFLAGS='' GOBIN=$bin "${GO:-go}" install "$gateway"
fi
