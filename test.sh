#!/usr/bin/env bash
# All tests. Needs Rust (see rust-version in Cargo.toml) and a C compiler; cargo fetches the rest.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
cargo test --workspace --all-features --locked
