#!/usr/bin/env bash
# Asks real services by tables: gRPC by grpcio, Connect by connect-node, SOAP 1.1 and 1.2 by spyne, which it starts at loopback. Needs
# `tools/setup.sh services`. POLYWIRE names a program with the feature `gateway`; without it, one is built.
set -euo pipefail
cd "$(dirname "$0")/.."

polywire=${POLYWIRE:-}
if [ -z "$polywire" ]; then
    cargo build --quiet --locked -p polywire-cli --features gateway
    polywire="${CARGO_TARGET_DIR:-target}/debug/polywire"
fi
exec target/services/bin/python tools/services/check.py "$polywire" target/services/node
