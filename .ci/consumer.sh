#!/usr/bin/env bash
# A user's project in another folder: installs the packed tarball into a fresh Nest application, serves the README's agent
# with `nest start`, and drives it from the user's own Jest suite.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
project=$(mktemp -d)
server=''
finish() {
  # The whole group: `nest start` runs the application as a child.
  if [ -n "$server" ]; then
    kill -KILL -- "-$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$project" || true
}
trap finish EXIT

tarball="$project/$(cd "$root" && npm pack --ignore-scripts --silent --pack-destination "$project")"
cp -r "$root"/docs/examples/quickstart/. "$project"
cd "$project"
npm install --no-audit --no-fund --fetch-retries=5 --loglevel=error "$tarball"

npx jest --testTimeout=60000

PORT=0 setsid npx nest start >start.log 2>&1 &
server=$!
for _ in $(seq 300); do
  if grep -q 'Nest application successfully started' start.log || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 1
done
grep 'Agent calculator' start.log
grep 'tool add(a: number, b: number)' start.log
grep 'successfully started' start.log
echo 'the consumer project works'
