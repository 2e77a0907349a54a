#!/bin/sh
# wave-gen, wave-diff and wave-reduce from the outside; and a planted defect is found and reduced.
. "$(dirname "$0")/../support/cli.sh"

tools=$bin/../tests
gen=$tools/wave-gen
diff=$tools/wave-diff
reduce=$tools/wave-reduce

# "make tests" builds them.
[ -x "$gen" ] || { echo "wave_gen: the test tools are not built"; exit 1; }

check "help" 0 "$gen" --help
said out "--barriers"
said out "--size=N"
check "one program" 0 "$gen" --seed 7
said out ";@ test    random program, seed 7"
cp out seed7.wave
check "the same again" 0 "$gen" --seed=7
ok "the seed decides" cmp out seed7.wave
check "a malformed seed" 2 "$gen" --seed seven
check "a missing seed" 2 "$gen" --seed
check "an unknown feature" 2 "$gen" --colour=3
check "a percentage over 100" 2 "$gen" --loops=101
check "a size with a letter" 2 "$gen" --size=5x
check "a smaller program" 0 "$gen" --seed 7 --size=10
check "the path mode" 0 "$gen" --seed 3 --path=100
said out ";@ expect  trace"
cp out path.wave
check "programs are test files" 0 "$bin/wave-test" seed7.wave path.wave
said out "2 passed, 0 failed"

check "wave-diff: help" 0 "$diff" --help
check "wave-diff: no seeds" 2 "$diff"
check "wave-diff: malformed seeds" 2 "$diff" --seeds 5..1
check "wave-diff: seeds with a letter" 2 "$diff" --seeds 1..2x
check "wave-diff: seed 0 alone" 0 "$diff" --seeds 0..0 --targets=emu
said out "wave-diff: 1 passed, 0 failed"
check "wave-diff: an unknown target" 2 "$diff" --seeds 1..2 --targets=vulkan
check "wave-diff: a percentage with a letter" 2 "$diff" --seeds 1..2 --loops=5x
check "wave-diff: a width of 65" 2 "$diff" --seeds 1..2 --widths=65
check "wave-diff: a number of jobs with a letter" 2 "$diff" --seeds 1..2 --jobs=2x
check "wave-diff: a share over 100" 2 "$diff" --seeds 1..2 --sycl-share=101
check "wave-diff: an option for a target that does not run" 0 "$diff" --seeds 1..1 --targets=emu --sycl-way=plain
check "wave-diff: an unknown way" 2 "$diff" --seeds 1..1 --targets=emu --sycl-way=fast
check "wave-diff: emulator and PTX agree" 0 "$diff" --seeds 1..12 --jobs=2 --batch=5 --targets=emu,ptx
said out "wave-diff: 12 passed, 0 failed"
said out "(emu 60, ptx 24), 0 differences"
check "wave-diff: a file" 0 "$diff" --targets=emu --widths=32 "$tests/../examples/vector_add.wave"
said out "wave-diff: 1 passed, 0 failed"
check "wave-diff: a file that does not exist" 1 "$diff" --targets=emu --widths=32 "$tests/../examples/vector_add.wave" absent.wave
said err "wave-diff: absent.wave cannot be read"
said out "wave-diff: 1 passed, 1 failed"
# All targets if none is named: each is in the summary, or its omission is reported.
check "wave-diff: no targets named" 0 env CI= "$diff" --seeds 1..1 --size=10 --widths=32 --sycl-share=1 --folder=objects
cp out every
for target in emu ptx hip msl sycl; do
    ok "wave-diff: $target by default" grep -E "[( ]$target [0-9]|$target left out" every
done

# planted FROM TO LAST: the emulator executes FROM as TO; a seed up to LAST finds it, and the program
# is reduced.
planted() {
    mkdir -p keep
    status 1 "$diff" --seeds "1..$3" --targets=defect --defect="$1:$2" --widths=16 --size=50 --batch=500 --reduce=1 --keep=keep &&
        has out "DIFFERENCE seed" || return 1
    sed -n 's/^reduced to \([0-9]*\) instructions:/\1/p' out >sizes
    [ -s sizes ] || { echo "no program was reduced"; return 1; }
    while read -r size; do
        [ "$size" -le 20 ] || { echo "reduced only to $size instructions:"; cat out; return 1; }
    done <sizes
}
# Thousands of runs are too many for a build with sanitizers, which tests the reducer below.
case $bin in
*/fuzz/* | */san/*) skipped "planted defects, under sanitizers" ;;
*)
    ok "planted: umax as umin" planted umax umin 120
    ok "planted: wave_reduce_max as wave_reduce_min" planted wave_reduce_max wave_reduce_min 120
    ok "planted: local_atomic_add as local_atomic_sub" planted local_atomic_add local_atomic_sub 300
    ok "the reduced programs are kept" test -n "$(ls keep)"
    for file in keep/*.wave; do
        check "the kept program runs by itself" 0 "$bin/wave-test" "$file"
        break
    done
    ;;
esac

printf '%s\n' ';@ test t' ';@ buffer o u32 64' ';@ args o' '.kernel k' '.workgroup_size 4, 1, 1' 'mov r1, sr_lane_id' \
    'mov_imm r2, 3' 'loop' 'iadd r1, r1, r2' 'mov r12, r1' 'umax r3, r12, r2' 'icmp_ne p1, r1, r2' 'break p1' 'endloop' \
    'mov_imm r4, 4' 'mov r5, sr_lane_id' 'imad r4, r5, r4, r0' 'device_store_u32 r4, r3' 'halt' .end >big.wave
check "wave-reduce" 0 "$reduce" --target=defect --defect=umax:umin --width=4 big.wave
said out "umax"
said err " instructions"
ok "the loop is gone" lacks out loop
check "wave-reduce: no difference" 1 "$reduce" --target=ptx big.wave
said err "does not differ"
check "wave-reduce: a width that the target lacks" 1 "$reduce" --target=ptx --width=16 big.wave
said err "ptx does not run this program at width 16"
check "wave-reduce: no file" 2 "$reduce" --target=ptx absent.wave
check "wave-reduce: no target" 2 "$reduce" big.wave
check "wave-reduce: help" 0 "$reduce" --help

finish wave_gen
