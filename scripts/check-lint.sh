#!/bin/sh
# clang-tidy on the files that changed since the last shared commit, and cppcheck, which has its own cache. make lint
# checks every file.
# Usage: scripts/check-lint.sh
set -u
cd "$(dirname "$0")/.." || exit 2
exec "${MAKE:-make}" -s TIDY_ONLY=--changed lint
