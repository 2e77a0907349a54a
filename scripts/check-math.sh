#!/bin/sh
# Measures fsin, fcos, fexp2 and flog2 over all 2^32 inputs and prints the largest errors; see docs/reference/math.md.
# Usage: scripts/check-math.sh [STEP]     only every STEPth input (default 1: all, which takes minutes)
# JOBS=N is the number of processes (default 2). First it checks that a build without fused multiply-add
# hardware gives the same bits as one for this machine.
set -eu
cd "$(dirname "$0")/.."

step=${1:-1}
cc=${CC:-cc}
out=build/check-math
flags="-std=c11 -O2 -Wall -Wextra -D_POSIX_C_SOURCE=200809L -fno-fast-math -ffp-contract=off -Isrc"
sources="tests/tools/sweep_math.c src/base/exact_math.c"
mkdir -p "$out"

# shellcheck disable=SC2086 # flags and sources are lists
$cc $flags $sources -o "$out/portable" -lm
# shellcheck disable=SC2086
$cc $flags -march=native $sources -o "$out/native" -lm 2>/dev/null ||
    $cc $flags -mcpu=native $sources -o "$out/native" -lm

"$out/portable" all 1009 >"$out/portable.txt"
"$out/native" all 1009 >"$out/native.txt"
if ! cmp -s "$out/portable.txt" "$out/native.txt"; then
    echo "check-math: the builds with and without -march=native differ" >&2
    diff "$out/portable.txt" "$out/native.txt" >&2
    exit 1
fi
echo "same bits in both builds (every 1009th input)"

# shellcheck disable=SC2016 # the inner shell expands them
printf '%s\n' fsin flog2 fcos fexp2 | xargs -n 1 -P "${JOBS:-2}" sh -c '"$0" "$2" "$1"' "$out/native" "$step"
