#!/usr/bin/env bash
# Compiles the native crate for release; see `make native`. The target directory lives outside
# the tree and is reused, because a cold build takes the better part of an hour.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
export CARGO_TARGET_DIR=${MLP_NATIVE_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/memory-lancedb-pro/native-target}
mkdir -p "$CARGO_TARGET_DIR"
# No build path may reach the product, and the flags must not depend on where the tree lies,
# or a second clone would recompile everything.
registry=$(find "$cargo_home/registry/src" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | head -n 1)
export RUSTFLAGS="--remap-path-prefix=${registry:-$cargo_home/registry/src}=deps --remap-path-prefix=$cargo_home=cargo --remap-path-prefix=$CARGO_TARGET_DIR=target -C target-cpu=x86-64-v2"
export CFLAGS="${CFLAGS:-} -ffile-prefix-map=${registry:-$cargo_home/registry/src}=deps -ffile-prefix-map=$CARGO_TARGET_DIR=target"
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=${registry:-$cargo_home/registry/src}=deps -ffile-prefix-map=$CARGO_TARGET_DIR=target"
cd "$here/crate"
exec cargo "$@"
