#!/usr/bin/env bash
# Lints the Helm chart of the gateway, renders it with each file of values, and has the program
# check the folder that the rendered ConfigMap holds. Needs helm (`tools/setup.sh more-chart`) and
# python3. POLYWIRE names a program with the feature `gateway`; without it, one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/target/tools/bin:$PATH"
export SHOP_KEY=a-key-of-the-shop

polywire=${POLYWIRE:-}
if [ -z "$polywire" ]; then
    cargo build --quiet --locked -p polywire-cli --features gateway
    polywire="${CARGO_TARGET_DIR:-target}/debug/polywire"
fi
# Without a cluster, helm does not know which version it renders for.
kubernetes=1.31.0
chart=examples/deploy/helm/polywire
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

for values in examples/deploy/helm/values/*.yaml; do
    echo "check-chart.sh: $values"
    helm lint --quiet --strict "$chart" --kube-version "$kubernetes" --values "$values"
    helm template shop "$chart" --kube-version "$kubernetes" --namespace trade --values "$values" >"$work/rendered.yaml"
    rm -rf "$work/folder"
    # Comments are lost. Templates without content make empty documents.
    "$polywire" convert --lossy --from yaml --to jsonl "$work/rendered.yaml" 2>"$work/losses" | python3 tools/check-chart.py "$work/folder" || {
        cat "$work/losses" >&2
        exit 1
    }
    "$polywire" serve "$work/folder" --check
done
