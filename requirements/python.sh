#!/usr/bin/env bash
# Prints the Python to build the virtual environments with: the one asked for, or the first fitting one on the PATH.
# 3.11 and 3.12 come before anything newer, since the wheel with the embedded Redis exists for them.
set -euo pipefail

is_between() { # COMMAND LOWEST HIGHEST: a working Python of these versions, with the venv module?
    "$1" -c "import sys, venv, ensurepip; sys.exit(not ($2 <= sys.version_info[:2] <= $3))" 2>/dev/null
}

if [ $# -gt 0 ]; then
    candidates=("$@")
else
    candidates=(python3 python3.12 python3.11)
fi
for range in "(3, 11) (3, 12)" "(3, 13) (4, 0)"; do
    lowest="${range%) *})"
    highest="${range#*) }"
    for candidate in "${candidates[@]}"; do
        if is_between "$candidate" "$lowest" "$highest"; then
            echo "$candidate"
            exit 0
        fi
    done
done
{
    echo "Cartulary needs Python 3.11 or 3.12 with its venv module (Debian: apt install python3-venv). Found:"
    for candidate in "${candidates[@]}"; do
        echo "  $candidate: $("$candidate" --version 2>&1 | head -n 1 || true)"
    done
    echo "Another one can be named: make PYTHON=/path/to/python3.12"
} >&2
exit 1
