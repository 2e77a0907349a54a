#!/bin/sh
# WBIN through the compiler (docs/reference/wbin-target.md): every program after wavec --target=wbin --always on the emulator, at every width
# and schedule, and random programs after each pass. Usage: scripts/check-wbin.sh [BUILD] [SEEDS]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
seeds=${2:-24}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
passed=0
failed=0

# run NAME COMMAND...: the last line of the output has the number of passed tests.
run() {
    name=$1
    shift
    output=$("$@" 2>&1)
    status=$?
    count=$(printf '%s\n' "$output" | sed -n 's/^wave-[a-z]*: \([0-9]*\) passed.*/\1/p')
    if [ "$status" -eq 0 ] && [ "${count:-0}" -gt 0 ]; then
        passed=$((passed + count))
        echo "ok   $name: $count"
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        printf '%s\n' "$output" | tail -n 40
    fi
}

programs=$(find examples tests/programs -name '*.wave' | LC_ALL=C sort)
for options in -O0 "-O2 --always" "-O2 --always --extensions"; do
    # shellcheck disable=SC2086 # names without blanks, and options
    run "every program, $options" "$build/bin/wave-test" --through=wbin $options $programs
done
run "random programs" "$build/tests/wave-diff" --seeds "1..$((4 * seeds))" --targets=wbin --jobs="$jobs" --batch=8
run "random programs after each pass" "$build/tests/wave-diff" --seeds "1..$seeds" --passes --widths=4,32,64 --jobs="$jobs" --batch=4
echo "check-wbin: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
