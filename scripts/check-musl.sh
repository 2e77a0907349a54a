#!/bin/sh
# The second libc: the assembler produces the same bytes, the disassembler the same text, the emulator the same
# results.
# Usage: scripts/check-musl.sh      after the builds in build/ and build/musl
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/musl/smoke
for file in examples/*.wave; do
    stem=build/musl/smoke/$(basename "$file" .wave)
    build/bin/wave-asm "$file" -o "$stem.glibc"
    build/musl/bin/wave-asm "$file" -o "$stem.musl"
    cmp "$stem.glibc" "$stem.musl"
    build/bin/wave-dis "$stem.glibc" >"$stem.glibc.dis"
    build/musl/bin/wave-dis "$stem.musl" >"$stem.musl.dis"
    cmp "$stem.glibc.dis" "$stem.musl.dis"
    build/musl/bin/wavec --check "$stem.musl"
done
sh scripts/run-tests.sh build/musl examples
