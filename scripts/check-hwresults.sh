#!/bin/sh
# hwtest as a CI job: results are written as they arrive and survive a killed run, every wait has a limit, and a
# missing required device is a failure. Uses the simulated CUDA driver.
# Usage: scripts/check-hwresults.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
hwtest=$build/tests/wave-hwtest
out=$build/tests/hwresults
rm -rf "$out"
mkdir -p "$out" || exit 2
verdict_log=$out/verdict
verdict_more=$out/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

case $build in /*) cuda=$build/tests/libsimcuda.so ;; *) cuda=$(pwd)/$build/tests/libsimcuda.so ;; esac
# Hide the machine's own devices.
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY WAVE_RT_PLUGINS

# ends STATUS COMMAND...: the command exits with that status; its output is in the log.
ends() {
    wanted=$1
    shift
    "$@" >"$out/log" 2>&1
    status=$?
    echo "exit status $status" >>"$out/log"
    [ "$status" -eq "$wanted" ]
}

# within SECONDS COMMAND...: repeats the command until it succeeds.
within() {
    left=$(($1 * 5))
    shift
    while ! "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.2
    done
}

is_gone() {
    ! kill -0 "$1" 2>/dev/null
}

# junit FILE CONDITION: a condition on `cases`, the names of the test cases; the file must be XML.
junit() {
    python3 -c 'import sys, xml.dom.minidom
cases = [case.getAttribute("name") for case in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("testcase")]
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

# ---- A run that is killed ----

# The second program hangs. By then the result of the first one is in every file.
WAVE_CUDA_LIBRARY=$cuda WAVE_SIM_HANG=t1_vector_add "$hwtest" --device=cuda:0 -O2 --timeout=5 --tap="$out/killed.tap" \
    --junit="$out/killed.xml" --reports="$out" examples/saxpy.wave examples/vector_add.wave >"$out/log" 2>&1 &
run=$!
verdict "a result is in the TAP before the run ends" within 4 grep -q "^ok 1 - cuda:0 -O2 examples/saxpy.wave" "$out/killed.tap"
verdict "and in the XML" within 3 grep -q saxpy "$out/killed.xml"
worker=$(ps -A -o pid= -o ppid= | awk -v parent=$run '$2 == parent { print $1 }')
kill -9 $run
wait $run 2>/dev/null
verdict "the TAP of a killed run announces both tests" grep -qx "1..2" "$out/killed.tap"
verdict "and holds one result" sh -c '[ "$(grep -Ec "^(not )?ok " "$1")" = 1 ]' sh "$out/killed.tap"
verdict "the XML of a killed run is whole" junit "$out/killed.xml" 'cases == ["examples/saxpy.wave"]'
verdict "the report of a killed run says so" grep -qx "| state | unfinished: 1 of 2 |" "$out/report-cuda-0.md"
verdict "and holds one result" grep -qx "| passed | 1 |" "$out/report-cuda-0.md"
verdict "the worker of a killed run is known" test -n "$worker"
# Twice the time limit.
verdict "and ends by itself, although its device hangs" within 12 is_gone "$worker"

# ---- Drivers that hang during device discovery ----

verdict "device discovery has a time limit" ends 2 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_STALL=cuInit "$hwtest" --timeout=2 examples/saxpy.wave
verdict "and says what happened" grep -q "^wave-hwtest: the driver of cuda did not answer for 2 seconds during the search for devices" "$out/log"
verdict "a driver that dies there" ends 2 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_CRASH=cuInit "$hwtest" examples/saxpy.wave
verdict "is reported as such" grep -q "^wave-hwtest: the driver of cuda crashed during the search for devices" "$out/log"

verdict "and so has opening a requested device" ends 2 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_STALL=cuInit "$hwtest" --timeout=2 --device=cuda:0 examples/saxpy.wave
verdict "by its name" grep -q "^wave-hwtest: the driver of cuda:0 did not answer for 2 seconds" "$out/log"

# ---- hwbench has a limit on every wait too ----

hwbench=$build/tests/wave-hwbench
verdict "hwbench with a device that hangs" ends 1 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_HANG=saxpy "$hwbench" --timeout=2 --device=cuda:0 --elements=2^12 --csv="$out/hang.csv"
verdict "names it" grep -q "no answer for 2 seconds" "$out/log"
verdict "and what was not reached" grep -q "not reached" "$out/log"
verdict "hwbench with a driver that dies" ends 1 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_CRASH=cuLaunchKernel "$hwbench" --timeout=60 --device=cuda:0 --elements=2^12
verdict "is reported as such" grep -q "the process died" "$out/log"
verdict "hwbench with a device that runs no example" ends 1 env WAVE_CUDA_LIBRARY="$cuda" WAVE_SIM_FAULT=cuModuleLoadData:200 "$hwbench" --device=cuda:0 --elements=2^12
verdict "says why" grep -q "^cuda:0 *saxpy *not measured: cuModuleLoadData" "$out/log"
for option in --timeout=0 --elements=2^x --elements=2^12x --elements=2^11; do
    verdict "hwbench's $option is refused" ends 2 "$hwbench" $option
done

# ---- Required devices ----

saxpy="examples/saxpy.wave"
verdict "a required device that ran" ends 0 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" -O2 --require=cuda $saxpy
verdict "a required device that is missing" ends 1 "$hwtest" -O2 --require=cuda $saxpy
verdict "is named" grep -q "^FAIL cuda is required: ." "$out/log"
verdict "one of two is missing" ends 1 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" -O2 --require=cuda,sycl $saxpy
verdict "and only that is named" sh -c 'grep -q "^FAIL sycl is required: turned off" "$1" && ! grep -q "^FAIL cuda" "$1"' sh "$out/log"
verdict "a required device that was not requested" ends 1 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" -O2 --device=emu --require=cuda $saxpy
for list in vulkan "" "cuda," ",cuda" "cuda,vulkan"; do
    verdict "--require=$list is refused" ends 2 "$hwtest" --require="$list" $saxpy
done

# ---- The report ----

four=$(grep -lx ';@ widths  4' tests/programs/conformance/width_4/*.wave | head -n 1)
verdict "a run for a report" ends 0 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" --device=cuda:0 --commit=0123abc --reports="$out" \
    --tap="$out/done.tap" --junit="$out/done.xml" examples/saxpy.wave "$four" examples/vector_add.wave
report=$out/report-cuda-0.md
verdict "its date" grep -Eqx "\| date \| $(date -u +%Y-%m-%d) [0-9][0-9]:[0-9][0-9] UTC \|" "$report"
verdict "its commit" grep -qx "| commit | 0123abc |" "$report"
verdict "its system" grep -qF "| system | $(uname -s) $(uname -r)" "$report"
verdict "its compiler" grep -Eq "^\| compiler \| (gcc|clang) [0-9]+\." "$report"
verdict "its state" grep -qx "| state | complete |" "$report"
verdict "its sums" grep -qx "| passed | 4 |" "$report"
verdict "examples once" grep -qx "| examples | 4 | 0 | 0 | 0 |" "$report"
verdict "n/a counted" grep -qx -- "- needs waves of 4 lanes: 2" "$report"
verdict "and not listed" sh -c '[ -s "$1" ] && ! grep -qF "$2" "$1"' sh "$report" "$four"
verdict "the TAP has every result" sh -c '[ "$(grep -Ec "^(not )?ok " "$1")" = 6 ] && grep -qx 1..6 "$1"' sh "$out/done.tap"
verdict "the XML has every result" junit "$out/done.xml" 'len(cases) == 6'
verdict "no unfinished file is left" sh -c '[ -z "$(find "$1" -name "*.new")" ]' sh "$out"

# ---- Which programs run, and in which order ----

sh hwtests/tests-list.sh >"$out/all.list"
sh hwtests/tests-list.sh --quick >"$out/quick.list"
find examples tests/programs -name '*.wave' | LC_ALL=C sort >"$out/found.list"
verdict "every program is run once" sh -c 'LC_ALL=C sort "$1" | cmp - "$2"' sh "$out/all.list" "$out/found.list"
verdict "division is first" sh -c 'head -n 1 "$1" | grep -q "/fdiv_"' sh "$out/all.list"
verdict "the quick ones are first" sh -c 'head -n "$(($(wc -l <"$2")))" "$1" | cmp - "$2"' sh "$out/all.list" "$out/quick.list"
verdict "and are a part only" sh -c '[ "$(wc -l <"$2")" -lt "$(($(wc -l <"$1") / 2))" ]' sh "$out/all.list" "$out/quick.list"
for pattern in $(grep -v '^#' hwtests/first.txt); do
    verdict "first.txt: $pattern is there" test -f "$pattern"
done
for word in ddiv_ frcp_ fsqrt_ frsqrt_ fround_ partial/ litmus_ examples/saxpy; do
    verdict "$word is among the quick ones" grep -q "$word" "$out/quick.list"
done
verdict "make hwtest-quick" ends 0 sh hwtests/hwtest.sh "$build" "$out" --quick --device=emu -O2
verdict "runs the quick ones" sh -c '[ "$(grep -Ec "^ok " "$1/hwtest/results.tap")" = "$(($(wc -l <"$2")))" ]' sh "$build" "$out/quick.list"

# ---- Litmus programs run many times, and outcomes are counted ----

litmus=tests/programs/memory/litmus
verdict "litmus programs" ends 0 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" --device=cuda:0 -O2 --litmus=100 --reports="$out" \
    --tap="$out/litmus.tap" --junit="$out/litmus.xml" $litmus/litmus_store_buffering_sc.wave $litmus/litmus_spin_lock.wave $saxpy
# Eight workgroups: 800 outcomes in total, each of them one that fence_sc allows (not 0 0); the simulation shows all
# of these.
verdict "their runs in the report" grep -Eqx '\| litmus_store_buffering_sc.wave \| -O2 \| 100 \| 0 \| (`(0 1|1 0|1 1)`: [0-9]+(; )?){3} \|' "$report"
verdict "and the sum of outcomes" sh -c '[ "$(sed -n "s/^| litmus_store_buffering_sc.*| //p" "$1" | tr ";" "\n" | sed "s/.*: //; s/ |//" | awk "{ n += \$1 } END { print n }")" = 800 ]' sh "$report"
verdict "a lock that always holds" grep -qxF '| litmus_spin_lock.wave | -O2 | 100 | 0 | `12`: 100 |' "$report"
verdict "in the TAP" grep -qx "# 100 runs, forbidden: 0; outcomes: \[12\] 100" "$out/litmus.tap"
verdict "in the XML" python3 -c 'import sys, xml.dom.minidom
names = {p.getAttribute("name"): p.getAttribute("value") for p in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("property")}
assert names["litmus runs"] == "100" and names["litmus forbidden"] == "0" and names["litmus outcome [12]"] == "100"' "$out/litmus.xml"
verdict "and not for others" sh -c '[ "$(grep -c "litmus runs" "$1")" = 2 ]' sh "$out/litmus.xml"

# A wrong program: two waves write the same word, and the program claims to know which one is last.
sed 's/^    //' >"$out/litmus_wrong.wave" <<'END'
    ;@ test    nothing orders these two stores
    ;@ widths  32
    ;@ group   2*W
    ;@ buffer  out u32 1
    ;@ args    out
    ;@ expect  out = 2
    .kernel litmus_wrong
    .registers 8
        mov_sr r1, sr_lane_id
        mov_imm r2, 0
        mov_imm r3, 1
        mov_sr r4, sr_wave_id
        iadd r4, r4, r3
        icmp_eq p1, r1, r2
        if p1
            atomic_store r0, r4, .workgroup
        endif
        halt
    .end
END
verdict "a litmus program that is wrong fails the run" ends 1 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" --device=cuda:0 -O2 --litmus=100 --reports="$out" \
    --tap="$out/litmus.tap" --junit="$out/litmus.xml" "$out/litmus_wrong.wave"
verdict "with the forbidden outcome" grep -Eq "^FAIL cuda:0 -O2 .*litmus_wrong.wave: [1-9][0-9]* forbidden outcomes in 100 runs, among them: 1$" "$out/log"
verdict "in the report" grep -Eqx '\| litmus_wrong.wave \| -O2 \| 100 \| [1-9][0-9]* \| (`2`: [0-9]+; \*\*`1`: [0-9]+\*\*|\*\*`1`: [0-9]+\*\*; `2`: [0-9]+) \|' "$report"
verdict "in the TAP" grep -Eq "^# 100 runs, forbidden: [1-9].*\[1\] \(forbidden\) [1-9]" "$out/litmus.tap"
verdict "in the XML" grep -Eq 'name="litmus outcome \[1\] \(forbidden\)" value="[1-9]' "$out/litmus.xml"
verdict "--litmus=0 runs it once" ends 0 "$hwtest" --device=emu --litmus=0 --reports="$out" "$out/litmus_wrong.wave"
verdict "and counts nothing" sh -c '! grep -q "## Litmus" "$1"' sh "$out/report-emu.md"
verdict "--litmus=x is refused" ends 2 "$hwtest" --litmus=x $saxpy

# ---- Asserts with a text ----

loop=tests/programs/errors/assert/assert_in_a_loop.wave
sed 's/assert p2, 19/.assert p2, 19, "the last round"/' $loop >"$out/text.wave"
sed 's/assert p2, 19/.assert p2, 18, "the last round"/' $loop >"$out/other.wave"
verdict "a program whose assert has a text" grep -q "the last round" "$out/text.wave"
verdict "passes" ends 0 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" --device=cuda:0 -O2 "$out/text.wave"
verdict "but not if another assert fails" ends 1 env WAVE_CUDA_LIBRARY="$cuda" "$hwtest" --device=cuda:0 -O2 "$out/other.wave"

# ---- Files that cannot be written ----

verdict "a TAP that cannot be written" ends 2 "$hwtest" --device=emu --tap="$out/none/x.tap" $saxpy
verdict "an XML that cannot be written" ends 2 "$hwtest" --device=emu --junit="$out/none/x.xml" $saxpy
verdict "is reported once" sh -c '[ "$(grep -c "cannot write" "$1")" = 1 ]' sh "$out/log"
ln -s target.xml "$out/link.xml"
verdict "an XML through a link" ends 0 "$hwtest" --device=emu --junit="$out/link.xml" $saxpy
verdict "keeps the link" test -L "$out/link.xml"
verdict "and writes what it names" junit "$out/target.xml" 'len(cases) == 2'

echo "hwresults: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
