#!/bin/sh
# wavec --target=wbin: WBIN to optimised WBIN: what is rejected and what is preserved; wave-emu -O2. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

cat >k.wave <<'END'
.kernel first
.workgroup_size 8, 1, 1
.arg out buffer u32 out
.arg n u32
    mov r8, sr_thread_id_x
    mov_imm r9, 4
    imul r10, r8, r9
    iadd r10, r10, r0
    mov_imm r11, 3
    mov_imm r12, 4
    iadd r13, r11, r12
    iadd r13, r13, r1
    nop
    device_store_u32 r10, r13
    halt
.end
.kernel second
    halt
.end
END
check "assembly to the binary" 0 "$bin/wave-asm" -g k.wave -o k.wbin
check "WBIN to WBIN" 0 "$wavec" --target=wbin k.wbin -o small.wbin
silent err
check "the result is sound" 0 "$wavec" --check --strict small.wbin
check "its text" 0 "$bin/wave-dis" small.wbin
said out ".arg out buffer u32 out"
said out ".workgroup_size 8, 1, 1"
said out "imad "
said out ".kernel second"
ok "its text" lacks out nop
check "a name derived from the input's" 0 "$wavec" --target=wbin k.wave -o there/
ok "there/k.wbin" test -s there/k.wbin
check "one kernel" 0 "$wavec" --target=wbin --kernel=second k.wbin -o one.wbin
check "only that one" 0 "$bin/wave-dis" one.wbin
ok "only that one" lacks out first
check "standard output" 0 sh -c "\"$wavec\" --target=wbin k.wbin -o - >piped.wbin"
ok "the same bytes" cmp piped.wbin small.wbin
check "a dependency file" 0 "$wavec" --target=wbin -MD k.wave -o dep.wbin
ok "names the source" grep -q k.wave dep.d
check "compiling twice gives the same" 0 "$wavec" --target=wbin small.wbin -o again.wbin

check "memory" 0 "$bin/wave-emu" --device-memory 64 --arg out=out:32 --arg n=5 --workgroup 8,1,1 --dump-u32 out:2 small.wbin
said out "12"
check "wave-emu -O2" 0 "$bin/wave-emu" -O2 --stats --workgroup 8,1,1 --arg out=out:32 --arg n=5 k.wave
said out "Instructions executed: 7"
check "wave-emu -O3" 2 "$bin/wave-emu" -O3 k.wave
said err "expected 0 or 2"

# Code that cannot be improved stays as it is, but only if it means the same: with asserts disabled it
# must not contain one.
cat >good.wave <<'END'
.kernel good
.registers 32
    mov r20, sr_thread_id_x
    mov_imm r21, 4
    imad r22, r20, r21, r0
    device_store_u32 r22, r20
    halt
.end
END
cat >assert.wave <<'END'
.kernel checks
.registers 32
    icmp_eq p1, r0, r1
    assert p1, 3
    halt
.end
END
check "its text" 0 sh -c "\"$bin/wave-dis\" good.wave >good.txt"
check "code that cannot be improved" 0 "$wavec" --target=wbin good.wave -o stays.wbin
check "stays" 0 "$bin/wave-dis" stays.wbin
ok "stays" cmp out good.txt
check "new code with --always" 0 "$wavec" --target=wbin --always good.wave -o new.wbin
check "is other code" 0 "$bin/wave-dis" new.wbin
ok "is other code" lacks out r22
check "-O0 is always new code" 0 "$wavec" --target=wbin -O0 good.wave -o new.wbin
check "is other code" 0 "$bin/wave-dis" new.wbin
ok "is other code" lacks out r22
check "asserts disabled" 0 "$wavec" --target=wbin --assert=off assert.wave -o off.wbin
check "are absent" 0 "$bin/wave-dis" off.wbin
ok "are absent" lacks out assert
check "asserts that stay" 0 "$wavec" --target=wbin assert.wave -o on.wbin
check "are sound with their flag" 0 "$wavec" --check --strict on.wbin

# Known lines are kept; -g adds nothing to a file without lines.
check "a file without lines" 0 "$bin/wave-asm" k.wave -o plain.wbin
check "is a file without lines" 0 "$wavec" --target=wbin plain.wbin -o plain1.wbin
check "with -g too" 0 "$wavec" --target=wbin -g plain.wbin -o plain2.wbin
ok "with -g too" cmp plain1.wbin plain2.wbin
ok "and nothing else" test ! -e plain2.wave

cat >bad.wave <<'END'
.kernel bad
    mov_imm r2, 0xFFFFFFF0
    device_load_u32 r3, r2
    device_store_u32 r0, r3
    halt
.end
END
check "errors name the line of the source" 1 "$bin/wave-emu" -O2 bad.wave
said err "bad.wave:3:"

check "no architectures" 1 "$wavec" --target=wbin --arch=sm_75 k.wbin -o x.wbin
said err "wbin has no architectures"
ok "nothing is written" test ! -e x.wbin
check "no --build" 2 "$wavec" --target=wbin --build k.wbin -o x.wbin
said err "--build is for GPU targets"
check "no --bounds" 2 "$wavec" --target=wbin --bounds k.wbin -o x.wbin
said err "--bounds is for GPU targets"
check "--target=all writes GPU code" 0 "$wavec" --target=all k.wave -o all
ok "and nothing else" test ! -e all/k.wbin
check "--arch=help lists GPUs" 0 "$wavec" --arch=help
ok "--arch=help lists GPUs" lacks out wbin

# 300 values that are live at the same time: more than there are registers.
{
    echo 'kernel "many" args 3 group 0,0,0 local 0 width 0 {'
    i=1
    while [ $i -le 300 ]; do
        echo "%$i:u32 = load(device, 4, +$((4 * i))) arg1"
        i=$((i + 1))
    done
    echo "%1001:u32 = iadd %1, %2"
    i=3
    while [ $i -le 300 ]; do
        echo "%$((i + 999)):u32 = iadd %$((i + 998)), %$i"
        i=$((i + 1))
    done
    printf 'store(device, 4, +0) arg0, %%1299\nhalt\n}\n'
} >many.ir
check "not enough registers" 1 "$wavec" --target=wbin --parse-ir -O0 many.ir -o many.wbin
said err "E_REGISTERS: more than 256 registers"
ok "nothing is written then" test ! -e many.wbin
check "private memory, where it is allowed" 0 "$wavec" --target=wbin --extensions --parse-ir -O0 many.ir -o many.wbin
check "which the file says" 0 "$bin/wave-dis" many.wbin
said out ".private_memory"
check "the IR after a lowering for GPUs" 0 sh -c "\"$wavec\" --target=ptx --dump-ir=convergence k.wave --kernel=first >k.ir"
check "is WBIN too" 0 "$wavec" --target=wbin --extensions --parse-ir k.ir -o k2.wbin
finish wavec_wbin
