#!/bin/sh
# make demo: builds the tools and takes one example through all of them, showing every command and its output.
set -eu
cd "$(dirname "$0")/.."

example=examples/vector_add.wave
bin=build/bin
out=build/demo
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

title() {
    printf '\n== %s\n' "$1"
}

# show COMMAND...: as a user would type it, then what it prints.
show() {
    echo "\$ $*"
    "$@"
}

sh scripts/install-deps.sh build || echo "demo: going on with what is installed"
title "build"
"${MAKE:-make}" -j"$jobs" all runner
mkdir -p "$out"

title "the source: $example"
cat "$example"

title "assemble, and validate the binary"
show $bin/wave-asm $example -o $out/vector_add.wbin
show $bin/wavec --check $out/vector_add.wbin
echo "$(wc -c <$out/vector_add.wbin | tr -d ' ') bytes, no complaint"

title "disassemble, with the bytes"
show $bin/wave-dis --offsets --raw $out/vector_add.wbin

title "a round trip gives the same bytes"
show $bin/wave-dis $out/vector_add.wbin >$out/again.wave
sed 1d $out/again.wave >$out/again.tmp && mv $out/again.tmp $out/again.wave
show $bin/wave-asm $out/again.wave -o $out/again.wbin
show cmp $out/vector_add.wbin $out/again.wbin
echo "identical"

title "run the example on the emulator, against its own expected memory"
show build/tests/wave-test $example
