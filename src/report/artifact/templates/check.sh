#!/bin/sh
# Verifies that every file is unchanged since the artifact was made. Additional files are listed, but are not an error.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd -- "$here"
LC_ALL=C
export LC_ALL
if ! command -v sha256sum >/dev/null 2>&1; then
    echo "sha256sum is missing; it is part of the GNU coreutils and of BusyBox" >&2
    exit 1
fi
list=CHECKSUMS.sha256
made=@FILES@
if [ ! -f "$list" ]; then
    echo "$list is missing, so nothing can be verified" >&2
    exit 1
fi
code=0
found=$(sha256sum -c "$list" 2>&1) || code=$?
wrong=$(printf '%s\n' "$found" | grep -v ': OK$' || true)
right=$(printf '%s\n' "$found" | grep -c ': OK$' || true)
if [ "$code" -ne 0 ] || [ -n "$wrong" ]; then
    printf '%s\n' "$wrong" >&2
fi
# Every line of the list must be of a file that is right, and there must be as many as there were.
listed=$(wc -l <"$list" | tr -d ' ')
if [ "$listed" -ne "$made" ]; then
    echo "$list has $listed lines; it was made with $made" >&2
fi
if [ "$code" -ne 0 ] || [ -n "$wrong" ] || [ "$right" -ne "$made" ] || [ "$listed" -ne "$made" ]; then
    echo "$right of $made files are unchanged" >&2
    exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
# Names with line breaks are left to sha256sum.
break='
'
others=$(
    find . \( -path ./results -o -path ./rebuilt -o -path ./cache -o -path "./$list" \) -prune -o \
        -type f ! -path "*$break*" -print | sed -e 's|^\./||' -e 's|\\|\\\\|g' | sort >"$scratch/here"
    sed -e 's/^\\\{0,1\}[0-9a-f]\{64\}  //' "$list" | sort >"$scratch/listed"
    comm -23 "$scratch/here" "$scratch/listed"
)
if [ -n "$others" ]; then
    echo "additional files:" >&2
    printf '%s\n' "$others" >&2
fi
echo "all $made files are unchanged"
