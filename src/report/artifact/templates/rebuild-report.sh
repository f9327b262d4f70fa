#!/bin/sh
# Builds all tables and figures again from the records in run/, in a separate folder, and compares the tables with the authors'
# tables in run/report.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# @FIND@
again=$here/rebuilt
rm -rf -- "$again"
cp -R -- "$here/run" "$again"
rm -rf -- "$again/report"
"$parade" report "$again"
tables=0
for table in "$here"/run/report/*.csv; do
    name=$(basename -- "$table")
    if ! cmp -- "$table" "$again/report/$name"; then
        echo "$name differs from the authors' table" >&2
        exit 1
    fi
    tables=$((tables + 1))
done
echo "all $tables tables are identical to the authors'; the page is $again/report/index.html"
