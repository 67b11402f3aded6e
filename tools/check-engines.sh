#!/usr/bin/env bash
# Runs the tests of Polywire in Spark and, once Spark has ended, in Ray: two workers each, 100,000 messages, one worker killed.
#
#   tools/check-engines.sh [spark|ray]
#
# It needs Java 17 and some 6 GB of memory. PYTHON=COMMAND in the environment is another interpreter than python3; WHEEL=FILE is a wheel
# to test, in place of one that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."

# Versions that are known to work together.
ENGINES="pyspark==4.3.0 ray[data]==2.60.0 pyarrow==26.0.1 pandas==3.1.1 pytest==9.2.0"

export CARGO_INCREMENTAL=0
place=target/engines
bin=$PWD/$place/venv/bin
[ -x "$bin/python" ] || "${PYTHON:-python3}" -m venv "$place/venv"
if [ -z "${WHEEL:-}" ]; then
  rm -f "$place"/polywire-*.whl
  "$bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$place" .
  WHEEL=$(echo "$place"/polywire-*.whl)
fi
# shellcheck disable=SC2086 # a list of packages
"$bin/python" -m pip install --quiet --disable-pip-version-check $ENGINES
"$bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$WHEEL"

# The tests see the package that is installed, and not the folder beside them.
cd python/engines
for engine in ${1:-spark ray}; do
  "$bin/python" -m pytest -q -p no:cacheprovider "test_$engine.py"
done
