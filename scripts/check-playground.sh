#!/bin/sh
# Builds the playground and tests it in a headless browser; screenshots go to BUILD/playground.
# Usage: scripts/check-playground.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: $0 BUILD}
sh scripts/playground.sh "$build/playground/wavec.html" || exit 1
exec python3 tests/web/test_playground.py "$build/playground/wavec.html" "$build/bin" "$build/playground"
