#!/bin/sh
# Runs @FILE@ and compares it with the authors' run. Further options are passed to `parade run`,
# for example: --only subject=NAME
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# @FIND@
code=0
"$parade" run "$here"/@FOLDER@/@FILE@ --out "$here/results" "$@" || code=$?
latest=$here/results/@NAME@/latest
case " $* " in *" --dry-run "*) exit "$code" ;; esac
if [ ! -d "$latest" ]; then
    echo "there is no run in $latest, so there is nothing to compare with the authors' run" >&2
    if [ "$code" -eq 0 ]; then code=1; fi
    exit "$code"
fi
echo
echo "Comparison of the authors' run (first) with yours (second):"
"$parade" compare "$here/run" "$latest"
exit "$code"
