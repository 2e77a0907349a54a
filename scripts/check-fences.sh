#!/bin/sh
# Fences and barriers in the vendors' machine code: NVIDIA's SASS and AMD's assembly keep every access on its side of them.
# See tests/tools/check_fences.py and docs/inside/testing-hip.md.
# Usage: scripts/check-fences.sh [BUILD] [samples|ptx|hip]...
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
[ $# -eq 0 ] || shift
exec python3 tests/tools/check_fences.py "--build=$build" "$@"
