#!/usr/bin/env bash
# Installs what tests and benchmarks need beside Rust, on Debian and its descendants. Does nothing where all is there.
#
#   tools/setup.sh capi     what the tests of the C library need
#   tools/setup.sh peers    the C and C++ libraries that the benchmarks compare with
#   tools/setup.sh judges   the other implementations that tests hold ours against: protoc, and Python packages in target/judges
#   tools/setup.sh gateway  the servers that tests of the gateway start: Redis and nginx
#   tools/setup.sh          all purposes above
#   tools/setup.sh cli      the tools that peers/cli/ratios.py times beside the program; two of them in target/tools
#   tools/setup.sh fuzz     what `make fuzz` needs beside the nightly compiler: cargo-fuzz, in target/tools
#   tools/setup.sh more     what `make check-more` needs: the purposes below, without suites
#   tools/setup.sh more-targets  Debian's compiler with the source of the library, and an emulator
#   tools/setup.sh more-cargo    tools of cargo, in target/tools
#   tools/setup.sh more-chart    helm, in target/tools
#   tools/setup.sh more-workflows  actionlint, in target/tools
#   tools/setup.sh browser  Chromium without a display, which tests of pages use, in target/browser
#   tools/setup.sh services the services that tools/check-services.sh asks, in target/services
#   tools/setup.sh book     what `make book` needs: mdbook, in target/tools
#   tools/setup.sh dist     what tools/dist.sh and tools/check-dist.sh need; tools of cargo in target/tools, and target/maturin
#   tools/setup.sh columns  the judges of columns: pyarrow, polars and DuckDB, in target/columns
#   tools/setup.sh suites   the public test suites that registries carry, and their judges, in target/suites
set -euo pipefail

# What each purpose needs: a package, and a test that says it is there.
needs_capi() {
    need gcc command -v gcc
    need g++ command -v g++
    need make command -v make
    need binutils command -v objcopy
    need pkg-config command -v pkg-config
    need valgrind command -v valgrind
    need clang command -v clang++
    # The address sanitizer comes apart, in a package of the compiler's version, which is known when the compiler is there.
    if command -v clang >/dev/null; then
        need "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" has_sanitizer
    fi
}

needs_peers() {
    need g++ command -v g++
    need pkg-config command -v pkg-config
    need libsimdjson-dev pkg-config --exists simdjson
    need rapidjson-dev pkg-config --exists RapidJSON
    need librapidxml-dev has_header rapidxml/rapidxml.hpp
    need libpugixml-dev pkg-config --exists pugixml
    need libxml2-dev pkg-config --exists libxml-2.0
    need libjson-c-dev pkg-config --exists json-c
    need libjson-glib-dev pkg-config --exists json-glib-1.0
    need libprotobuf-dev pkg-config --exists protobuf
    need protobuf-compiler command -v protoc
    need libexpat1-dev pkg-config --exists expat
    need zlib1g-dev pkg-config --exists zlib
    need libtinyxml2-dev pkg-config --exists tinyxml2
    need libbson-dev pkg-config --exists libbson-1.0
    need asn1c command -v asn1c
}

needs_judges() {
    need protobuf-compiler command -v protoc
    need python3 command -v python3
    need python3-venv python3 -c 'import ensurepip'
}

needs_gateway() {
    need redis-server command -v redis-server
    need nginx-light command -v nginx
}

# Everywhere; what only Linux has, there.
needs_dist() {
    need python3 command -v python3
    need nodejs command -v node
    need npm command -v npm
    [ "$(uname)" = Linux ] || return 0
    need gcc command -v gcc
    need binutils command -v readelf
    need dpkg-dev command -v dpkg-deb
    need xz-utils command -v xz
    need python3-venv python3 -c 'import ensurepip'
    need musl-tools command -v musl-gcc
    need curl command -v curl
}

# Debian's compiler, held to one version: it builds the standard library for targets that have none.
debian_rust=1.96.0+dfsg1-1~deb12u2
needs_more-targets() {
    local package
    for package in rustc-web cargo-web rust-web-src libstd-rust-web-dev; do
        need "$package=$debian_rust" has_version "$package" "$debian_rust"
    done
    need gcc command -v gcc
    need gcc-i686-linux-gnu command -v i686-linux-gnu-gcc
    need libc6-dev-i386-cross test -e /usr/i686-linux-gnu/include/stdio.h
    need gcc-s390x-linux-gnu command -v s390x-linux-gnu-gcc
    need libc6-dev-s390x-cross test -e /usr/s390x-linux-gnu/include/stdio.h
    need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
    need gcc-mingw-w64-x86-64 command -v x86_64-w64-mingw32-gcc
    need musl-tools command -v musl-gcc
    need libunwind-14-dev test -e /usr/lib/llvm-14/lib/libunwind.a
    need qemu-user command -v qemu-s390x
}

needs_more-cargo() {
    need g++ command -v g++
}

needs_more-chart() {
    need golang-go command -v go
    need python3 command -v python3
}

# Helm, held to a version, in a folder of this clone. Its module names a newer compiler than some
# distributions have, which go then fetches.
make_helm() {
    local folder
    folder="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
    [ -x "$folder/bin/helm" ] || GOBIN="$folder/bin" go install helm.sh/helm/v3/cmd/helm@v3.19.0
}

needs_more-workflows() {
    need golang-go command -v go
}

# The judge of workflows, held to a version.
make_actionlint() {
    local folder
    folder="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
    [ -x "$folder/bin/actionlint" ] || GOBIN="$folder/bin" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
}

needs_cli() {
    need jq command -v jq
    need miller command -v mlr
    need python3-xmltodict python3 -c 'import xmltodict'
    need python3-yaml python3 -c 'import yaml'
}

# Tools from crates, held to versions, in a folder of this clone.
make_cli() {
    local folder tool
    folder="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
    for tool in jaq@3.1.2 xsv@0.13.0; do
        [ -x "$folder/bin/${tool%@*}" ] || cargo install --quiet --locked --root "$folder" "$tool"
    done
}

needs_fuzz() {
    need g++ command -v g++
}

needs_services() {
    need nodejs command -v node
    need npm command -v npm
    need python3 command -v python3
    need python3-venv python3 -c 'import ensurepip'
}

# Services by Python and by Node, held to versions, in a folder of this clone.
services=(grpcio==1.85.1 grpcio-tools==1.85.1 lxml==6.1.3 setuptools==80.9.0 spyne==2.14.0)
make_services() {
    local folder
    folder="$(dirname "$0")/../target/services"
    [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
    if ! "$folder/bin/python" -m pip freeze --all | grep -cxF -f <(printf '%s\n' "${services[@]}") | grep -qx "${#services[@]}"; then
        echo "setup.sh: installing ${services[*]} in target/services"
        "$folder/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check "${services[@]}"
    fi
    mkdir -p "$folder/node"
    cp "$(dirname "$0")"/services/package.json "$(dirname "$0")"/services/package-lock.json "$folder/node/"
    npm ci --prefix "$folder/node" --silent --ignore-scripts --no-audit --no-fund
}

needs_browser() {
    need nodejs command -v node
    need npm command -v npm
    need fonts-dejavu-core has_font
    need libnss3 has_library libnss3.so
    need libexpat1 has_library libexpat.so.1
}

# Chromium comes in a package of npm, as does the library that drives it: held to versions, in a folder of this clone.
make_browser() {
    local folder
    folder="$(dirname "$0")/../target/browser"
    mkdir -p "$folder"
    cmp -s "$(dirname "$0")/browser/package-lock.json" "$folder/installed" && return
    cp "$(dirname "$0")"/browser/package.json "$(dirname "$0")"/browser/package-lock.json "$folder/"
    npm ci --prefix "$folder" --silent --ignore-scripts --no-audit --no-fund
    rm -rf "$folder/tmp"
    cp "$folder/package-lock.json" "$folder/installed"
}

needs_suites() {
    need nodejs command -v node
    need npm command -v npm
    need python3 command -v python3
    need python3-venv python3 -c 'import ensurepip'
    need golang-go command -v go
    need git command -v git
}

make_suites() {
    "$(dirname "$0")/../suites/install.sh"
}

# Tools of cargo, held to versions, in a folder of this clone.
cargo_tools=(cbindgen@0.29.4 cargo-about@0.9.3 cargo-cyclonedx@0.5.9 cargo-deny@0.20.2 cargo-fuzz@0.13.2 cargo-hack@0.6.46 cargo-semver-checks@0.51.0)
make_cargo_tools() {
    local folder tool options
    folder="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
    for tool in "${cargo_tools[@]}"; do
        [[ "$tool" == "$1"* ]] || continue
        grep -qsF "\"${tool%@*} ${tool#*@} (" "$folder/.crates.toml" && continue
        echo "setup.sh: installing $tool in target/tools"
        # One of them is a library without this feature, and one runs for a second, and is built for every test of a fresh clone.
        case $tool in cargo-about@*) options=(--features cli) ;; cbindgen@*) options=(--debug) ;; *) options=() ;; esac
        cargo install --locked --quiet --root "$folder" "${options[@]}" "$tool"
    done
}

needs_book() {
    need python3 command -v python3
}

# mdbook, held to a version, in a folder of this clone, without the server that it can be.
make_book() {
    local folder
    folder="$(cd "$(dirname "$0")/.." && pwd)/target/tools"
    grep -qsF '"mdbook 0.5.4 (' "$folder/.crates.toml" && return
    echo "setup.sh: installing mdbook in target/tools"
    cargo install --locked --quiet --root "$folder" --no-default-features --features search mdbook@0.5.4
}

# Packages of Python, held to versions, in a virtual environment of this clone: make_venv FOLDER PACKAGE...
make_venv() {
    local folder python
    folder="$(dirname "$0")/../$1"
    shift
    # Windows has another name for it.
    for python in "$folder/bin/python" "$folder/Scripts/python.exe"; do
        if [ -x "$python" ] && [ "$("$python" -m pip freeze 2>/dev/null | tr -d '\r' | grep -cxF -f <(printf '%s\n' "$@"))" = "$#" ]; then
            return
        fi
    done
    echo "setup.sh: installing $* in ${folder#*/../}"
    "$(command -v python3 || command -v python)" -m venv --clear "$folder"
    python=$folder/bin/python
    [ -x "$python" ] || python=$folder/Scripts/python.exe
    "$python" -m pip install --quiet --no-cache-dir --disable-pip-version-check "$@"
}

judges=(grpcio-tools==1.85.1 protobuf==7.36.2)
make_judges() {
    make_venv target/judges "${judges[@]}"
}

# What builds the wheel of a release.
maturin=(maturin==1.16.0 deflate==0.9.0)
make_maturin() {
    make_venv target/maturin "${maturin[@]}"
}

needs_columns() {
    need python3 command -v python3
    need python3-venv python3 -c 'import ensurepip'
}

columns=(duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1)
make_columns() {
    make_venv target/columns "${columns[@]}"
}

has_version() {
    dpkg-query --show --showformat='${Version}' "$1" | grep -qxF "$2"
}

has_library() {
    ldconfig -p | grep -F "$1"
}

has_font() {
    [ -n "$(find /usr/share/fonts /usr/local/share/fonts -name '*.ttf' -print -quit 2>/dev/null)" ]
}

has_header() {
    echo "#include <$1>" | g++ -fsyntax-only -x c++ -
}

has_sanitizer() {
    echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null
}

need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

fail() {
    echo "setup.sh: $1" >&2
    exit "$2"
}

install_missing() {
    local as_root=()
    command -v apt-get >/dev/null || fail "there is no apt-get here; install what your system calls ${missing[*]}" 1
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "${missing[*]}: missing, and installing needs root or sudo" 1
        as_root=(sudo)
    fi
    echo "setup.sh: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

all=(capi peers judges gateway)
purposes=("$@")
[ ${#purposes[@]} -gt 0 ] || purposes=("${all[@]}")
[ "${purposes[*]}" != more ] || purposes=(judges more-targets more-cargo more-chart more-workflows dist services browser columns)
# What was installed in the first round may be what tells the rest.
for _ in 1 2; do
    missing=()
    for purpose in "${purposes[@]}"; do
        declare -F "needs_$purpose" >/dev/null || fail "'$purpose' is no purpose; there are: ${all[*]} cli dist fuzz more more-targets more-cargo more-chart more-workflows services browser book suites columns" 2
        "needs_$purpose"
    done
    [ ${#missing[@]} -gt 0 ] || break
    install_missing
done
for purpose in "${purposes[@]}"; do
    [ "$purpose" != judges ] || make_judges
    [ "$purpose" != capi ] || make_cargo_tools cbindgen
    [ "$purpose" != more-cargo ] || { make_cargo_tools cargo-deny && make_cargo_tools cargo-hack && make_cargo_tools cargo-fuzz && make_cargo_tools cargo-semver-checks; }
    [ "$purpose" != more-workflows ] || make_actionlint
    [ "$purpose" != dist ] || { make_cargo_tools cargo-about && make_cargo_tools cargo-cyclonedx && make_maturin; }
    [ "$purpose" != columns ] || make_columns
    [ "$purpose" != fuzz ] || make_cargo_tools cargo-fuzz
    [ "$purpose" != more-chart ] || make_helm
    [ "$purpose" != services ] || make_services
    [ "$purpose" != cli ] || make_cli
    [ "$purpose" != browser ] || make_browser
    [ "$purpose" != book ] || make_book
    [ "$purpose" != suites ] || make_suites
done
