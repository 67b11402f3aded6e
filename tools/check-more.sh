#!/usr/bin/env bash
# Runs what a maintainer runs before a release, beside ./test.sh.
#
#   tools/check-more.sh          all parts, in this order
#   tools/check-more.sh PART...  these parts: features door peers semver sanitizer narrow big-endian capi python columns fuzz licences publish workflows chart page services sizes scratch reproducible build
#
# `tools/setup.sh more` installs what the parts need; sanitizer and fuzz also need a nightly
# compiler (`rustup toolchain install nightly`). Only the workflows (.github/workflows) test with the
# oldest compiler, under Miri, and against the advisories of dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."

CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR
export PATH="$PWD/target/tools/bin:$PATH"

# Seconds that each fuzz target runs.
FUZZ_SECONDS=${FUZZ_SECONDS:-10}

small=(-p polywire-core -p polywire-json -p polywire-psyc -p polywire-extprot -p polywire-usds
    -p polywire-protobuf -p polywire-runtime -p polywire-extprot-runtime
    -p polywire-protobuf-runtime -p polywire-usds-runtime)
codecs=("${small[@]}" -p polywire-formats)

# Every combination of the features of the small crates passes the lints.
part_features() {
    cargo hack --feature-powerset --keep-going clippy --locked -p polywire-lanes "${small[@]}" -- -D warnings
    # These have a feature for each format: each by itself, none, and all.
    cargo hack --each-feature --keep-going clippy --locked -p polywire -p polywire-formats -p polywire-schema -- -D warnings
}

# Seconds that a program with the library's default features may take to build from nothing, in debug, on two cores.
DOOR=30

# A program outside of the workspace adds the library, and builds its first example.
part_door() {
    local door start seconds
    door=$(mktemp -d)
    mkdir "$door/src"
    cp crates/polywire/examples/convert.rs "$door/src/main.rs"
    cp Cargo.lock "$door"
    cat >"$door/Cargo.toml" <<END
[package]
name = "door"
version = "0.0.0"
edition = "2024"

[dependencies]
polywire = { path = "$PWD/crates/polywire" }

[workspace]
END
    sed -i "s|env!(\"CARGO_MANIFEST_DIR\"), \"/../..|\"$PWD|" "$door/src/main.rs"
    cargo fetch --quiet --manifest-path "$door/Cargo.toml"
    start=$(date +%s%N)
    CARGO_TARGET_DIR="$door/target" taskset -c 0,1 cargo build --quiet --offline --manifest-path "$door/Cargo.toml"
    seconds=$((($(date +%s%N) - start) / 1000000000))
    "$door/target/debug/door" >/dev/null
    echo "the library's first example: $(cargo tree --offline --manifest-path "$door/Cargo.toml" --prefix none --edges normal | cut -d' ' -f1 | sort -u | wc -l) packages, $seconds s, at most $DOOR"
    rm -rf "$door"
    [ "$seconds" -le "$DOOR" ]
}

# The benchmarks beside other libraries: lints, tests, and the right answers of every rival for every workload.
part_peers() {
    cargo clippy --quiet --manifest-path peers/Cargo.toml --all-targets --all-features --locked -- -D warnings
    cargo test --quiet --manifest-path peers/Cargo.toml --all-features --locked
    cargo run --quiet --manifest-path peers/Cargo.toml --all-features --locked -- --check
}

# What users add to their programs: no change breaks them, unless the version says so.
libraries=(-p polywire "${codecs[@]}" -p polywire-schema -p polywire-codegen)
part_semver() {
    local newest
    # A commit that is tagged itself is compared with the release before.
    newest=$(git -c versionsort.suffix=- tag --list 'v[0-9]*' --merged HEAD --no-contains HEAD --sort=-version:refname | head -n 1)
    if [ -z "$newest" ]; then
        echo "check-more.sh: semver: no earlier commit has the tag of a release, so there is nothing to compare with"
        return
    fi
    cargo semver-checks --baseline-rev "$newest" "${libraries[@]}"
}

# The tests of modules with `unsafe` (SECURITY.md), under the address sanitizer.
part_sanitizer() {
    local run=(cargo +nightly test --locked --quiet --target x86_64-unknown-linux-gnu)
    (
        export RUSTFLAGS="-Zsanitizer=address" CARGO_PROFILE_DEV_OPT_LEVEL=1
        # Memory of processes, which the engine's C code leaves to the system, is no leak of ours.
        export ASAN_OPTIONS=detect_leaks=0
        "${run[@]}" -p polywire-lanes -p polywire-core -p polywire-runtime -p polywire-usds-runtime --lib
        "${run[@]}" -p polywire-psyc --lib --test parse --test streams --test text
        "${run[@]}" -p polywire-hooks --lib --test visit --test patch
        "${run[@]}" -p polywire-codegen-conformance --tests
    )
}

# Debian's compiler, in a folder of its own.
debian() {
    CARGO_TARGET_DIR="$CARGO_TARGET_DIR/debian" tools/debian-cargo "$1" --locked "${@:2}"
}

# The codecs' tests on an emulated machine: optimised, or they take an hour.
emulated() {
    tools/setup.sh judges more-targets
    CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=none debian test --quiet --no-fail-fast --target "$1" --lib --tests -p polywire-lanes "${codecs[@]}"
}

# The codecs' tests pass where a `usize` has 32 bits.
part_narrow() {
    emulated i686-unknown-linux-gnu
}

# They pass on a big-endian machine.
part_big-endian() {
    emulated s390x-unknown-linux-gnu
}

# The C library of all formats, optimised: installed, and used by pkg-config alone.
part_capi() {
    make --silent -C crates/capi/general check-install
}

# The Python package, installed from this folder: its tests, the start of its command.
part_python() {
    tools/check-python.sh
}

# Files of columns: pyarrow, polars and DuckDB read ours, and we read theirs.
part_columns() {
    tools/judge-columns
}

# Each fuzz target runs for some seconds.
part_fuzz() {
    local target
    cargo +nightly fuzz build
    for target in $(cargo +nightly fuzz list); do
        echo "check-more.sh: fuzz target $target, $FUZZ_SECONDS s"
        cargo +nightly fuzz run "$target" -- -max_total_time="$FUZZ_SECONDS" -verbosity=0
    done
}

# Licences, bans and sources of dependencies (deny.toml).
part_licences() {
    cargo deny --all-features --locked check licenses bans sources
}

# The crates that are published build from what would be uploaded, and from nothing beside it.
part_publish() {
    cargo publish --workspace --dry-run --locked
}

# The workflows are well-formed.
part_workflows() {
    actionlint
}

# The Helm chart is well-formed, and its folder is one that the gateway loads.
part_chart() {
    tools/check-chart.sh
}

# The page of a comparison, in Chromium.
part_page() {
    tools/check-page.sh
}

# Tables of gRPC, Connect and SOAP ask services of other libraries.
part_services() {
    tools/check-services.sh
}

# 100 MB through every compression, and back; columns of more than 2 GiB.
part_sizes() {
    POLYWIRE_MEGABYTES=2500 cargo test --release --locked --quiet --package polywire-arrow --test streams many_megabytes
    POLYWIRE_MEGABYTES=100 cargo test --release --locked --quiet --package polywire-cli --all-features --test reshape many_megabytes
}

# The static program, quickly built, does each of its jobs where nothing else is: what the Dockerfile says, in a chroot.
part_scratch() {
    PROFILE=release TARGET="$(uname -m)-unknown-linux-musl" FILES_DIR="$CARGO_TARGET_DIR/scratch-files" tools/dist.sh program papers image
    FILES_DIR="$CARGO_TARGET_DIR/scratch-files" tools/check-scratch.sh
}

# The files of a release are equal byte for byte, made here and in a clone elsewhere; each way of installing them works.
part_reproducible() {
    local clone
    git diff --quiet HEAD || { echo "check-more.sh: only what is committed can be compared" >&2 && return 1; }
    clone=$(mktemp -d)
    git clone --quiet . "$clone/another/place"
    mkdir "$clone/another/place/target"
    ln -s "$PWD/target/tools" "$PWD/target/maturin" "$clone/another/place/target/"
    "$clone/another/place/tools/dist.sh"
    rm -rf target/release-files
    tools/dist.sh
    cat target/release-files/SHA256SUMS
    diff "$clone/another/place/target/release-files/SHA256SUMS" target/release-files/SHA256SUMS
    rm -rf "$clone"
    tools/check-dist.sh
}

# Processor time of the README's first command, and sizes of the program.
part_build() {
    tools/check-build.sh 1
}

all=(features door peers semver sanitizer narrow big-endian capi python columns fuzz licences publish workflows chart page services sizes scratch reproducible build)
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
    if ! declare -F "part_$part" >/dev/null; then
        echo "check-more.sh: '$part' is no part; there are: ${all[*]}" >&2
        exit 2
    fi
done
for part in "${parts[@]}"; do
    echo "check-more.sh: $part"
    "part_$part"
done
