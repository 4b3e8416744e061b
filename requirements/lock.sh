#!/usr/bin/env bash
# Writes the lock files, with hashes, for every platform and Python from 3.11 on: lock.sh UV [--upgrade].
# Only PyPI is asked, whatever this machine is configured for, so that no path or mirror of it gets into a lock.
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

# The tools and the peers see the very versions that run: each lock is a constraint on those after it.
lock pyproject.toml requirements/run.txt --extra build "$@"
lock pyproject.toml requirements/dev.txt --extra build --extra dev --constraint requirements/run.txt "$@"
lock pyproject.toml requirements/bench.txt --extra build --extra bench --constraint requirements/run.txt "$@"
lock requirements/lock.in requirements/lock.txt "$@"
