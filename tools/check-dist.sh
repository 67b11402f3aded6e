#!/usr/bin/env bash
# Installs each file that tools/dist.sh made for $TARGET as a new user does, in folders of its own, and asks the program for a
# result. What this machine cannot try is named, and left out.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=${TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
files=${FILES_DIR:-$PWD/target/release-files}
archive=polywire-$version-$TARGET
place=$(mktemp -d)
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
trap '"${as_root[@]}" rm -rf "$place"' EXIT
ran=0

fail() {
    echo "check-dist.sh: $1" >&2
    exit 1
}

# try WHAT COMMAND... runs the program by this command, with nothing of the user's environment.
try() {
    local what=$1 home=$place/home output
    shift
    mkdir -p "$home"
    output=$(env -i HOME="$home" PATH="$PATH" "$@" --version) || fail "$what: the program does not start"
    [ "$output" = "polywire $version" ] || fail "$what: it says '$output', not 'polywire $version'"
    output=$(printf '{"sku":"7 KITTENS","price":19.90}' | env -i HOME="$home" PATH="$PATH" "$@" convert --from json --to yaml) || fail "$what: it does not convert"
    [ "$output" = $'---\nsku: "7 KITTENS"\nprice: 19.90' ] || fail "$what: it wrote '$output'"
    ran=$((ran + 1))
    echo "check-dist.sh: $what: it runs, ${SECONDS} s"
}

suffix= pack=tar.gz
case $TARGET in *-windows-*) suffix=.exe pack=zip ;; esac

# A program for another machine runs by an emulator, if RUNNER names one.
run=()
[ -z "${RUNNER:-}" ] || read -ra run <<<"$RUNNER"

SECONDS=0
if [ "$pack" = zip ]; then
    python3 -m zipfile -e "$files/$archive.zip" "$place"
else
    tar -xzf "$files/$archive.tar.gz" -C "$place"
fi
try "$archive.$pack" "${run[@]}" "$place/$archive/bin/polywire$suffix"
for file in share/man/man1/polywire-convert.1 share/bash-completion/completions/polywire share/doc/polywire/LICENCES.txt share/doc/polywire/polywire.cdx.json; do
    [ -s "$place/$archive/$file" ] || fail "$archive.$pack holds no $file"
done

# cargo binstall looks where crates/cli/Cargo.toml says.
binstall() { sed -n "/^\[package.metadata.binstall\]/,/^\[package\.metadata\.binstall\./s/^$1 = \"\(.*\)\"/\1/p" crates/cli/Cargo.toml; }
filled() { sed -e "s/{ version }/$version/g; s/{ target }/$TARGET/g; s/{ bin }/polywire/; s/{ binary-ext }/$suffix/; s/{ archive-suffix }/.$pack/" <<<"$1"; }
url=$(filled "$(binstall pkg-url)")
[ "${url##*/}" = "$archive.$pack" ] || fail "cargo binstall looks for '${url##*/}', and the archive is $archive.$pack"
[ -x "$place/$(filled "$(binstall bin-dir)")" ] || fail "cargo binstall looks for '$(filled "$(binstall bin-dir)")' in the archive"

if [ ${#run[@]} -eq 0 ]; then
    # There is no wheel for musl.
    case $TARGET in
        *-linux-musl) ;;
        *)
            SECONDS=0
            python3 -m venv "$place/venv"
            bin=$place/venv/bin
            [ -d "$bin" ] || bin=$place/venv/Scripts
            wheel=$(find "$files" -maxdepth 1 -name "polywire-${version/-/}-cp310-abi3-*.whl")
            [ "$(stat -c %s "$wheel" 2>/dev/null || stat -f %z "$wheel")" -le 20000000 ] || fail "$wheel: more than 20 MB"
            "$bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$files" polywire
            try "wheel" "$bin/polywire$suffix"
            output=$("$bin/python" -c 'import polywire; print(polywire.convert(b"id,name\n7,Ada\n", "csv", "jsonl").decode(), end="")') || fail "wheel: the module does not work"
            [ "$output" = '{"id":7,"name":"Ada"}' ] || fail "wheel: the module wrote '$output'"
            ;;
    esac

    SECONDS=0
    platform=$(node -p "require('./tools/dist/npm-package/platforms.json')['$TARGET'].name")
    mkdir "$place/npm"
    # npm refuses a package of another C library than its own.
    force=()
    case $TARGET in *-musl) force=(--force) ;; esac
    (cd "$place/npm" && npm init --yes >/dev/null && npm install --silent --no-audit --no-fund "${force[@]}" "$files/polywire-$platform-$version.tgz" "$files/polywire-$version.tgz")
    [ -d "$place/npm/node_modules/@polywire/$platform" ] || fail "npm did not install @polywire/$platform"
    try "npm" "$place/npm/node_modules/.bin/polywire"
fi

# A root in which nothing is but the C library, and the package that dpkg installs there.
deb=$(find "$files" -maxdepth 1 -name "polywire_${version/-/\~}_*.deb")
case $TARGET in *-linux-gnu) ;; *) deb= ;; esac
if [ -n "$deb" ] && [ ${#run[@]} -eq 0 ] && command -v dpkg-query >/dev/null && dpkg-query --show libc6 libgcc-s1 >/dev/null; then
    SECONDS=0
    root=$place/debian
    mkdir -p "$root"/var/lib/dpkg/{info,updates}
    dpkg-query --status libc6 libgcc-s1 | sed 's/^\(Depends\|Recommends\|Suggests\|Pre-Depends\):.*//; /^$/d; s/^Package:/\n&/' >"$root/var/lib/dpkg/status"
    touch "$root"/var/lib/dpkg/info/{libc6,libgcc-s1}:"$(dpkg --print-architecture)".list
    ldd "$place/$archive/bin/polywire" | grep -o '/[^ ]*' | while read -r library; do
        install -D "$library" "$root$library"
    done
    "${as_root[@]}" dpkg --root="$root" --install "$deb" >/dev/null
    [ -s "$root/usr/share/man/man1/polywire.1.gz" ] && [ -s "$root/usr/share/bash-completion/completions/polywire" ] || fail "$deb lacks its pages"
    try "deb" "${as_root[@]}" chroot --userspec=65534:65534 "$root" /usr/bin/polywire
else
    echo "check-dist.sh: deb: not tried here"
fi

# What the Dockerfile copies, where there is neither a library, /dev nor /proc.
case $TARGET in
    *-linux-musl)
        if [ ${#run[@]} -eq 0 ]; then
            FILES_DIR=$files tools/check-scratch.sh
            ran=$((ran + 1))
        else
            echo "check-dist.sh: image: not tried here"
        fi
        ;;
esac
! command -v sha256sum >/dev/null || (cd "$files" && sha256sum --check --quiet SHA256SUMS)
echo "check-dist.sh: $ran ways of installing work"
