#!/usr/bin/env bash
# Rebuilds the native library from the crate, checks and tests it, and packs it
# into the tree. Needs Rust, protoc and zstd. Cold, it takes an hour on two cores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
target=${MLP_NATIVE_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/memory-lancedb-pro/native-target}
step() { printf '%s  native: %s\n' "$(date +%H:%M:%S)" "$1"; }

step "format"
(cd internal/native/crate && cargo fmt --check)
step "build"
internal/native/build.sh build --release --locked
step "tests"
internal/native/build.sh test --release --locked
# Clippy type-checks all dependencies once more, which is long the first time.
if [ "${MLP_SKIP_CLIPPY:-}" != 1 ]; then
  step "clippy"
  internal/native/build.sh clippy --release --locked --all-targets -- -D warnings
fi
step "pack"
go run ./internal/native/pack "$target/release/libmlp_native.so"
step "done"
