#!/usr/bin/env bash
# Installs the C and C++ libraries that the benchmarks compare with, from the packages of Debian or Ubuntu. May be run again at any time.
set -euo pipefail

packages=(g++ pkg-config libsimdjson-dev rapidjson-dev librapidxml-dev libpugixml-dev libxml2-dev libjson-c-dev libjson-glib-dev
  libprotobuf-dev protobuf-compiler)

installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

if ! command -v dpkg-query apt-get >/dev/null; then
  echo "peers/setup.sh: no apt-get here. Install by hand what these packages of Debian hold: ${packages[*]}" >&2
  exit 1
fi
missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if ((${#missing[@]})); then
  as_root=()
  if ((EUID)); then
    command -v sudo >/dev/null || { echo "peers/setup.sh: run as root, or install by hand: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "peers/setup.sh: installing ${missing[*]}"
  install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends)
  # Package lists may be old, or not there at all.
  "${install[@]}" "${missing[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update --quiet >/dev/null && "${install[@]}" "${missing[@]}"; }
fi
