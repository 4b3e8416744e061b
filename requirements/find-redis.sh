#!/usr/bin/env bash
# Prints the path of the redis-server or valkey-server on the PATH if its version is 6.2 or later; otherwise prints
# nothing and exits with status 1. service/operation/embedded_redis.py makes the same choice when it starts the server.
set -euo pipefail

for name in redis-server valkey-server; do
    server="$(command -v "$name")" || continue
    # "Redis server v=7.0.15 sha=..." or "Valkey server v=8.0.1 sha=..."
    version="$("$server" --version 2>/dev/null)" || continue
    if [[ $version =~ (^|[[:space:]])v=([0-9]+)\.([0-9]+)\.[0-9]+ ]]; then
        major="${BASH_REMATCH[2]}" minor="${BASH_REMATCH[3]}"
        if ((major > 6 || (major == 6 && minor >= 2))); then
            echo "$server"
            exit 0
        fi
    fi
done
exit 1
