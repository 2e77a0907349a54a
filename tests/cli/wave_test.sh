#!/bin/sh
# wave-test from the outside, and wave-emu --test, which takes the launch from the file's own lines. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# out[i] = x[i] + n over two workgroups of eight threads; 3 + i is written out below.
cat >add.wave <<'END'
;@ test   adds a number to each word
;@ kernel add
;@ widths 4 8
;@ grid   2 1 1
;@ group  8 1 1
;@ buffer x   u32 16 = iota 0
;@ buffer out u32 16
;@ args   x out 3
;@ expect out = 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18
.kernel other
    halt
.end
.kernel add
.registers 16
    mov r3, sr_workgroup_id_x
    mov r4, sr_workgroup_size_x
    mov r5, sr_thread_id_x
    imad r3, r3, r4, r5
    mov_imm r4, 2
    shl r3, r3, r4
    iadd r5, r0, r3
    device_load_u32 r6, r5
    iadd r6, r6, r2
    iadd r5, r1, r3
    device_store_u32 r5, r6
    halt
.end
END
sed 's/= 3 4 5/= 3 4 6/' add.wave >wrong.wave
sed '/;@/d' add.wave >plain.wave
"$bin/wave-asm" add.wave -o add.wbin

check "a correct file" 0 "$bin/wave-test" add.wave
said out "wave-test: 1 passed, 0 failed"
check "passing files are named" 0 "$bin/wave-test" -v add.wave
said out "ok   add.wave: adds a number to each word"
check "a wrong one" 1 "$bin/wave-test" add.wave wrong.wave
said out "    wrong.wave:9: out[2] u32: expected 0x00000006 (6), got 0x00000005 (5)"
said out "wave-test: 1 passed, 1 failed"
check "one width" 0 "$bin/wave-test" --width=8 add.wave
check "one that it does not list" 1 "$bin/wave-test" --width=7 add.wave
said out "wave-test: 0 passed, 0 failed, 1 skipped: without width 7"
sed 's/widths 4 8/widths 4/' add.wave >four.wave
check "one that only another file lists" 0 "$bin/wave-test" -v --width=8 four.wave add.wave
said out "skip four.wave: it does not list this width"
said out "wave-test: 1 passed, 0 failed, 1 skipped: without width 8"
check "a failure besides a skipped file" 1 "$bin/wave-test" --width=8 four.wave wrong.wave
said out "wave-test: 0 passed, 1 failed, 1 skipped"
for option in --always --count --extensions -O0 -O2; do
    check "$option without --through" 2 "$bin/wave-test" $option add.wave
    said err "wave-test: ${option%[02]} needs --through=wbin"
    check "$option with it" 0 "$bin/wave-test" $option --through=wbin add.wave
done
check "a file without lines" 1 "$bin/wave-test" plain.wave
said out "no ';@ test' line"
check "a file that does not exist" 1 "$bin/wave-test" missing.wave
said err "wave-test: cannot read missing.wave"
check "no file" 2 "$bin/wave-test"
check "a wrong value" 2 "$bin/wave-test" --width=65 add.wave
check "a wrong check" 2 "$bin/wave-test" --check=all add.wave
check "an unknown option" 2 "$bin/wave-test" --widht=8 add.wave
said err "did you mean --width?"
printf ';@ test x\n;@ registers 4294967296\n.kernel k\nhalt\n.end\n' >large.wave
check "a number that is too large" 1 "$bin/wave-test" large.wave
said out "line 2: the number is too large"
{ echo ';@ test x'; i=0; while [ $i -le 256 ]; do echo ";@ buffer b$i u8 1"; i=$((i + 1)); done; } >many.wave
check "too many buffers" 1 "$bin/wave-test" many.wave
said out "line 258: too many buffers"

# The same launch on wave-emu. The arena holds x at 0 and out at 256.
check "wave-emu --test" 0 "$bin/wave-emu" --test add.wave --dump-u32 256:3
said err "memory is what add.wave expects"
printf '3\n4\n5\n' >expected
ok "its memory" diff expected out
check "the first width of the file" 0 "$bin/wave-emu" --test add.wave --stats
said out "Waves executed: 4"
check "another one" 0 "$bin/wave-emu" --test add.wave --wave-width 8 --stats
said out "Waves executed: 2"
check "one that is not listed" 2 "$bin/wave-emu" --test add.wave --wave-width 16
said err "add.wave does not support waves of 16 lanes"
check "memory that is not expected" 1 "$bin/wave-emu" --test wrong.wave
said err "    wrong.wave:9: out[2] u32: expected 0x00000006 (6), got 0x00000005 (5)"
check "with a check" 0 "$bin/wave-emu" --test add.wave --check=all
check "with a limit" 3 "$bin/wave-emu" --test add.wave --max-instructions 5
check "with a profile" 0 "$bin/wave-emu" --test add.wave --profile
check "from standard input" 0 sh -c "'$bin/wave-emu' --test - <add.wave"
for option in '--grid 1,1,1' '--set-reg 0:1' '--device-memory 4096' '--kernel other' '--fill-zero 0:u32:1'; do
    # shellcheck disable=SC2086 # two words
    check "the launch twice: $option" 2 "$bin/wave-emu" --test add.wave $option
    said err "are those of the file"
done
check "WBIN has no such lines" 2 "$bin/wave-emu" --test add.wbin
said err "--test needs assembly"
check "assembly without them" 1 "$bin/wave-emu" --test plain.wave
said err "plain.wave: line"


# The compiler without optimisation keeps errors: a file whose error is gone fails.
printf ';@ test    no error\n;@ group   1\n;@ error   E_OUT_OF_BOUNDS\n.kernel k\n    halt\n.end\n' >none.wave
check "an error that is not reported" 1 "$bin/wave-test" none.wave
check "nor by the compiler's output" 1 "$bin/wave-test" --through wbin -O0 none.wave
said out "expected E_OUT_OF_BOUNDS, which was not reported"
finish "cli/wave_test"
