#!/bin/sh
# wave-emu --subnormals=flush from the outside, and that the programs marked ftz-sensitive are checked in both modes. The
# result of each instruction is checked by these programs and by tests/unit/test_emu_flush.c. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

printf '.kernel tiny\n.registers 4\n.workgroup_size 1, 1, 1\n mov_imm r1, 0x00400000\n fadd r1, r1, r1\n device_store_u32 r0, r1\n halt\n.end\n' >tiny.wave
check "subnormals are kept" 0 "$bin/wave-emu" tiny.wave --assert-u32 0:0x00800000
check "reported" 0 "$bin/wave-emu" tiny.wave --subnormals=keep --assert-u32 0:0x00800000
check "flushed" 0 "$bin/wave-emu" tiny.wave --subnormals=flush --assert-u32 0:0
check "another word" 2 "$bin/wave-emu" tiny.wave --subnormals=zero
said err "expected keep or flush"

find "$tests/programs" -name '*.wave' -exec grep -l '^;@ ftz-sensitive' {} + >sensitive
ok "there are such programs" [ -s sensitive ]
while read -r file; do
    grep '^;@ expect .*flushed =' "$file" >/dev/null || echo "$file"
done <sensitive >missing
ok "each states the result where subnormals are flushed" empty missing
finish subnormals
