#!/bin/sh
# clang-tidy on the files that changed since the last commit shared with others, and cppcheck, which remembers by itself.
# make lint looks at every file. Usage: scripts/check-lint.sh
set -u
cd "$(dirname "$0")/.." || exit 2
exec "${MAKE:-make}" -s TIDY_ONLY=--changed lint
