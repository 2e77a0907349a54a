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

# show COMMAND...: prints the command as a user would type it, then its output.
show() {
    echo "\$ $*"
    "$@"
}

sh scripts/install-deps.sh build || echo "demo: continuing with what is installed"
title "build"
"${MAKE:-make}" -j"$jobs" all runner
mkdir -p "$out"

title "the source: $example"
cat "$example"

title "assemble, and validate the binary"
show $bin/wave-asm $example -o $out/vector_add.wbin
show $bin/wavec --check $out/vector_add.wbin
echo "$(wc -c <$out/vector_add.wbin | tr -d ' ') bytes, no problems found"

title "disassemble, with the bytes"
show $bin/wave-dis --offsets --raw $out/vector_add.wbin

title "a round trip gives the same bytes"
echo "\$ $bin/wave-dis $out/vector_add.wbin | $bin/wave-asm - -o $out/again.wbin"
$bin/wave-dis $out/vector_add.wbin | $bin/wave-asm - -o $out/again.wbin
show cmp $out/vector_add.wbin $out/again.wbin
echo "identical"

title "compile it for the four targets"
show $bin/wavec --target=all $out/vector_add.wbin -o $out
wc -c $out/vector_add.ptx $out/vector_add.hip $out/vector_add.sycl.cpp $out/vector_add.metal
title "PTX, the whole file"
cat $out/vector_add.ptx
# The other texts from the kernel's comment on: headers and helpers precede it.
for text in $out/vector_add.hip $out/vector_add.sycl.cpp $out/vector_add.metal; do
    title "$text, the kernel"
    sed -n '/^\/\/ vector_add/,/^}$/p' $text
done

# a at 0, b at 0x400, c at 0x800: a[i] = i / 2, b[i] = i / 4, so c[i] = 0.75 i
title "run it on the emulator: c = a + b, the first eight of c"
show $bin/wave-emu $out/vector_add.wbin --grid 4,1,1 --arg a=0 --arg b=0x400 --arg c=0x800 \
    --fill-iota 0:f32:256:0.5 --fill-iota 0x400:f32:256:0.25 --dump-f32 c:8 --stats

title "run the example with the launch and the expected memory it carries, at five wave widths"
show build/bin/wave-test $example
