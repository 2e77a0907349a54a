#!/bin/sh
# Prints the test programs of hwtest, each once, in the order in which they are run: those of first.txt, the examples,
# and then all others. With --quick the others are left out.
# Usage: hwtests/tests-list.sh [--quick]
set -u
cd "$(dirname "$0")/.." || exit 2
{
    grep -v '^#' hwtests/first.txt | while read -r pattern; do
        # A pattern without a match is kept literally, and names no file.
        for file in $pattern; do
            [ -z "$file" ] || echo "$file"
        done
    done
    find examples -name '*.wave' | LC_ALL=C sort
    [ "${1:-}" = --quick ] || find tests/programs -name '*.wave' | LC_ALL=C sort
} | awk '!seen[$0]++'
