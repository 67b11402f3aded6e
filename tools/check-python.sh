#!/usr/bin/env bash
# Installs the Python package as a new user does, in a virtual environment of its own, and runs its tests and the script of its
# README there.
#
#   tools/check-python.sh
#
# PYTHON=COMMAND in the environment is another interpreter than python3; it has to be 3.10 or later. WHEEL=FILE is a wheel that is
# there, such as that of a release (tools/dist/wheel), and nothing is built.
set -euo pipefail
cd "$(dirname "$0")/.."

# Most bytes of a release's wheel, and milliseconds of a start of the command.
BYTES=20000000
START=60

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"${PYTHON:-python3}" -m venv "$place/venv"
bin=$place/venv/bin
export CARGO_INCREMENTAL=0

SECONDS=0
wheel=${WHEEL:-}
if [ -z "$wheel" ]; then
    "$bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$place" .
    wheel=$(echo "$place"/polywire-*.whl)
fi
bytes=$(stat -c %s "$wheel")
# One that is built here is neither optimised for size nor compressed as that of a release is.
echo "check-python.sh: ${wheel##*/}: $bytes bytes, at most $BYTES in a release; after $SECONDS s"
[ -z "${WHEEL:-}" ] || [ "$bytes" -le "$BYTES" ]
"$bin/python" -m pip install --quiet --disable-pip-version-check "$wheel" pytest duckdb fsspec pandas polars pyarrow

# The tests see the package that is installed, and not the folder beside them.
(cd python/tests && "$bin/python" -m pytest -q -p no:cacheprovider .)

# The script of the README, in the folder of a new user.
"$bin/python" - <<'END' >"$place/script.py"
import re
text = open("python/README.md", encoding="utf-8").read()
print(re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1))
END
"$bin/python" "$place/script.py"

# The quickest of some starts: others wait for the machine.
best=$("$bin/python" - "$bin/polywire" <<'END'
import subprocess, sys, time
def start():
    begin = time.perf_counter()
    subprocess.run([sys.argv[1], "--version"], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000
print(round(min(start() for _ in range(20))))
END
)
echo "check-python.sh: the command starts in $best ms, at most $START"
[ "$best" -le "$START" ]
