#!/usr/bin/env bash
# Prints the Python interpreter to create the virtual environments with: python.sh [PYTHON].
# Without an argument, that is the first suitable one on the PATH: 3.11, 3.12, 3.13 or 3.14.
set -euo pipefail

version_of() { # COMMAND: prints "MAJOR MINOR" if it is a working Python with the venv module, otherwise nothing.
    # Not for 3.14.1 either, which networkx excludes.
    "$1" -c 'import sys, venv, ensurepip
sys.version_info[:3] == (3, 14, 1) or print(*sys.version_info[:2])' 2>/dev/null || true
}

find_python() { # LOWEST HIGHEST COMMAND...: prints the first command whose version is 3.LOWEST to 3.HIGHEST.
    local lowest="$1" highest="$2" candidate major minor
    shift 2
    for candidate in "$@"; do
        read -r major minor <<<"$(version_of "$candidate")"
        if [[ $major == 3 ]] && ((minor >= lowest && minor <= highest)); then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

if [ $# -gt 0 ]; then
    candidates=("$@")
    # A version that has been asked for by name may be newer than those that are tested.
    find_python 11 999 "$@" && exit 0
else
    candidates=(python3 python3.14 python3.13 python3.12 python3.11)
    find_python 11 14 "${candidates[@]}" && exit 0
fi
{
    echo "Cartulary needs Python 3.11, 3.12, 3.13 or 3.14 (not 3.14.1) with the venv module (Debian: apt install python3-venv)."
    echo "None of these can be used:"
    for candidate in "${candidates[@]}"; do
        echo "  $candidate: $("$candidate" --version 2>&1 | head -n 1 || true)"
    done
    echo "To name another interpreter: make PYTHON=/path/to/python3.13"
} >&2
exit 1
