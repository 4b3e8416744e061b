#!/usr/bin/env bash
# Runs the tests, and beside them the tools that check the code: check.sh VENV [ARGUMENT OF PYTEST...], called by make.
# The output of each tool is printed in one piece after that of the tests. Exits with 1 if any of them fails. If RERUN is
# set, tests that fail are run again (tests/rerun.py).
set -uo pipefail
cd "$(dirname "$0")/.."
venv="$1"
shift

output="$(mktemp -d)"
names=()
processes=()
failed=()
# Ctrl-C does not reach processes in the background.
trap 'kill "${processes[@]}" 2>/dev/null; rm -rf "$output"' EXIT

begin() { # NAME COMMAND...: starts a tool
    "${@:2}" >"$output/${#names[@]}" 2>&1 &
    processes+=("$!")
    names+=("$1")
}

heading() {
    printf '\033[1m%s\033[0m\n' "$1" >&2
}

begin "format: ruff format --check ('make format' formats)" "$venv/bin/ruff" format --check --quiet .
begin "lint: ruff check" "$venv/bin/ruff" check --quiet .
begin "types: mypy, also on deliberate faults" "$venv/bin/python" -m tests.domain.check_types
begin "scripts of the pages: tsc and eslint" tests/browser/check-scripts.sh "$venv"

# On a fresh clone, each process of pytest would compile all modules, at the same time as the others. They share
# the work on the test files (tests/support/shared_rewriting.py).
"$venv/bin/python" -m compileall -q -j 0 cartulary client domain ledger replay service workers tests/support >/dev/null

heading "tests: pytest"
pytest=("$venv/bin/pytest")
[ -z "${RERUN:-}" ] || pytest=("$venv/bin/python" -m tests.rerun)
"${pytest[@]}" "$@" || failed+=("tests: pytest")
for number in "${!names[@]}"; do
    wait "${processes[number]}" || failed+=("${names[number]}")
    heading "${names[number]}"
    cat "$output/$number"
done

[ ${#failed[@]} -eq 0 ] || { printf 'FAILED %s\n' "${failed[@]}" >&2; exit 1; }
