#!/bin/sh
# Every program through the runtime's real interface on every device that does not need a GPU: the emulator, the
# simulated CUDA and HIP drivers, Intel's CPU device. Then that hwtest names a device that hangs, a driver that dies,
# a device that is lost, and that its files are well formed. What this proves and what it does not: docs/using/runtime.md.
# Usage: scripts/check-hwtest.sh [BUILD] [sycl-O0]     sycl-O0: only Intel's CPU device, with -O0, which check-all adds
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
level=-O2
[ "${2:-}" != sycl-O0 ] || level=-O0
hwtest=$build/tests/wave-hwtest
out=$build/tests/hwtest
mkdir -p "$out"
verdict_log=$out/verdict
verdict_more=$out/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# Hide the machine's own devices: each part selects its device.
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY WAVE_RT_PLUGINS

# programs NAME OPTION... FILE...: all must pass; adds the figures of the summary line.
programs() {
    name=$1
    shift
    begin=$(date +%s)
    "$hwtest" "$@" >"$out/log" 2>&1
    count $?
}

# count STATUS: evaluates the run $name that began at $begin and whose output is in the log.
count() {
    status=$1
    # shellcheck disable=SC2046 # two words
    set -- $(sed -n 's/^wave-hwtest: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$out/log")
    bad=${2:-1}
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    echo "hwtest, $name: ${1:-0} passed, $bad failed ($(($(date +%s) - begin)) s)"
    [ "$bad" -eq 0 ] || sed 's/^/    /' "$out/log" | tail -n 60
    passed=$((passed + ${1:-0}))
    failed=$((failed + bad))
}

all=$(find examples tests/programs -name '*.wave' | LC_ALL=C sort)
some="examples/saxpy.wave examples/vector_add.wave examples/histogram.wave"
cuda="$(pwd)/$build/tests/libsimcuda.so"
hip="$(pwd)/$build/tests/libsimhip.so"
case $build in /*) cuda=$build/tests/libsimcuda.so hip=$build/tests/libsimhip.so ;; esac

if [ $level = -O2 ]; then
# shellcheck disable=SC2086 # lists of files
programs "the emulator" --device=emu $all
WAVE_CUDA_LIBRARY=$cuda
# shellcheck disable=SC2086
programs "simulated CUDA" --device=cuda:0 --litmus=20 --reports="$out" --tap="$out/cuda.tap" --junit="$out/cuda.xml" $all

# ---- Output files ----

verdict "the TAP is complete" sh -c 'n=$(sed -n "s/^1\.\.//p" "$1"); [ "$n" -gt 1000 ] && [ "$(grep -Ec "^(not )?ok " "$1")" = "$n" ]' sh "$out/cuda.tap"
verdict "width-4 originals are n/a" grep -q "conformance/.*# SKIP needs waves of 4 lanes" "$out/cuda.tap"
verdict "the JUnit XML is XML" python3 -c 'import sys, xml.dom.minidom; assert xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("testcase").length > 1000' "$out/cuda.xml"
verdict "the report names the device" grep -q "^| device | Simulated GPU 0 |" "$out/report-cuda-0.md"
verdict "and sums up by folder" grep -q "^| tests/programs/conformance/any_width | 204 | 0 | 0 | 0 |" "$out/report-cuda-0.md"

# ---- Failing devices ----

# shellcheck disable=SC2086
WAVE_SIM_HANG=t1_vector_add "$hwtest" --device=cuda:0 -O2 --timeout=2 $some >"$out/log" 2>&1
verdict "a device that hangs is named, with the test" grep -q "^FAIL cuda:0 -O2 examples/vector_add.wave: cuda:0 did not answer for 2 seconds while it ran" "$out/log"
verdict "and the others still run" grep -q "wave-hwtest: 2 passed, 1 failed" "$out/log"
# shellcheck disable=SC2086
WAVE_SIM_CRASH=cuLinkAddData_v2 "$hwtest" --device=cuda:0 -O2 $some >"$out/log" 2>&1
verdict "a driver that dies while compiling" grep -q "^FAIL cuda:0 -O2 examples/saxpy.wave: the process that drives cuda:0 died while it was compiled" "$out/log"
verdict "is blamed on each test separately" grep -q "wave-hwtest: 0 passed, 3 failed" "$out/log"
# shellcheck disable=SC2086
WAVE_SIM_FAULT=cuStreamSynchronize:46 "$hwtest" --device=cuda:0 -O2 $some >"$out/log" 2>&1
verdict "a device that is lost" grep -q "examples/histogram.wave: the device is lost: cuStreamSynchronize: CUDA-capable device" "$out/log"
# shellcheck disable=SC2086
WAVE_SIM_FAULT=cuDevicePrimaryCtxRetain:2 "$hwtest" --device=cuda:0 -O2 $some >"$out/log" 2>&1
verdict "a device that does not open" grep -q "wave-hwtest: cuda:0: cuDevicePrimaryCtxRetain: out of memory" "$out/log"
verdict "no such device" sh -c '! "$1" --device=cuda:7 examples/saxpy.wave' sh "$hwtest"
# shellcheck disable=SC2086
"$hwtest" -O2 $some >"$out/log" 2>&1
verdict "all devices, and why others are not available" grep -q "^sycl         skipped: turned off: WAVE_RT_PLUGINS is empty" "$out/log"

# ---- hwbench ----

"$build/tests/wave-hwbench" --device=emu --device=cuda:0 --elements=2^12 --csv="$out/bench.csv" --svg="$out/bench.svg" >"$out/log" 2>&1
verdict "hwbench times every example on both devices" sh -c '[ "$(grep -c "^emu," "$1")" = 12 ] && [ "$(grep -c "^cuda:0," "$1")" = 12 ]' sh "$out/bench.csv"
verdict "with the percentage of a known peak" grep -Eq "^cuda:0,.*,saxpy,.*,[0-9.]+$" "$out/bench.csv"
verdict "the chart is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$out/bench.svg"
WAVE_CUDA_LIBRARY=

# ---- Optional compilers ----

if compiler=$(sh scripts/find-clang.sh) && [ -e "$hip" ]; then
    # shellcheck disable=SC2086
    WAVE_SIM_CLANG=$compiler WAVE_HIP_LIBRARY=$hip WAVE_HIPRTC_LIBRARY=$hip programs "simulated HIP" --device=hip:0 --batch=1 examples/*.wave
else
    echo "left out: simulated HIP: no clang++ of version 19 or newer"
    [ "${CI:-}" != true ] || failed=$((failed + 1))
fi
fi
if sh scripts/find-sycl.sh --install >/dev/null 2>&1; then
    unset WAVE_RT_PLUGINS
    # shellcheck source=scripts/sycl-only.sh
    . scripts/sycl-only.sh
    ${MAKE:-make} -s "BUILD=$build" plugins >"$out/log" 2>&1 || sed 's/^/    /' "$out/log"
    # The compiler is slow: two processes, each with every second program.
    name="Intel's CPU device through the plug-in, $level"
    begin=$(date +%s)
    # shellcheck disable=SC2046,SC2086 # lists of files
    "$hwtest" $level --litmus=50 --device=sycl:cpu --batch=48 --timeout=600 $(echo "$all" | sed -n 'n;p') >"$out/sycl.log" 2>&1 &
    second=$!
    # shellcheck disable=SC2046,SC2086
    "$hwtest" $level --litmus=50 --device=sycl:cpu --batch=48 --timeout=600 $(echo "$all" | sed -n 'p;n') >"$out/log" 2>&1
    count $?
    wait $second
    status=$?
    cp "$out/sycl.log" "$out/log"
    count $status
    verdict "wave-run there" sh -c '"$1" examples/vector_add.wave -d sycl:cpu --grid 4 -b a:f32:256 -b b:f32:256 -b c:f32:256 -p c:f32:1 --cache none | grep -qx 0.0' sh "$build/bin/wave-run"
    # Machine code is cached: compares SYCL's log of its compilations at a first and at a second
    # start.
    rm -rf "$out/cache"
    for start in first second; do
        WAVE_RT_TRIAL=off WAVE_CACHE_DIR="$out/cache" SYCL_CACHE_TRACE=5 "$build/bin/wave-run" examples/vector_add.wave -d sycl:cpu --grid 4 \
            -b a:f32:256 -b b:f32:256 -b c:f32:256 --time >"$out/log" 2>&1
        cp "$out/log" "$out/$start.log"
    done
    verdict "the first start on Intel's CPU device compiles twice: text and machine code" sh -c '[ "$(grep -Ec "storing device code|has been cached" "$1")" = 2 ]' sh "$out/first.log"
    verdict "the second compiles nothing" sh -c '[ "$(grep -c "using cached" "$1")" = 2 ] && ! grep -Eq "storing device code|has been cached" "$1"' sh "$out/second.log"
    echo "sycl:cpu, first start: $(sed -n 's/^start: //p' "$out/first.log"); second: $(sed -n 's/^start: //p' "$out/second.log")"

    # ---- A failing device: an OpenCL layer reports errors, as a GPU's driver does ----

    root=$(sh scripts/find-sycl.sh --cpu)
    ${CC:-cc} -shared -fPIC -Wall -Wextra -Werror -isystem "$root/include" -o "$out/libfault.so" tests/syclfault/layer.c >"$out/log" 2>&1
    # faults CODE WORDS: fails every wait of a process from the fourth on, which belongs to the
    # second test.
    faults() {
        # shellcheck disable=SC2086
        OPENCL_LAYERS="$(cd "$out" && pwd)/libfault.so" WAVE_CL_FAULT=$1:4 "$hwtest" -O2 --device=sycl:cpu --reports="$out" $some >"$out/log" 2>&1
        verdict "sycl: OpenCL error $1 is reported" grep -q "^FAIL sycl:cpu -O2 examples/vector_add.wave: $2: copying to the device: opencl backend failed" "$out/log"
        verdict "the others still run" grep -q "wave-hwtest: 2 passed, 1 failed" "$out/log"
        verdict "in another process" grep -qx "| driver processes restarted | 1 |" "$out/report-sycl-cpu.md"
    }
    faults -5 "the kernel failed"    # CL_OUT_OF_RESOURCES
    faults -9999 "the kernel failed" # a code that OpenCL does not define; NVIDIA's driver returns it for a page fault
    faults -2 "the device is lost"   # CL_DEVICE_NOT_AVAILABLE

    # ---- Queued operations: transfers, copies, events, shared memory ----

    "$build/tests/test_rt_async" --filter 'rt_async/sycl_runs_queued_operations' >"$out/log" 2>&1
    verdict "transfers, events and shared memory" grep -q "Tested: 1 | Passing: 1 |" "$out/log"

    "$build/tests/test_rt_native" --filter 'rt_native/sycl_text_runs' >"$out/log" 2>&1
    verdict "SYCL text with its description" grep -q "Tested: 1 | Passing: 1 |" "$out/log"

    # ---- Next to other registered drivers ----

    rm -rf "$out/vendors"
    mkdir -p "$out/vendors"
    cp /etc/OpenCL/vendors/*.icd "$out/vendors" 2>/dev/null
    rm -f "$out/vendors"/*intel*
    echo libother_vendor.so >"$out/vendors/other.icd"
    (
        unset OCL_ICD_FILENAMES
        OCL_ICD_VENDORS=$(cd "$out" && pwd)/vendors
        export OCL_ICD_VENDORS
        # shellcheck source=hwtests/sycl-env.sh
        . hwtests/sycl-env.sh
        OCL_ICD_ENABLE_TRACE=True "$build/bin/wave-run" --list
    ) >"$out/log" 2>&1
    verdict "Intel's driver is found next to those of others" grep -q "^sycl:cpu " "$out/log"
    for file in "$out/vendors"/*.icd; do
        verdict "$file is queried too" grep -qF "add vendor $(cat "$file")..." "$out/log"
    done
else
    echo "left out: Intel's CPU device: its run time is not installed, and installing it failed"
    [ "${CI:-}" != true ] || failed=$((failed + 1))
fi

echo "check-hwtest: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
