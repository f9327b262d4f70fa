#!/bin/sh
# Runs @FILE@, and puts it beside the authors' run. Further options go to `parade run`,
# such as: --only subject=NAME
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# @FIND@
code=0
"$parade" run "$here"/@FOLDER@/@FILE@ --out "$here/results" "$@" || code=$?
latest=$here/results/@NAME@/latest
case " $* " in *" --dry-run "*) exit "$code" ;; esac
if [ ! -d "$latest" ]; then
    echo "there is no run in $latest: nothing can be put beside the authors' run" >&2
    if [ "$code" -eq 0 ]; then code=1; fi
    exit "$code"
fi
echo
echo "Beside the run of the authors (first) is yours (second):"
"$parade" compare "$here/run" "$latest"
exit "$code"
