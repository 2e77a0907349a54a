#!/bin/sh
# --fix-upstream-cvt in every tool that reads WBIN: the modifier that the ISA calls cvt_f32_i32 converts the f32 3.75 to
# the integer 3, and the address computed from it is right. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# In the upstream compiler's encoding: r2 = int(r1), stored at r0 + 4 * r2.
cat >up.wave <<'END'
.kernel up
.registers 8
.workgroup_size 256, 1, 1
    cvt_f32_i32 r2, r1
    mov_imm r3, 2
    shl r3, r2, r3
    iadd r3, r0, r3
    device_store_u32 r3, r2
    halt
.end
END
"$bin/wave-asm" up.wave -o up.wbin || exit 2

check "wavec --check warns" 0 "$bin/wavec" --check up.wbin
said err "W_UPSTREAM_CVT"
said err "cvt_f32_i32 r2, r1"
said err "--fix-upstream-cvt"
check "wavec --check with the option" 0 "$bin/wavec" --check --fix-upstream-cvt up.wbin
silent err
check "--strict does not make it an error" 0 "$bin/wavec" --check --strict up.wbin
said err "W_UPSTREAM_CVT"
check "wave-dis" 0 "$bin/wave-dis" --fix-upstream-cvt up.wbin
said out "cvt_i32_f32 r2, r1"
check "wave-dis without it" 0 "$bin/wave-dis" up.wbin
said out "cvt_f32_i32 r2, r1"
check "wave-dis, JSON" 0 "$bin/wave-dis" --json --fix-upstream-cvt up.wbin
said out "cvt_i32_f32"
check "wave-emu" 0 "$bin/wave-emu" up.wbin --fix-upstream-cvt --set-reg 0:0 --set-reg 1:0x40700000 --dump-u32 12:1
ok "wave-emu: the value where it belongs" sh -c "[ \"\$(cat out)\" = 3 ]"
silent err
check "wave-emu without it: a float as an address" 1 "$bin/wave-emu" up.wbin --set-reg 1:0x40700000
said err "W_UPSTREAM_CVT"
if [ -x "$bin/wave-run" ]; then
    WAVE_CACHE_DIR=$dir/cache
    export WAVE_CACHE_DIR
    check "wave-run" 0 "$bin/wave-run" -d emu up.wbin --fix-upstream-cvt -b o:u32:4 -s 3.75 -p o
    printf '0\n0\n0\n3\n' >expected
    ok "wave-run: the value where it belongs" cmp out expected
fi
check "PTX with the option" 0 "$bin/wavec" --target=ptx --fix-upstream-cvt up.wbin -o -
said out "cvt.rzi.s32.f32"
check "PTX without it" 0 "$bin/wavec" --target=ptx up.wbin -o -
said out "cvt.rn.f32.s32"
for target in hip sycl msl; do
    check "$target with the option" 0 "$bin/wavec" --target=$target --fix-upstream-cvt up.wbin -o -
    said out "wave_cvt_i32("
done
finish upstream_cvt
