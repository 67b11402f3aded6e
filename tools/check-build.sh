#!/usr/bin/env bash
# What the first command costs, and how large the programs are: fails beyond the budget.
# The command is built from nothing three times, or as often as the first argument says; the median counts.
set -euo pipefail
cd "$(dirname "$0")/.."

RUNS=${1:-3}
# Seconds of processor time, and of elapsed time on two idle cores.
CPU=205 ELAPSED=120
# Bytes of the programs, symbols stripped: of the first, whose unhurried parts are not optimised and so larger; of
# what is shipped without features, and with all of them.
# The last one has 28 MB of code, 4 of data and 4 of tables for unwinding: all of it is optimised for speed.
# An archive of it takes 16 MB, Debian's package 11.
FIRST=29000000 SMALL=16000000 FULL=40000000

target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
export CARGO_TARGET_DIR=$target
failed=0

# check WHAT VALUE LIMIT
check() {
    if [ "$2" -le "$3" ]; then
        echo "$1: $2, at most $3"
    else
        echo "$1: $2, and more than $3" >&2
        failed=1
    fi
}

median() { sort -n | sed -n "$(((RUNS + 1) / 2))p"; }

cargo fetch --locked --quiet
TIMEFORMAT='%U %S %R'
for _ in $(seq "$RUNS"); do
    rm -rf "${target:?}"/*
    { time cargo run --release --locked --quiet -- compare examples/tickets.jsonl >"$target.report" 2>"$target.errors"; } 2>>"$target.times" || { cat "$target.errors" >&2; exit 1; }
done
rm -f "$target.report" "$target.errors"
cpu=$(awk '{ printf "%d\n", $1 + $2 + 0.5 }' "$target.times" | median)
elapsed=$(awk '{ printf "%d\n", $3 + 0.5 }' "$target.times" | median)
rm -f "$target.times"
check "seconds of processor time of the first command" "$cpu" "$CPU"
if [ "$(nproc)" -eq 2 ]; then
    check "seconds of the first command" "$elapsed" "$ELAPSED"
else
    echo "seconds of the first command: $elapsed, on $(nproc) cores"
fi
check "bytes of the first program" "$(wc -c <"$target/release/polywire")" "$FIRST"

# A program without a feature says how to get it.
cargo test --quiet --locked --package polywire-cli --test features

cargo build --quiet --locked --profile dist
check "bytes of the program without features" "$(wc -c <"$target/dist/polywire")" "$SMALL"
cargo build --quiet --locked --profile dist --features full
check "bytes of the program with all features" "$(wc -c <"$target/dist/polywire")" "$FULL"
exit "$failed"
