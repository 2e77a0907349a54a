#!/bin/sh
# Checks the Makefile's dependencies on a finished build: nothing is rebuilt when nothing changed, and a changed
# header, table, source or flag rebuilds what depends on it. Nothing is compiled: make is only queried (-q, -n).
# Usage: scripts/check-rebuild.sh [MAKE-VARIABLE...]
set -u

make=${MAKE:-make}
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

"$make" -q "$@" all tests >/dev/null 2>&1
judge $? "make has work to do after a finished build"

"$make" -q "$@" "BUILD=$(pwd)/build" all >/dev/null 2>&1
judge $? "make has work to do when the same build folder is named by its whole path"

# plan ARG...: the commands make would run.
plan() {
    "$make" -n V=1 "$@" all tests build/lib/wave/wave-rt-trial 2>/dev/null
}

# rebuilds FILE OBJECT: a newer FILE must lead to compiling OBJECT.
rebuilds() {
    plan -W "$1" | grep -q -- "-o [^ ]*$2 "
    judge $? "a newer $1 does not rebuild $2"
}

for header in include/wave/*.h; do
    users=$(grep -l "<wave/$(basename "$header")>" src/cli/*.c | head -n 1)
    [ -z "$users" ] || rebuilds "$header" "obj/${users%.c}.o"
done
rebuilds src/isa/isa.def obj/src/isa/isa.o
# The cache's key contains a hash of everything that its entries depend on.
for file in src/isa/isa.def src/emit/helpers/hip.txt src/spirv/library.inc runtime/hip.c; do
    rebuilds "$file" obj/runtime/cache.o
done
# The table between the runtime and a plug-in uses types of the public headers.
rebuilds include/wave/emu.h lib/wave/wave-rt-trial
source=$(ls src/base/*.c | head -n 1)
rebuilds "$source" lib/libwave.so.[0-9.]*
for tool in wave-asm wave-dis wave-emu wavec; do
    rebuilds "$source" "bin/$tool"
done

all=$(ls src/*/*.c | wc -l)
planned=$(plan CFLAGS=-O0 | grep -c -- ' -c -o [^ ]*/obj/src/')
[ "$planned" -eq "$all" ]
judge $? "other CFLAGS would compile $planned of $all source files"

echo "rebuild: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
