#!/bin/sh
# AMD's compiler on the HIP output of every example and test program: no errors, no warnings, no unrequested fused
# multiply-add, and the examples linked for gfx942. See tests/tools/check_hip.py and docs/inside/testing-hip.md.
# Usage: scripts/check-hip.sh [BUILD] [--all] [samples|programs|link|limits]...
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
[ $# -eq 0 ] || shift
exec python3 tests/tools/check_hip.py "--build=$build" "$@"
