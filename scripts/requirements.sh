# What parade's scripts need, by Debian package. Sourced, not run.
#
# As root on a machine with apt-get, what is missing is installed; otherwise the exact command is printed.

missing_packages() {
  local package
  command -v cc >/dev/null || echo gcc libc6-dev
  command -v git >/dev/null || echo git
  command -v pkg-config >/dev/null || echo pkg-config
  { command -v pkg-config >/dev/null && pkg-config --exists openssl; } || echo libssl-dev
  for package in "$@"; do
    case $package in
      jdk) have_jdk || echo default-jdk-headless ;;
      maven) command -v mvn >/dev/null || echo maven ;;
      chromium) command -v chromium >/dev/null || command -v google-chrome >/dev/null || echo chromium ;;
      python) python3 -c 'import venv, ensurepip' 2>/dev/null || echo python3-venv ;;
    esac
  done
}

have_jdk() {
  if [ -n "${JAVA_HOME:-}" ]; then
    [ -x "$JAVA_HOME/bin/javac" ]
  else
    command -v javac >/dev/null
  fi
}

# require jdk maven …: makes sure that the build tools and the named ones are there.
require() {
  if ! command -v cargo >/dev/null; then
    echo "cargo was not found. Install a Rust toolchain (https://rustup.rs), then run this script again." >&2
    exit 1
  fi
  local packages
  packages=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "${packages// /}" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing: $packages" >&2
    # shellcheck disable=SC2086
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages; } >&2
  else
    echo "Some packages are missing. Install them with this command, then run this script again:" >&2
    echo "    sudo apt-get install $packages" >&2
    exit 1
  fi
}

# python_packages FOLDER package …: a Python environment of its own with these packages.
python_packages() {
  local folder=$1
  shift
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
  "$folder/bin/python" -c "import $(echo "$*" | sed 's,pytest-xdist,xdist,' | tr ' ' ',')" 2>/dev/null || "$folder/bin/pip" install --quiet "$@"
}
