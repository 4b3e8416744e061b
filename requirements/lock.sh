#!/usr/bin/env bash
# Writes the lock files, with hashes, for every platform and every Python from 3.11 on: lock.sh UV [--upgrade].
# Only PyPI is used, however this machine is configured, so that no local path or mirror gets into a lock file.
set -euo pipefail
cd "$(dirname "$0")/.."
uv="$1"
shift

unset UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_DEFAULT_INDEX
export UV_CUSTOM_COMPILE_COMMAND="make lock"

lock() { # SOURCE TARGET [OPTION...]
    local source="$1" target="$2"
    shift 2
    echo "$target" >&2
    "$uv" pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
        --default-index https://pypi.org/simple "$source" --output-file "$target" "$@"
}

# The development tools and the benchmark use the same versions as the service: run.txt constrains the other two.
lock pyproject.toml requirements/run.txt --extra server --extra build "$@"
lock pyproject.toml requirements/dev.txt --extra server --extra otel --extra build --extra pettingzoo --extra dev --constraint requirements/run.txt "$@"
lock pyproject.toml requirements/bench.txt --extra server --extra build --extra bench --constraint requirements/run.txt "$@"
lock requirements/engine.in requirements/engine.txt "$@"
lock requirements/other-engines.in requirements/other-engines.txt --no-deps "$@"
lock requirements/lock.in requirements/lock.txt "$@"
