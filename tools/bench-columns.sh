#!/usr/bin/env bash
# Measures bytes to Arrow, and back, beside the libraries that Python has for it: docs/benchmarks.md describes the measurements.
#
#   tools/bench-columns.sh [OPTION...]     options of python/bench/columns.py, such as --size 10 or --only jsonl
#
# It makes a virtual environment in target/bench-columns with the versions of python/bench/requirements.txt, and with the package as
# `pip install .` builds it. WHEEL=FILE in the environment is a wheel that was built before, PYTHON=COMMAND another interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$PWD/target/bench-columns
bin=$place/venv/bin
mkdir -p "$place"
[ -x "$bin/python" ] || "${PYTHON:-python3}" -m venv "$place/venv"
"$bin/python" -m pip install --quiet --disable-pip-version-check --requirement python/bench/requirements.txt
if [ -z "${WHEEL:-}" ]; then
    rm -f "$place"/*.whl
    CARGO_INCREMENTAL=0 "$bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$place" .
    WHEEL=$(echo "$place"/polywire-*.whl)
fi
"$bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$WHEEL"
# The package that is installed, and not the folder beside the script.
exec "$bin/python" python/bench/columns.py --place "$place/data" "$@"
