#!/usr/bin/env bash
# Opens pages of `polywire compare --html` in Chromium, at three widths, light and dark, with and without script: reads where labels
# stand, sorts, filters, hovers and touches. Needs `tools/setup.sh browser`, and runs it. POLYWIRE names a program, with the feature
# `rivals` if it should have libraries; without it, one is built. SHOTS names a folder for screenshots.
#
#   tools/check-page.sh [FILE...]   also looks at these pages
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh browser
polywire=${POLYWIRE:-}
if [ -z "$polywire" ]; then
    cargo build --quiet --locked -p polywire-cli --features rivals
    polywire="${CARGO_TARGET_DIR:-target}/debug/polywire"
fi
exec node tools/browser/page.mjs "$polywire" "${SHOTS:-}" "$@"
