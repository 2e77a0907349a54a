#!/bin/sh
# make check: every build, every test, fuzz smoke, lint and form, one step after the other.
# With --all (make check-all) steps that take a sample of GPUs, widths or sizes take all of them; logs go to build/check-all.
# A step prints its heading and its closing lines; the rest goes to build/check/*.log and is shown if it fails.
# A missing tool is a failure in CI (CI=true); elsewhere the step is skipped, by name and with the reason.
# CHECK_ONLY="unit lint" runs only the named steps, after the release build. Names: see the end of this file.
set -u
cd "$(dirname "$0")/.." || exit 2

MAKE=${MAKE:-make}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
all=
logs=build/check
if [ "${1:-}" = --all ]; then
    all=--all
    logs=build/check-all
fi
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0
skipped=0
failures=
started=$(date +%s)
export MAKE

# step NAME TITLE NEEDS COMMAND...: NEEDS is a list of programs ("-" for none).
# The closing lines are those with figures; a step that counts nothing itself counts as one test.
step() {
    name=$1
    title=$2
    needs=$3
    shift 3
    case " ${CHECK_ONLY:-$name} build " in
    *" $name "*) ;;
    *) return 0 ;;
    esac
    echo "== $title"
    for tool in $needs; do
        if [ "$tool" != - ] && ! command -v "$tool" >/dev/null 2>&1; then
            if [ "${CI:-}" = true ]; then
                failed=$((failed + 1))
                failures="$failures $name"
                echo "   FAILED: $tool is not installed"
            else
                skipped=$((skipped + 1))
                echo "   skipped: $tool is not installed"
            fi
            return 0
        fi
    done
    log=$logs/$name.log
    begin=$(date +%s)
    "$@" >"$log" 2>&1
    status=$?
    seconds=$(($(date +%s) - begin))
    grep -E '[0-9]+ passed, [0-9]+ failed|executions|left out|max error|coverage:' "$log" | grep -v '^ ' | sed 's/^/   /'
    # shellcheck disable=SC2046 # two words, or none
    set -- $(sed -n -e 's/^/ /' -e 's/.*[^0-9]\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
    if [ "$status" -eq 0 ]; then
        passed=$((passed + ${1:-1}))
        echo "   ok ($seconds s)"
        return 0
    fi
    [ "${2:-0}" -gt 0 ] || set -- "${1:-0}" 1
    passed=$((passed + $1))
    failed=$((failed + $2))
    failures="$failures $name"
    sed 's/^/   | /' "$log" | tail -n 80
    echo "   FAILED ($seconds s), all of it in $log"
    return 1
}

build() {
    "$MAKE" -j"$jobs" WERROR=1 "$@"
}

# The second libc: the same bytes out of the assembler, the same text out of the disassembler, the same answers.
musl_smoke() {
    for file in examples/*.wave; do
        stem=build/musl/smoke/$(basename "$file" .wave)
        mkdir -p build/musl/smoke
        build/bin/wave-asm "$file" -o "$stem.glibc" && build/musl/bin/wave-asm "$file" -o "$stem.musl" || return 1
        cmp "$stem.glibc" "$stem.musl" || return 1
        build/bin/wave-dis "$stem.glibc" >"$stem.glibc.dis" && build/musl/bin/wave-dis "$stem.musl" >"$stem.musl.dis" || return 1
        cmp "$stem.glibc.dis" "$stem.musl.dis" || return 1
        build/musl/bin/wavec --check "$stem.musl" || return 1
    done
    sh scripts/run-tests.sh build/musl examples
}

# The calculations behind the expected values give what stands in the files.
expected_values() {
    python3 examples/expected.py --check && python3 tests/programs/generate.py --check &&
        python3 tests/programs/coverage.py
}

lint() {
    "$MAKE" -j"$jobs" -k lint
}

# In CI everything must be there; elsewhere what could not be installed is skipped step by step.
dependencies() {
    sh scripts/install-deps.sh test || [ "${CI:-}" != true ]
}

msl_run() {
    if [ "${CI:-}" != true ] && ! sh scripts/find-clang.sh >/dev/null; then
        echo "left out: clang 19 is not installed"
        return 0
    fi
    CHECK_ALL=$all sh scripts/run-tests.sh build msl
}

have_criterion() {
    # shellcheck disable=SC2046 # flags are words
    echo '#include <criterion/criterion.h>' |
        cc -E $(pkg-config --cflags criterion 2>/dev/null) - >/dev/null 2>&1
}

step deps "test dependencies" - dependencies
# Once for all steps: the unit tests and the tool tests look no further than PTXAS and the PATH.
if PTXAS=$(sh scripts/find-ptxas.sh --install); then
    export PTXAS
else
    unset PTXAS
fi
tests=tests
criterion=-
if ! have_criterion; then
    tests=runner
    criterion=criterion
fi
step build "release build, warnings are errors" cc build all $tests || {
    echo "check: $passed passed, $failed failed, $skipped skipped (stopped: the release build failed)"
    exit 1
}
step unit "unit tests" $criterion sh scripts/run-tests.sh build unit
step programs "examples and test programs on the emulator" - sh scripts/run-tests.sh build programs
step ptx "every program as PTX on the interpreter, -O0 and -O2, three schedules" - sh scripts/run-tests.sh build ptx
step expected "expected values against their independent calculations" python3 expected_values
step math "fsin, fcos, fexp2, flog2 against double precision, every 1009th input" - sh scripts/check-math.sh 1009
step cli "command line tests" - sh scripts/run-tests.sh build cli
step ptxvm "the PTX interpreter's samples and type rules, asked from ptxas" - sh scripts/check-ptxvm.sh
step ptxas "every program as PTX through ptxas, four architectures" - sh scripts/check-ptxas.sh build
step simt "the CPU harness, and every program as HIP and SYCL on it: -O0 and -O2, HIP at 64 and 32 lanes, SYCL at 16, three schedules" \
    "$(sh scripts/find-clang.sh || echo clang++-19)" sh scripts/run-tests.sh build simt${all:+-all}
# shellcheck disable=SC2086 # one word or none
step hip "every program as HIP through AMD's compiler, fused operations, linking, limits" python3 sh scripts/check-hip.sh build $all
step msl-run "every program as Metal on the CPU, -O0 and -O2, three schedules" - msl_run
# shellcheck disable=SC2086 # one word or none
step msl "every program as Metal through the strict check, its own samples, limits" python3 sh scripts/check-msl.sh build $all
# shellcheck disable=SC2086 # one word or none
step sycl "every program as SYCL on Intel's CPU device, waves of 32 lanes (-O0; -O2: step hwtest) and 64 (-O2); the launchers" c++ \
    sh scripts/check-sycl.sh build $all
step random "random programs, 500 seeds, on the emulator and every target, compared" - sh scripts/random.sh check build
# shellcheck disable=SC2086 # one word or none
step hwtest "every program through the runtime: emulator, simulated CUDA and HIP drivers, Intel's CPU device" python3 \
    sh scripts/check-hwtest.sh build $all
step examples-build "examples/build with make and CMake, against an installed wavec" pkg-config sh scripts/check-examples-build.sh build
step rebuild "dependencies of the build" - sh scripts/check-rebuild.sh WERROR=1
step install "install, use through pkg-config, uninstall" pkg-config sh scripts/check-install.sh build

if step san "ASan and UBSan build" cc build SAN=1 all $tests; then
    step san-unit "unit tests under ASan and UBSan" $criterion sh scripts/run-tests.sh build/san unit
    step san-programs "examples and test programs under ASan and UBSan" - sh scripts/run-tests.sh build/san programs
    step san-cli "command line tests under ASan and UBSan" - sh scripts/run-tests.sh build/san cli
fi
if step clang "clang build, warnings are errors" clang build CC=clang BUILD=build/clang all $tests; then
    step clang-tests "unit tests and examples in the clang build" "clang $criterion" sh scripts/run-tests.sh build/clang unit examples
fi
if step musl "musl build, warnings are errors" musl-gcc build CC=musl-gcc BUILD=build/musl all runner; then
    step musl-smoke "examples with musl" musl-gcc musl_smoke
fi
step harden "failing allocations, threads under ThreadSanitizer" - sh scripts/check-harden.sh
step hostile "hostile files through every tool: memory and time" python3 python3 tests/harden/hostile.py --size 1048576 --no-count
step fuzz "fuzz targets, a bounded run" clang sh scripts/fuzz.sh smoke
step lint "clang-tidy and cppcheck" "clang-tidy cppcheck" lint
step format "clang-format" clang-format "$MAKE" format-check
step text "documents, scripts, leftovers" - sh scripts/check-text.sh

echo
[ -z "$failures" ] || echo "failed:$failures"
echo "check: $passed passed, $failed failed, $skipped skipped ($(($(date +%s) - started)) s)"
[ "$failed" -eq 0 ]
