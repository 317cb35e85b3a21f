#!/usr/bin/env bash
# Makes the Python environment of the interop suite, outside the tree, and prints it as one line of JSON:
#   {"python": its interpreter, "version": Python's, "sdk": the official SDK's version, or null when this Python is too old}
# Made once for each Python and each list of packages. Exit code 3, and the reason on stderr: no Python can be used.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# The last version that speaks the callback protocol; 0.3.3 and later are polled by the trainer.
SDK=0.3.2

is_version() { "$1" -c "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != ($2))" >/dev/null 2>&1; }

# 3.13 and later place the faults of broken JSON elsewhere than the recorded answers do.
find_python() {
  local candidate
  for candidate in python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python3 python3; do
    if is_version "$candidate" '3, 12'; then echo "$candidate" && return; fi
  done
  for candidate in python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11.*/bin/python3 python3 /usr/bin/python3; do
    if is_version "$candidate" '3, 11'; then echo "$candidate" && return; fi
  done
  echo 'no Python 3.12 or 3.11 with its venv module; on Debian: apt-get install python3-venv' >&2
  exit 3
}

python=$(find_python)
version=$("$python" -c 'import platform; print(platform.python_version())')
sdk=$SDK
is_version "$python" '3, 12' || sdk=''
key=$( (cat "$here/peer/requirements.txt" && echo "$version $sdk $python") | sha256sum | cut -c1-12)
folder="${OSMOSIS_INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nestjs-osmosis}/interop-$key"

if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  "$python" -m venv "$folder" >&2
  install() { "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$@" >&2; }
  install --requirement "$here/peer/requirements.txt"
  # Without its dependencies: the driver, the callback listener and the server need none but those above.
  if [ -n "$sdk" ]; then install --no-deps "osmosis-ai==$sdk"; fi
  touch "$folder/complete"
fi
printf '{"python":"%s","version":"%s","sdk":%s}\n' "$folder/bin/python" "$version" "$([ -n "$sdk" ] && echo "\"$sdk\"" || echo null)"
