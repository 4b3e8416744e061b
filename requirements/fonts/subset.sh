#!/usr/bin/env bash
# Makes the fonts of the pages from those of the npm packages that package-lock.json pins: subset.sh VENV, called by
# make fonts. They have the characters that English, French and Spanish need, the weights and the features that the
# style sheets use, and no hinting.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv="$1"
fonts="service/pages/static/fonts"
build="$(mktemp -d)"
trap 'rm -rf "$build"' EXIT
# The same files give the same fonts.
export SOURCE_DATE_EPOCH=0
packages="$build/node_modules/@fontsource-variable"

# npm checks every file against its hash, and the packages run no scripts while they are installed.
cp requirements/fonts/package.json requirements/fonts/package-lock.json "$build"
"$venv/bin/npm" ci --prefix "$build" --cache "$build/cache" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
"$venv/bin/pip" install --quiet --no-deps --target "$build/tools" --require-hashes --requirement /dev/stdin <<'LOCK'
fonttools==4.68.0 --hash=sha256:d76f8fdcb6936f5e1045a0c9dd721a4bf11112e60d1e243bfa1d39f06a8b3104
LOCK

characters="20-7E,A0,A1,A3,AA,AB,B0,B7,BA,BB,BF,C0-C2,C6-CB,CD-CF,D1,D3,D4,D7,D9-DC,E0-E2,E6-EB,ED-EF,F1,F3,F4,F7"
characters+=",F9-FC,FF,152,153,178,2009,2010-2014,2018-201A,201C-201E,2020,2022,2026,202F,2032,2033,2039,203A,20AC"
characters+=",2190-2193,2212,2264,2265"

subset() { # NAME WEIGHTS FEATURES
    local name="$1" file="$build/$1.ttf"
    PYTHONPATH="$build/tools" "$venv/bin/python" -m fontTools.varLib.instancer --quiet \
        "$packages/$name/files/$name-latin-wght-normal.woff2" "wght=$2" --output "$file"
    PYTHONPATH="$build/tools" "$venv/bin/python" -m fontTools.subset "$file" --unicodes="$characters" \
        --layout-features="$3" --flavor=woff2 --no-hinting --desubroutinize --output-file="$fonts/$name.woff2"
    cp "$packages/$name/LICENSE" "$fonts/$name.LICENSE.txt"
}

subset inter 400:800 kern,mark,ccmp,locl,calt,tnum
subset eb-garamond 600 kern,liga,ccmp,locl,lnum
