#!/bin/sh
# jobs.sh BIN: workgroups on several threads in the build at BIN, meant for ThreadSanitizer: memory and counts with four
# jobs equal those with one. tests/unit/test_emu_jobs.c tests programs of every kind.
set -u
bin=$1
passed=0
failed=0
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT

# same EXAMPLE DUMP ARGUMENT...: DUMP is the range of memory it writes
same() {
    name=$1 dump=$2
    shift 2
    for jobs in 1 4; do
        "$bin/wave-emu" "examples/$name.wave" "$@" --max-instructions 0 --jobs=$jobs --stats --dump-memory "$dump" >"$out/$jobs" 2>"$out/said" ||
            { cat "$out/said"; echo "FAILED: $name with $jobs jobs"; failed=$((failed + 1)); return; }
    done
    if cmp "$out/1" "$out/4"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

same gemm_tiled 0x20000:0x30000 --arg A=0 --arg B=0x10000 --arg C=0x20000 --arg N=128 --arg K=128 --device-memory 262144 \
    --fill-iota 0:f32:32768:0.001 --grid 8,8,1
same histogram 0x100000:0x100400 --arg data=0 --arg bins=0x100000 --arg n=1048576 --device-memory 2097152 \
    --fill-iota 0:u32:262144:2654435761 --grid 512,1,1
same nbody 0x4000:0x8000 --arg bodies=0 --arg out=0x4000 --arg n=1024 --arg eps2=0.01 --device-memory 65536 --fill-iota 0:f32:4096:0.37 \
    --grid 16,1,1
echo "jobs: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
