#!/bin/sh
# Runs the short version (short.toml), and puts it beside the authors' run. Further options go to `parade run`.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# @FIND@
code=0
"$parade" run "$here"/@FOLDER@/short.toml --out "$here/results" "$@" || code=$?
latest=$here/results/@NAME@/latest
if [ -d "$latest" ]; then
    echo
    echo "Beside the run of the authors (first) is yours (second):"
    "$parade" compare "$here/run" "$latest"
fi
exit "$code"
