#!/usr/bin/env bash
# Prints the usual reasons for which pip cannot install the locked dependencies: explain.sh VENV.
set -euo pipefail
platform="$("$1/bin/python" -c 'import platform as p; print(p.python_implementation(), p.python_version(), p.system(), p.machine())')"
cat <<EOF

The dependencies could not be installed (on $platform). The usual reasons:
- No network: the packages come from PyPI, or from the index that pip is configured to use.
- No binary wheel: some packages have none for rare platforms. pip then compiles them, which needs a C compiler, and
  for some of them Rust.
- A wrong hash: the file is not the one that was locked. Do not install it.
EOF
