#!/bin/sh
# Runs the whole experiment (full.toml), and puts it beside the authors' run. Further options go to `parade run`,
# such as: --only subject=NAME
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# @FIND@
code=0
"$parade" run "$here"/@FOLDER@/full.toml --out "$here/results" "$@" || code=$?
latest=$here/results/@NAME@/latest
if [ -d "$latest" ]; then
    echo
    echo "Beside the run of the authors (first) is yours (second):"
    "$parade" compare "$here/run" "$latest"
fi
exit "$code"
