#!/bin/sh
# --registers and --local-memory: a kernel that declares 0 gets the launcher's values, in every tool and for every
# target, as if it had declared them (ISA.md 1.3, 2.5); W_LOCAL_BOUNDS. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# kernel NAME REGISTERS LOCAL: uses r40 and the local word at 20000
kernel() {
    cat >"$1.wave" <<END
.kernel k
.registers $2
.local_memory $3
.workgroup_size 1, 1, 1
    mov_imm r40, 7
    mov_imm r2, 19996
    mov_imm r3, 4
    iadd r2, r2, r3
    local_store_u32 r2, r40
    local_load_u32 r4, r2
    device_store_u32 r0, r4
    halt
.end
END
    "$bin/wave-asm" "$1.wave" -o "$1.wbin" 2>/dev/null || exit 2
}
kernel open 0 0
kernel own 64 20004

# --- The emulator and the runtime -------------------------------------------------------------------

check "wave-emu: 32 registers without the option" 1 "$bin/wave-emu" open.wbin
said err E_REGISTER
said err "the kernel has 32 registers"
check "wave-emu: 16384 bytes without the option" 1 "$bin/wave-emu" open.wbin --registers 64
said err "outside the 16384 bytes of local memory"
check "wave-emu" 0 "$bin/wave-emu" open.wbin --registers 64 --local-memory 20004 --dump-u32 0:1
ok "wave-emu: the result" has out 7
check "wave-emu, lenient" 0 "$bin/wave-emu" open.wbin --lenient --local-memory 20004 --dump-u32 0:1
ok "lenient: r40 reads 0" has out 0
check "wave-emu, lenient, with the option" 0 "$bin/wave-emu" open.wbin --lenient --registers 41 --local-memory 20004 --dump-u32 0:1
ok "lenient: r40 exists" has out 7

check "wave-run without the option" 1 "$bin/wave-run" --device=emu open.wbin
said err E_REGISTER
check "wave-run" 0 "$bin/wave-run" --device=emu open.wbin --registers 64 --local-memory 20004 --buffer out:u32:1 --print out
ok "wave-run: the result" has out 7

# --- The compiler -----------------------------------------------------------------------------------

check "wavec --check without the option" 1 "$bin/wavec" --check open.wbin
said err E_REGISTER
check "wavec --check" 0 "$bin/wavec" --check --registers 64 --local-memory 20004 open.wbin
said out "registers=64 local=20004"
silent err
cp own.wbin same.wbin
for target in ptx hip sycl msl; do
    for level in -O0 -O2; do
        check "wavec --target=$target $level: declared" 0 "$bin/wavec" --target=$target $level same.wbin -o own.text
        cp open.wbin same.wbin
        check "wavec --target=$target $level" 0 "$bin/wavec" --target=$target $level --registers 64 --local-memory 20004 same.wbin -o open.text
        cp own.wbin same.wbin
        ok "$target $level: the text is that of a kernel that declares them" cmp own.text open.text
    done
    check "wavec --target=$target without the option" 1 "$bin/wavec" --target=$target open.wbin -o none.text
    said err E_REGISTER
done
check "--reflect" 0 "$bin/wavec" --reflect --registers 64 --local-memory 20004 open.wbin
said out '"local_memory": 20004'
printf '.kernel k\n.registers 0\n device_store_u32 r0, r1\n halt\n.end\n' >none.wave
check "a kernel without local accesses" 0 "$bin/wavec" --reflect --local-memory 4096 none.wave
said out '"local_memory": 0'

# --- W_LOCAL_BOUNDS ---------------------------------------------------------------------------------

check "a constant address outside local memory" 0 "$bin/wavec" --check --registers 64 open.wbin
said err "k+0x20: warning: W_LOCAL_BOUNDS: 4 bytes at 20000 are outside the 16384 bytes of local memory"
said err "k+0x28: warning: W_LOCAL_BOUNDS"
check "when compiling" 0 "$bin/wavec" --target=ptx --target=hip --registers 64 open.wbin
ok "once for each access, not for each target" sh -c '[ "$(grep -c W_LOCAL_BOUNDS err)" = 2 ]'
check "with --wave-order=lockstep" 0 "$bin/wavec" --check --wave-order=lockstep --registers 64 open.wbin
said err W_LOCAL_BOUNDS
check "the last byte that exists" 0 "$bin/wavec" --check --registers 64 --local-memory 20004 open.wbin
silent err
check "one byte less" 0 "$bin/wavec" --check --registers 64 --local-memory 20003 open.wbin
said err "are outside the 20003 bytes"
cat >unknown.wave <<'END'
.kernel k
.registers 8
    mov_imm r1, 20000
    local_store_u32 r0, r1
    loop
        iadd r1, r1, r1
        local_load_u32 r2, r1
        icmp_eq p1, r2, r0
        break p1
    endloop
    device_store_u32 r0, r2
    halt
.end
END
check "an address that is not constant" 0 "$bin/wavec" --check unknown.wave
ok "an address that is not constant: no warning" lacks err W_LOCAL_BOUNDS
cat >tile.wave <<'END'
.kernel k
.registers 8
.local_memory 128
    mov_imm r1, 64
    mov_imm r2, 16
    mma_load_a r0, r1, r2
    mov_imm r2, 24
    mma_load_b r0, r1, r2
    halt
.end
END
check "a tile" 0 "$bin/wavec" --check tile.wave
ok "a tile: the row that is outside" sh -c '[ "$(grep -c W_LOCAL_BOUNDS err)" = 1 ] && grep "16 bytes at 136 are outside the 128 bytes" err'

# --- Values -----------------------------------------------------------------------------------------

for tool in wave-emu wave-run wavec; do
    for value in 0 257 x; do
        check "$tool --registers $value" 2 "$bin/$tool" --registers $value open.wbin
        said err "--registers is a number from 1 to 256, not '$value'"
    done
    check "$tool --local-memory 65537" 2 "$bin/$tool" --local-memory 65537 open.wbin
    said err "--local-memory is a number from 1 to 65536, not '65537'"
done
finish launcher
