#!/usr/bin/env bash
# All tests. Needs Rust (see rust-version in Cargo.toml); tools/setup.sh installs the compilers and libraries, and cargo fetches the
# rest.
set -euo pipefail
cd "$(dirname "$0")"

tools/setup.sh

# One target directory for all workspaces: what they have in common is compiled once.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR

# State for the next build of the same code takes gigabytes, and this builds everything once.
CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}
export CARGO_INCREMENTAL

cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
cargo test --workspace --all-features --locked
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --all-features --locked

# PSYC's parsers and renderer need neither an allocator nor an operating system.
cargo check --quiet -p polywire-psyc --locked --no-default-features
cargo check --quiet -p polywire-psyc --locked --no-default-features --features alloc

# The C library: programs by both compilers, under valgrind and the address sanitizer.
make --silent -C crates/capi check

# The workspaces beside the toolkit: the fuzz targets, the runner of the public suites and the benchmarks still compile, and the attacks pass their own tests. The benchmarks'
# own tests, and the answers of every rival, are `tools/check-more.sh peers`.
cargo check --quiet --manifest-path fuzz/Cargo.toml --locked
cargo test --quiet --manifest-path fuzz/Cargo.toml --locked -p polywire-fuzz-runner
cargo fmt --manifest-path suites/Cargo.toml --check
cargo check --quiet --manifest-path suites/Cargo.toml --all-targets --locked
cargo fmt --manifest-path attack/Cargo.toml --check
cargo clippy --quiet --manifest-path attack/Cargo.toml --all-targets --locked -- -D warnings
cargo test --quiet --manifest-path attack/Cargo.toml --locked
cargo fmt --manifest-path peers/Cargo.toml --check
cargo check --quiet --manifest-path peers/Cargo.toml --locked
