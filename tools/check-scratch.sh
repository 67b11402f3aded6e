#!/usr/bin/env bash
# Does what the Dockerfile says, by a chroot: its files, its user, its program, and nothing else. There is no library, no /dev, no
# /proc and no /etc. Each job of the program is asked for a result there. The files come from
# `TARGET=x86_64-unknown-linux-musl tools/dist.sh program papers image`.
set -euo pipefail
cd "$(dirname "$0")/.."

files=${FILES_DIR:-$PWD/target/release-files}
case $(uname -m) in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; esac
root=$(mktemp -d)
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
server=
trap '[ -z "$server" ] || "${as_root[@]}" kill "$server" 2>/dev/null || true; "${as_root[@]}" rm -rf "$root"' EXIT

fail() {
    echo "check-scratch.sh: $1" >&2
    exit 1
}

# The words of the Dockerfile that this file understands.
user= program= source=
while read -r word rest; do
    case $word in
        '' | '#'* | ARG | EXPOSE) ;;
        FROM) [ "$rest" = scratch ] || fail "the Dockerfile begins with '$rest', not with nothing" ;;
        COPY) [[ "$rest" == *' /' ]] && source=${rest% /} ;;
        USER) user=$rest ;;
        ENTRYPOINT) program=$(sed 's/^\["\(.*\)"\]$/\1/' <<<"$rest") ;;
        *) fail "the Dockerfile says '$word', which is not known here" ;;
    esac
done <Dockerfile
[ -n "$user" ] && [ -n "$program" ] && [ -n "$source" ] || fail "the Dockerfile lacks USER, ENTRYPOINT or COPY"
source=${source/'${TARGETARCH}'/$architecture}
[[ "$source" == target/release-files/* ]] || fail "the Dockerfile copies '$source', which is not made by tools/dist.sh"
cp -a "$files/${source#target/release-files/}." "$root"
chmod 755 "$root"

# What a user mounts.
mkdir "$root/data"
cp examples/tickets.jsonl examples/search.proto examples/search-reply.pb "$root/data/"
cp -r examples/shop "$root/data/"
sed 's/optional int32 bidCount/optional sint32 bidCount/' examples/search.proto >"$root/data/changed.proto"
printf '{"shop":{"key":"a key for the example","language":"no"}}' >"$root/data/other.json"

# Runs the program there, without a variable of the environment.
here() {
    "${as_root[@]}" env -i "$(command -v chroot)" --userspec="$user" "$root" "$program" "$@"
}

# expect JOB CODE TEXT COMMAND... holds that the command ends by this exit code, and writes this text among others.
expect() {
    local job=$1 code=$2 text=$3 output ended=0
    shift 3
    output=$("$@" 2>&1) || ended=$?
    [ "$ended" -eq "$code" ] && [[ "$output" == *"$text"* ]] || fail "$job: exit code $ended, not $code, or '$text' is not in what it wrote: $(head -c 1000 <<<"$output")"
    ran=$((ran + 1))
    echo "check-scratch.sh: $job: it works"
}

ran=0
pipes() { here convert --from json --to cbor | here convert --from cbor --to yaml; }
packed() { here convert --to jsonl --compress zstd /data/tickets.jsonl | here convert --from jsonl --to jsonl | cmp - examples/tickets.jsonl && echo "the same"; }
written() { here convert --to cbor --output /tmp/written.cbor /data/tickets.jsonl && here convert --to jsonl /tmp/written.cbor | cmp - examples/tickets.jsonl && echo "the same"; }
page() { here compare /data/tickets.jsonl --html /tmp/page.html >/dev/null && head -c 15 "$root/tmp/page.html"; }
expect "--version" 0 "polywire $(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)" here --version
expect "--help" 0 "schema" here --help
expect "compare" 0 "500 messages in json" here compare /data/tickets.jsonl
expect "compare --html" 0 "<!doctype html>" page
expect "convert by pipes" 0 $'sku: "7 KITTENS"\nprice: 19.9' pipes <<<'{"sku":"7 KITTENS","price":19.90}'
expect "convert to a file" 0 "the same" written
expect "convert, compressed and back" 0 "the same" packed
expect "convert of what is no message" 3 "saw the end of the input" here convert --from json --to cbor <<<'{"sku":'
expect "inspect" 0 "shift_number" here inspect --message 1 /data/tickets.jsonl
expect "inspect --schema" 0 "searchResult" here inspect --schema /data/search.proto /data/search-reply.pb
expect "diff" 1 "language" here diff --from json /data/shop/config.json /data/other.json
expect "jq" 0 "7 KITTENS" here jq .sku <<<'{"sku":"7 KITTENS"}'
expect "schema infer" 0 "optional uint64 shift_number = 1;" here schema infer --lang proto /data/tickets.jsonl
expect "schema check" 1 "backward NO, forward NO" here schema check /data/search.proto /data/changed.proto
# A hook runs on a thread: without /proc, the system does not say which program a process of its own would be.
expect "query, with a hook" 0 '"Desk lamp, brass",49.9' here query --tables /data/shop --replay /data/shop/recorded "select title, price from catalogue where q = 'lamp'"

# The gateway, at a port that the system gives it.
: >"$root/served"
"${as_root[@]}" env -i "$(command -v chroot)" --userspec="$user" "$root" "$program" serve /data/shop --replay /data/shop/recorded --port 0 >"$root/served" 2>&1 &
server=$!
for _ in $(seq 100); do
    address=$(sed -n 's/.*listening at \(http[^ ]*\)$/\1/p' "$root/served")
    [ -z "$address" ] || break
    sleep 0.1
done
[ -n "$address" ] || fail "serve: it does not listen: $(cat "$root/served")"
expect "serve: its health" 0 "" curl --silent --show-error --fail "$address/healthz"
expect "serve: a route" 0 "Birk" curl --silent --show-error --fail "$address/search/lamp?maker=Birk"
"${as_root[@]}" kill "$server"
ended=0
wait "$server" || ended=$?
server=
[ "$ended" -eq 0 ] || fail "serve: exit code $ended after SIGTERM"

# Where there is not even a folder for temporary files, what needs none works.
rm -rf "$root/tmp"
expect "compare, without /tmp" 0 "500 messages in json" here compare /data/tickets.jsonl
expect "convert by pipes, without /tmp" 0 $'sku: "7 KITTENS"\nprice: 19.9' pipes <<<'{"sku":"7 KITTENS","price":19.90}'
echo "check-scratch.sh: $ran jobs of $(wc -c <"$root$program") bytes without a library"
