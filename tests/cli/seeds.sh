#!/bin/sh
# wave-emu --schedule=FIRST..LAST and --memory=scoped:FIRST..LAST. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# Two waves store their number to one word.
cat >race.wave <<'END'
.kernel race
.registers 4
.workgroup_size 64, 1, 1
    mov_sr r1, sr_wave_id
    mov_imm r2, 8
    device_store_u32 r2, r1
    halt
.end
END
# Every thread has its own word.
cat >none.wave <<'END'
.kernel none
.registers 4
.workgroup_size 64, 1, 1
    mov_sr r1, sr_wave_id
    mov_sr r2, sr_thread_id_x
    mov_imm r3, 2
    shl r2, r2, r3
    device_store_u32 r2, r1
    halt
.end
END

check "a program without a race" 0 "$bin/wave-emu" none.wave --schedule=1..50 --memory=scoped:1..50 --dump-u32 252:1
silent err
ok "the memory of the plain order" has out 1
check "one with a race" 1 "$bin/wave-emu" race.wave --schedule=1..50 --dump-u32 8:1
said err "Error: memory differs: --schedule="
said err "[E_SCHEDULE]"
said err "race+0x0c: device_store_u32 r2, r1"
ok "the memory of the seed" has out 0
seed=$(sed -n 's/.*--schedule=\([0-9]*\) .*/\1/p' err)
check "the seed alone" 0 "$bin/wave-emu" race.wave --schedule="$seed" --assert-u32 8:0
check "seeds before it agree" 0 "$bin/wave-emu" race.wave --schedule=0..$((seed - 1 > 0 ? seed - 1 : 0)) --assert-u32 8:1
check "JSON" 1 "$bin/wave-emu" race.wave --schedule=1..50 --diagnostics=json
ok "JSON: a document" json err
said err '"code":"E_SCHEDULE"'
check "a range of memory alone" 0 "$bin/wave-emu" none.wave --memory=scoped:1..5 --schedule=3
for value in 5..1 1.. ..5 1..x 1..2000000; do
    check "--schedule=$value" 2 "$bin/wave-emu" race.wave --schedule=$value
    said err "expected SEED or FIRST..LAST"
done
check "ranges of two lengths" 2 "$bin/wave-emu" race.wave --schedule=1..5 --memory=scoped:1..6
said err "must have the same length"
check "the last --memory counts" 0 "$bin/wave-emu" none.wave --memory=scoped:1..5 --memory=sc
check "without a range" 0 "$bin/wave-emu" none.wave --memory=scoped:1..5 --memory=scoped --schedule=1..6
check "--memory=sc:1..5" 2 "$bin/wave-emu" race.wave --memory=sc:1..5
finish seeds
