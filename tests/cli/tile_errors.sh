#!/bin/sh
# Mistakes with tiles that can be found without a launch (docs/reference/tiles.md): errors of wavec, and the warnings W_LOCAL_BOUNDS and
# W_WAVE_ORDER. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# kernel SIZE LOCAL: a kernel of the lines on stdin; r1 is 64, r2 the lane's number, r3 16, r4 0
kernel() {
    {
        printf '.kernel k\n.registers 16\n.workgroup_size %s, 1, 1\n.local_memory %s\n' "$1" "$2"
        printf 'mov_imm r1, 64\nmov_sr r2, sr_lane_id\nmov_imm r3, 16\nmov_imm r4, 0\n'
        cat
        printf 'halt\n.end\n'
    } >k.wave
}

# refused NAME CODE TEXT: the targets reject k.wave with this error; accepted NAME: they compile it
refused() {
    for target in ptx hip sycl msl; do
        check "$1, $target" 1 "$bin/wavec" --target=$target -o k.out k.wave
        said err "error: $2: $3"
    done
    check "$1: WBIN is still written" 0 "$bin/wavec" --target=wbin -o k.wbin k.wave
}
accepted() {
    for target in ptx hip; do
        check "$1, $target" 0 "$bin/wavec" --target=$target -o k.out k.wave
        silent err
    done
}

# --- Waves other than the first ---------------------------------------------------------------------

# Known facts about thread numbers apply to the first wave: code that it skips is not judged by them.
kernel 128 0 <<'END'
mov_sr r5, sr_thread_id_x
ucmp_ge p1, r5, r1
ucmp_ne p2, r5, r3
if p1
    if p2
        tile_load_c_f32 t0, r0, r1, device, row
    endif
endif
END
accepted "a load by a later wave, under a condition on which the first wave would diverge"

kernel 128 0 <<'END'
mov_sr r5, sr_thread_id_x
ucmp_lt p1, r5, r1
ucmp_ne p2, r5, r3
if p1
    halt
endif
if p2
    tile_load_c_f32 t0, r0, r1, device, row
endif
END
accepted "a load after the first wave has halted"

kernel 128 0 <<'END'
mov_sr r5, sr_thread_id_x
ucmp_ne p2, r5, r3
if p2
    tile_load_c_f32 t0, r0, r1, device, row
endif
END
refused "the same load by the first wave" E_TILE_DIVERGENCE "only some lanes of a wave get here: they diverge at"

# --- Divergence -------------------------------------------------------------------------------------

kernel 64 0 <<'END'
icmp_lt p1, r2, r3
if p1
    tile_load_c_f32 t0, r0, r1, device, row
endif
END
refused "a load in an if of some lanes" E_TILE_DIVERGENCE "only some lanes of a wave get here: they diverge at 0x0024"
check "a load in an if of some lanes: where" 1 "$bin/wavec" --target=ptx -o k.out k.wave
said err "k.wave:11:5: error"
kernel 64 0 <<'END'
mov_imm r5, 5
icmp_eq p1, r2, r5
if p1
else
    tile_fill_c_i32 t0, r4
endif
END
refused "in the else of one lane" E_TILE_DIVERGENCE "only some lanes"
kernel 64 0 <<'END'
mov_sr r5, sr_thread_id_x
icmp_lt p1, r5, r3
ucmp_eq p2, r0, r4
if p1
    if p2
        tile_fill_c_i32 t0, r4
    endif
endif
END
refused "threads of a row" E_TILE_DIVERGENCE "only some lanes"
kernel 64 0 <<'END'
icmp_lt p1, r2, r3
if p1
    halt
endif
tile_fill_c_i32 t0, r4
END
refused "after the end of some lanes" E_TILE_DIVERGENCE "only some lanes"
kernel 64 0 <<'END'
icmp_lt p1, r2, r3
loop
    break p1
    tile_fill_c_i32 t0, r4
    icmp_eq p2, r0, r4
    break p2
endloop
END
refused "after the break of some lanes" E_TILE_DIVERGENCE "only some lanes"

kernel 64 0 <<'END'
icmp_lt p1, r2, r1
if p1
    tile_fill_c_i32 t0, r4
endif
END
accepted "a condition that all lanes meet"
kernel 64 0 <<'END'
mov_sr r5, sr_thread_id_x
mov_imm r6, 6
shr r5, r5, r6
icmp_eq p1, r5, r4
if p1
    tile_fill_c_i32 t0, r4
endif
END
accepted "a condition on the wave's number"
kernel 64 0 <<'END'
device_load_u32 r5, r0
icmp_eq p1, r5, r4
if p1
    tile_fill_c_i32 t0, r4
endif
icmp_lt p1, r2, r3
if p1
    iadd r6, r2, r3
endif
tile_fill_c_i32 t0, r4
END
accepted "a condition that is unknown at compile time, and a divergent if that ends before the tile"

# --- Operands ---------------------------------------------------------------------------------------

kernel 64 4096 <<'END'
iadd r5, r3, r3
iadd r5, r5, r3
tile_load_c_f32 t0, r5, r1, local, row
END
refused "an address that is not aligned" E_TILE_ALIGNMENT "the address 0x30 of a tile is not a multiple of 32"
kernel 64 4096 <<'END'
mov_imm r5, 72
tile_store_c_f32 t0, r0, r5, device, row
END
refused "a stride that is not aligned" E_TILE_ALIGNMENT "the stride 0x48 of a tile is not a multiple of 16"
kernel 64 4096 <<'END'
shl r5, r2, r3
tile_load_a_f16 t0, r5, r1, device, row
END
refused "an address for each lane" E_TILE_UNIFORM "the address is 0x10000 in lane 1 and 0x0 in lane 0"
kernel 64 4096 <<'END'
tile_fill_c_i32 t0, r2
END
refused "a value for each lane" E_TILE_UNIFORM "the value is 0x1 in lane 1 and 0x0 in lane 0"

kernel 48 0 <<'END'
tile_load_c_f32 t0, r0, r1, device, row
END
check "parts of waves" 1 "$bin/wavec" --target=ptx -o k.out k.wave
said err "E_TARGET_LIMIT: a workgroup of 48 x 1 x 1 threads does not consist of whole waves of 32 lanes, which tiles require"

# --- W_LOCAL_BOUNDS ---------------------------------------------------------------------------------

kernel 64 1024 <<'END'
tile_load_c_f32 t0, r4, r1, local, row
tile_load_c_f32 t0, r4, r1, local, col
tile_store_c_f32 t0, r4, r1, local, row
END
check "tiles that fit" 0 "$bin/wavec" --check k.wave
silent err
kernel 64 1023 <<'END'
tile_load_c_f32 t0, r4, r1, local, col
fence_acq_rel .wave
tile_store_c_f32 t0, r4, r1, local, row
mov_imm r5, 32
tile_load_a_f16 t0, r4, r5, local, row
END
check "tiles whose last byte does not exist" 0 "$bin/wavec" --check k.wave
ok "tiles whose last byte does not exist: two" sh -c '[ "$(grep -c "W_LOCAL_BOUNDS: 64 bytes at 960 are outside the 1023 bytes" err)" = 2 ]'

# --- W_WAVE_ORDER -----------------------------------------------------------------------------------

kernel 64 4096 <<'END'
mov_imm r5, 2
shl r5, r2, r5
local_store_u32 r5, r2
tile_load_c_i32 t0, r4, r1, local, row
END
check "lanes store, a tile is loaded" 0 "$bin/wavec" --check k.wave
said err "warning: W_WAVE_ORDER: this may read what another lane of the wave writes"
kernel 64 4096 <<'END'
mov_imm r5, 2
shl r5, r2, r5
tile_store_c_i32 t0, r4, r1, local, row
local_load_u32 r6, r5
END
check "a tile is stored, lanes load" 0 "$bin/wavec" --check k.wave
said err "warning: W_WAVE_ORDER"
kernel 64 4096 <<'END'
tile_store_c_i32 t0, r4, r1, local, row
tile_load_c_i32 t1, r4, r1, local, row
END
check "a tile is stored and loaded" 0 "$bin/wavec" --check k.wave
said err "warning: W_WAVE_ORDER"
kernel 64 4096 <<'END'
mov_imm r5, 2
shl r5, r2, r5
local_store_u32 r5, r2
fence_acq_rel .wave
tile_load_c_i32 t0, r4, r1, local, row
mov_imm r6, 1024
tile_store_c_i32 t0, r6, r1, local, col
mov_imm r6, 2048
tile_load_c_i32 t0, r6, r1, local, row
END
check "a fence between, and tiles apart" 0 "$bin/wavec" --check k.wave
silent err
kernel 64 4096 <<'END'
mov_imm r5, 2
shl r5, r2, r5
local_store_u32 r5, r2
tile_load_c_i32 t0, r4, r1, local, row
tile_store_c_i32 t0, r0, r1, device, row
END
check "lockstep inserts the fence" 0 "$bin/wavec" --target=wbin --wave-order=lockstep -o k.wbin k.wave
check "lockstep inserts the fence" 0 "$bin/wave-dis" k.wbin
said out "fence_acq_rel .wave"
finish tile_errors
