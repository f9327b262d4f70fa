# The program: $PARADE, the copy in this folder, or the one on the PATH.
parade=${PARADE:-}
if [ -z "$parade" ]; then
    if [ -x "$here/bin/parade" ] && "$here/bin/parade" --version >/dev/null 2>&1; then
        parade=$here/bin/parade
    elif command -v parade >/dev/null 2>&1; then
        parade=parade
    else
        echo "parade was not found. INSTALL.md says how to get it; PARADE=/path/to/parade gives its location." >&2
        exit 1
    fi
fi
# Clones, builds and downloads stay inside this folder, too.
PARADE_HOME=${PARADE_HOME:-$here/cache}
export PARADE_HOME
