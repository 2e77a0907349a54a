#!/bin/sh
# The harnesses show a missing fence: a kernel without one must fail on the PTX interpreter and on the lane harness (HIP,
# MSL, SYCL); with the fence it must pass. Expected values follow from ISA.md 8.1. HIP, MSL and SYCL need clang++ 19.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

project=$(cd "$tests/.." && pwd)
programs=$(cd "$bin/../tests" && pwd)

# exchange BETWEEN SPACE: lanes of one wave; each takes its right neighbour's word.
exchange() {
    place=''
    [ "$2" = local ] || place='iadd r3, r0, r3
    mov_imm r10, 256
    iadd r3, r3, r10'
    cat <<EOF
;@ test    lanes take their right neighbour's word
;@ widths  32
;@ group   W
;@ buffer  out u32 192 at 256
;@ args    out
;@ expect  out[0..31] = expr i+101
.kernel exchange
.registers 32
    mov_sr r1, sr_lane_id
    mov_imm r2, 2
    shl r3, r1, r2
    iadd r8, r0, r3
    $place
    mov_imm r4, 100
    iadd r4, r4, r1
    mov_imm r6, 4
    iadd r7, r3, r6
    ${2}_store_u32 r3, r4
    $1
    ${2}_load_u32 r5, r7
    mov_imm r9, 31
    icmp_lt p1, r1, r9
    @p1 device_store_u32 r8, r5
    halt
.end
EOF
}

# message RELEASE ACQUIRE SPACE: all lanes of wave 0 write, its lane 0 raises the flag; lane 0 of wave 1 polls, then all its
# lanes read. On both sides one lane synchronises for its wave.
message() {
    words=0
    [ "$3" = local ] || words=512
    cat <<EOF
;@ test    one wave reads what the other has written
;@ widths  32
;@ group   2*W
;@ buffer  out u32 192 at 256
;@ args    out
;@ expect  out[0..32] = expr i+101
.kernel message
.registers 32
    mov_sr r1, sr_lane_id
    mov_sr r2, sr_wave_id
    mov_imm r3, 2
    mov_imm r4, 0
    mov_imm r5, 1
    shl r6, r1, r3                   ; 4 * lane
    mov_imm r7, $words
    iadd r7, r7, r6                  ; the word of the message
    mov_imm r8, 900                  ; the flag
    ${3}_load_u32 r9, r7             ; an old value to remember
    barrier
    icmp_eq p1, r2, r4
    icmp_eq p2, r1, r4
    if p1
        mov_imm r10, 101
        iadd r10, r10, r1
        ${3}_store_u32 r7, r10
        $1
        if p2
            atomic_store r8, r5, .workgroup
        endif
    else
        if p2
            loop
                atomic_load r11, r8, .workgroup
                icmp_ne p3, r11, r4
                break p3
            endloop
        endif
        $2
        ${3}_load_u32 r12, r7
        iadd r13, r0, r6
        device_store_u32 r13, r12
    endif
    halt
.end
EOF
}

# last RELEASE: every workgroup stores a word and counts itself; the last one adds the words up.
last() {
    cat <<EOF
;@ test    the last workgroup adds up what all have stored
;@ widths  32
;@ grid    8
;@ group   1
;@ buffer  out u32 64 at 256
;@ args    out
;@ expect  out[40..41] = 36
.kernel last
.registers 32
    mov_sr r1, sr_workgroup_id_x
    mov_imm r2, 2
    mov_imm r3, 1
    iadd r4, r1, r3
    shl r5, r4, r2
    iadd r5, r0, r5
    device_store_u32 r5, r4          ; out[1 + workgroup] = 1 + workgroup
    $1
    atomic_add r6, r0, r3, .device
    mov_imm r7, 7
    icmp_eq p1, r6, r7
    if p1
        fence_acquire .device
        mov_imm r8, 0                ; the sum
        mov_imm r9, 1
        mov_imm r10, 8
        loop
            shl r11, r9, r2
            iadd r11, r0, r11
            device_load_u32 r12, r11
            iadd r8, r8, r12
            iadd r9, r9, r3
            icmp_gt p2, r9, r10
            break p2
        endloop
        mov_imm r13, 160
        iadd r13, r0, r13
        device_store_u32 r13, r8
    endif
    halt
.end
EOF
}

# Local memory is read before anything is written there.
unwritten() {
    cat <<'EOF'
;@ test    local memory initially holds 0, which no target guarantees
;@ widths  32
;@ group   1
;@ buffer  out u32 1 at 256
;@ args    out
;@ expect  out = 0
.kernel unwritten
.registers 32
    mov_imm r1, 64
    local_load_u32 r2, r1
    device_store_u32 r0, r2
    halt
.end
EOF
}

run_ptx() { "$programs/wave-ptx-test" --schedules=30 "$1"; }
run_hip() { "$programs/wave-simt-test" --target=hip --arch=gfx1100 --width=32 --schedules=16 "$1"; }
run_msl() { "$programs/wave-simt-test" --target=msl --arch=metal3.2 --schedules=16 "$1"; }
run_sycl() { "$programs/wave-simt-test" --target=sycl --width=32 --schedules=16 "$1"; }

# form right|wrong FUNCTION ARGUMENT...: runs the program that the function prints on every harness. A wrong form must
# leave wrong memory.
form() {
    verdict=$1
    shift
    "$@" >"$dir/form.wave"
    for harness in $harnesses; do
        (cd "$project" && "run_$harness" "$dir/form.wave") >form.out 2>&1
        got=$?
        if [ "$verdict" = right ]; then
            ok "$* on $harness: a right form" sh -c "cat form.out; exit $got"
        else
            ok "$* on $harness: a wrong form must not pass" test "$got" -ne 0
            ok "$* on $harness: memory must show it" has form.out "memory differs"
        fi
    done
}

harnesses=ptx
if [ -x "$programs/wave-simt-test" ] && (cd "$project" && sh scripts/find-clang.sh) >/dev/null 2>&1; then
    harnesses='ptx hip msl sycl'
elif [ "${CI:-}" = true ]; then
    ok "clang++ 19 and wave-simt-test" false
else
    echo "HIP, MSL and SYCL are left out: no clang++ 19, or no wave-simt-test in this build"
fi

form wrong unwritten
for space in local device; do
    form wrong exchange nop $space
    form right exchange 'fence_acq_rel .wave' $space
    form right exchange 'fence_release .device' $space
    form right exchange barrier $space
    form wrong message nop nop $space
    form wrong message 'fence_release .workgroup' nop $space
    form wrong message nop 'fence_acquire .workgroup' $space
    form wrong message 'fence_release .wave' 'fence_acquire .wave' $space
    form right message 'fence_release .workgroup' 'fence_acquire .workgroup' $space
    form right message 'fence_sc .device' 'fence_sc .device' $space
done
form wrong last nop
form wrong last 'fence_release .workgroup'
form right last 'fence_release .device'

finish fences
