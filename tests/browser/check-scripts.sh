#!/usr/bin/env bash
# Checks the types (tsc) and the style (eslint) of the scripts of the pages: check-scripts.sh VENV, called by make.
set -euo pipefail
venv="$(realpath "$1")"
cd "$(dirname "$0")/../.."

if [ ! -x "$venv/bin/node" ]; then
    echo "skipped: there is no Node for this machine" >&2
    exit 0
fi
modules="$venv/browser/node_modules"
status=0
"$venv/bin/node" "$modules/typescript/bin/tsc" --project tests/browser/tsconfig.json || status=1
NODE_PATH="$modules" "$venv/bin/node" "$modules/eslint/bin/eslint.js" \
    --config tests/browser/eslint.config.cjs --max-warnings 0 --no-error-on-unmatched-pattern service/pages/static/js \
    service/http/static/api-docs.js domain || status=1
exit "$status"
