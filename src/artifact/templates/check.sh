#!/bin/sh
# Is every file here what it was when the artifact was made?
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd -- "$here"
if ! command -v sha256sum >/dev/null 2>&1; then
    echo "sha256sum is missing; it is part of the GNU coreutils and of BusyBox" >&2
    exit 1
fi
wrong=$(sha256sum -c CHECKSUMS.sha256 2>/dev/null | grep -v ': OK$' || true)
if [ -n "$wrong" ]; then
    printf '%s\n' "$wrong" >&2
    exit 1
fi
echo "all $(wc -l <CHECKSUMS.sha256 | tr -d ' ') files are as they were"
