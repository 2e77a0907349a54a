#!/bin/sh
# Rare options and outputs of the tools that no other test checks: the parsed statements, values of every type in traces,
# pages named after standard input, short options.
. "$(dirname "$0")/../support/cli.sh"

cat >tree.wave <<'END'
.kernel k
.registers 16
.workgroup_size 64, 2, 1
    mov r1, sr_lane_id
    mov_imm r2, 1.5
    mov_imm r3, -7
    @!p2 iadd r4, r1, r3
    if !p1
    call f
    endif
    atomic_add r5, r1, r2, .device
    halt
f:
    return
.end
END
check "--dump-ast" 0 "$bin/wave-asm" --dump-ast tree.wave
line() { grep -E "^$1 +line $2\$" out >/dev/null || { echo "no '$1 line $2' in:"; cat out; return 1; }; }
ok "kernel" line "kernel k" 1
ok "directive with a number" line "  directive \.registers 16" 2
ok "directive with three" line "  directive \.workgroup_size 64 2 1" 3
ok "instruction" line "  instruction mov" 4
ok "guarded instruction" line "  instruction iadd @!p2" 7
ok "label" line "  label f:?" 13
ok "end" grep -x end out
for operand in "register r1" "special sr_lane_id" "float 1.5" "integer -7" "negated predicate !p1" "label f" "scope .device"; do
    ok "operand $operand" grep -F -x -e "    $operand" out
done
printf '.kernel k\n.assert p1, "\033[31m"\nhalt\n.end\n' >red.wave
check "--dump-ast of a text" 0 "$bin/wave-asm" --dump-ast red.wave
said out '"?[31m"'
printf '.kernel\nhalt\n.end\n' >none.wave
check "--dump-ast of a kernel without a name" 0 "$bin/wave-asm" --dump-ast none.wave
said out "kernel (anonymous)"

cat >values.wave <<'END'
.kernel k
.registers 32
    mov_imm r1, 0x3C00
    hadd r2, r1, r1
    mov_imm r3, 0x3FC0
    badd r4, r3, r3
    hadd2 r5, r1, r1
    mov_imm r8, 0
    mov_imm r9, 0x3FF80000
    dadd r10, r8, r8
    mov_imm r12, 64
    device_store_u128 r12, r8
    device_load_u128 r16, r12
    halt
.end
END
check "trace of every type" 0 "$bin/wave-emu" values.wave --trace --trace-lane 0 --workgroup 1,1,1
cat out err >both
# 1 + 1 in f16, 1.5 + 1.5 in bf16 and f64
ok "f16 in a trace" grep -E 'hadd .*r2.*[^0-9.]2([^0-9.]|$|\.0)' both
ok "bf16 in a trace" grep -E 'badd .*r4.*[^0-9.]3([^0-9.]|$|\.0)' both
ok "f64 in a trace" grep -E 'dadd .*r10.*[^0-9.]3([^0-9.]|$|\.0)' both
ok "four words in a trace" grep -E 'device_load_u128 .*3ff80000' both

check "a page for standard input" 0 sh -c '"$0" - --profile=html <values.wave' "$bin/wave-emu"
ok "the page's name" test -s stdin.profile.html

for tool in wave-asm wave-dis wave-emu wavec; do
    check "$tool -h" 0 "$bin/$tool" -h
    said out "usage: $tool"
    check "$tool with an unknown letter" 2 "$bin/$tool" -Z tree.wave
    said err "unknown option -Z"
done
# A fence orders the memory that its scope names, in each vendor's language.
fence() {
    printf '.kernel k\n.registers 4\ndevice_store_u32 r0, r1\n%s .%s\ndevice_store_u32 r1, r0\nhalt\n.end\n' "$1" "$2" >fence.wave
    "$bin/wavec" --target="$3" $4 fence.wave -o fence.txt && has fence.txt "$5"
}
for row in "wave wavefront" "workgroup workgroup" "device agent"; do
    set -- $row
    ok "HIP fence, $1" fence fence_acquire "$1" hip "" "__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"$2\")"
done
ok "HIP fence, system" fence fence_acq_rel system hip "" '__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "")'
ok "HIP fence, sequentially consistent" fence fence_sc device hip "" '__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")'
for row in "wave sub_group" "workgroup work_group" "device device" "system system"; do
    set -- $row
    ok "SYCL fence, $1" fence fence_release "$1" sycl "" "sycl::memory_scope::$2)"
done
ok "Metal fence, wave" fence fence_acq_rel wave msl --arch=metal3.2 "simdgroup_barrier("
for row in "workgroup threadgroup" "device device"; do
    set -- $row
    ok "Metal fence, $1" fence fence_acq_rel "$1" msl --arch=metal3.2 "thread_scope_$2)"
done
for row in "workgroup cta" "device gpu" "system sys"; do
    set -- $row
    ok "PTX fence, $1" fence fence_acq_rel "$1" ptx "" "fence.acq_rel.$2"
done
finish details
