#!/bin/sh
# AMD's compiler on the HIP output of every example and test program: no errors, no warnings, no fused multiply-add that
# nobody asked for, and the examples linked for gfx942. See tests/tools/check_hip.py and docs/testing-hip.md.
# Usage: scripts/check-hip.sh [BUILD] [--all] [samples|programs|link|limits]...
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
[ $# -eq 0 ] || shift
exec python3 tests/tools/check_hip.py "--build=$build" "$@"
