#!/bin/sh
# The strict check of Metal output: clang as C++ for OpenCL with our own Metal library, and tests/msl/check_msl.py for
# attributes and what Metal leaves out of C++. Every example and test program, and the check's own samples. See docs/reference/msl.md.
# Usage: scripts/check-msl.sh [BUILD] [--all] [--only=WORD] [samples|golden|programs|limits]...
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
[ $# -eq 0 ] || shift
exec python3 tests/msl/check_output.py "--build=$build" "$@"
