#!/usr/bin/env bash
# Makes what a release carries, into target/release-files.
#
#   tools/dist.sh           all parts, in this order
#   tools/dist.sh PART...   these parts: program papers archive deb wheel npm image sums
#
#   program   builds the program, and gathers what belongs to it in target/release-build/stage
#   papers    licences of everything that is linked, and polywire-VERSION-TARGET.cdx.json, its dependencies in CycloneDX's form
#   archive   polywire-VERSION-TARGET.tar.gz, or .zip for Windows: program, man pages, completions, licences
#   deb       polywire_VERSION_ARCHITECTURE.deb
#   wheel     polywire-VERSION-cp310-abi3-PLATFORM.whl, the Python package: module and command; of glibc, macOS, Windows
#   npm       polywire-PLATFORM-VERSION.tgz, and polywire-VERSION.tgz, which chooses one of them
#   image     the folder that the Dockerfile copies, of a program that needs no other file
#   sums      SHA256SUMS of all files that are there
#
# TARGET=TRIPLE in the environment builds for another target. Where the usual compiler has no standard library for it,
# Debian's is used (tools/debian-cargo). PROFILE=release builds in a third of the time what is only to be tried. The same commit and compiler make the same bytes, in any folder.
set -euo pipefail
cd "$(dirname "$0")/.."

export root=$PWD
export PATH="$root/target/tools/bin:$PATH"
TARGET=${TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
build=${BUILD_DIR:-$root/target/release-build}
files=${FILES_DIR:-$root/target/release-files}
stage=$build/stage/$TARGET
# The gateway needs Unix: its hooks run in processes that it confines, and it obeys signals.
case $TARGET in *-windows-*) features=rivals ;; *) features=full ;; esac
PROFILE=${PROFILE:-dist}
export TARGET PROFILE version build files stage features
mkdir -p "$files"

# The time of everything that has one.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
# Neither the umask, the language nor the time zone of the builder changes a byte.
umask 022
export LC_ALL=C TZ=UTC

fail() {
    echo "dist.sh: $1" >&2
    exit 1
}
export -f fail

# By default, the parts that there are for the target.
case $TARGET in
    *-linux-musl) all=(program papers archive npm image sums) ;;
    *-linux-*) all=(program papers archive deb wheel npm sums) ;;
    *) all=(program papers archive wheel npm sums) ;;
esac
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
    [ -x "tools/dist/$part" ] || fail "'$part' is no part; there are: program papers archive deb wheel npm image sums"
done
for part in "${parts[@]}"; do
    echo "dist.sh: $part for $TARGET"
    case $part in
        program | wheel | sums) ;;
        *) [ -d "$stage" ] || fail "there is no program for $TARGET; run tools/dist.sh program" ;;
    esac
    "tools/dist/$part"
done
