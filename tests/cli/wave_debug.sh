#!/bin/sh
# The prompt of wave-emu --break: breakpoints by offset, line and label, conditions, watchpoints, the display at a
# stop. Expected values are calculated by hand from the program below. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# Lane i of 4 computes r2 = 10 * i + 5, r3 = 0.5 * i; in a loop of three rounds it adds r2 to r5 and stores it at
# 0x40 + 4 * i; finally it stores the float at 0x80 + 4 * i and loads it again.
cat >k.wave <<'END'
.kernel work
.registers 16
.workgroup_size 4, 1, 1
    mov_sr r0, sr_lane_id
    mov_imm r1, 10
    mov_imm r2, 5
    imad r2, r0, r1, r2
    cvt_f32_u32 r3, r0
    mov_imm r4, 0x3F000000
    fmul r3, r3, r4
    mov_imm r6, 2
    shl r6, r0, r6
    mov_imm r7, 0x40
    iadd r6, r6, r7
    mov_imm r8, 3
again:
    loop
        iadd r5, r5, r2
        device_store_u32 r6, r5
        mov_imm r9, 1
        isub r8, r8, r9
        mov_imm r9, 0
        icmp_eq p1, r8, r9
        break p1
    endloop
    iadd r6, r6, r7
    device_store_u32 r6, r3
    device_load_u32 r10, r6
    fadd r10, r10, r3
    call tail
    halt
tail: ineg r11, r0
    return
.end
END
"$bin/wave-asm" k.wave -o k.wbin

# session COMMANDS ARGUMENTS...
session() {
    commands=$1
    shift
    # shellcheck disable=SC2059 # the commands are a format
    printf "$commands" | "$bin/wave-emu" --wave-width 4 "$@" >out 2>err
}

# --- Offsets, conditions, the display at a stop ---

# Offsets, with two words for mov_imm and for three operands: sr_lane_id 0, mov_imm 4 and c, imad 14, cvt 1c, mov_imm 20,
# fmul 28, mov_imm 30, shl 38, mov_imm 40, iadd 48, mov_imm 50, loop 58, iadd 5c, store 64.
session 'c\n' k.wbin --break 0x1c
ok "the first stop shows every lane" has err "wg(0,0,0) wave 0, lane 3, thread (3,0,0): p0=0 p1=0 p2=0 p3=0"
ok "and its registers" has err "  r0   00000003 0000000a 00000023 00000000"
ok "and the instructions around" has err "  > 0x01c | cvt_f32_u32 r3, r0"
session 's\ns\n' k.wbin --break 0x14
ok "a step shows what has changed" has err "  r2 = 15 25 35  (lanes 1-3)"
ok "unchanged values are omitted" lacks err "r1 = "
ok "floats are floats" has err "  r3 = 1.0 2.0 3.0  (lanes 1-3)"
ok "all registers only at the first stop" [ "$(grep -c 'lane 0, thread' err)" -eq 1 ]
session 'n x\ns 0\n' k.wbin --break 0x14
ok "n without lines has its own usage" has err "usage: n [N]"
ok "and s its own" has err "usage: s [N]"
session 'full\ns\n' k.wbin --break 0x14
ok "full: all registers again" [ "$(grep -c 'lane 0, thread' err)" -eq 2 ]
session 'lanes 1,3\ns\nr\nlanes all\nlanes 4-\nlanes 64\n' k.wbin --break 0x14
ok "lanes narrows the changes" has err "  r2 = 15 35  (lanes 1,3)"
ok "lanes narrows the registers" [ "$(grep -c 'lane 2, thread' err)" -eq 1 ]
ok "lanes all" has err "lanes 0-63"
ok "wrong lanes" [ "$(grep -c 'usage: lanes' err)" -eq 2 ]

session 'c\n' k.wbin --break '0x64 if lane == 2 && r5 > 50'
# Lane 2 adds 25 in each round: 25, 50, 75; only then is the sum more than 50.
ok "a condition" has err "  lane == 2 && r5 > 50 in lanes 2"
ok "stops once" [ "$(grep -c 'break at' err)" -eq 1 ]
ok "in the iteration in which it holds" has err "0000004b"
session '' k.wbin --break '0x64 if r5 > 1000'
ok "a condition that never holds" lacks err "break at"
session '' k.wbin --break '0x28 if float(r3) == 2.0'
ok "a condition on a float" has err "in lanes 2"
session '' k.wbin --break '0x28 if float(r3) > 0.5 && !p0 && wave == 0 && thread_x != 3'
ok "names of a condition" has err "in lanes 1-2"
for text in '0x64 if' '0x64 if r5 >' '0x64 if r256 > 1' '0x64 if what' '0x64 when r5' '0x66' 'nowhere' '0x64 if ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1' ''; do
    check "a wrong break: $text" 2 "$bin/wave-emu" k.wbin --break "$text"
    ok "reports the problem: $text" has err "wave-emu: --break "
done

# --- Breakpoints at the prompt ---

session 'b 0x64 if lane == 0\nb\nd 0x14\nb\nc\nd #2\nd #2\nb\nc\n' k.wbin --break 0x14
ok "an added breakpoint" has err "#2 break at PC=0x064 if lane == 0"
ok "deleted by its offset" has err "1 deleted"
ok "stops at the new one" has err "break at PC=0x064"
ok "deleted twice" has err "#2: there is no such point"
ok "none is left" has err "there are no breakpoints or watchpoints"
session 'b work\nb loc_0_\nb\nd all\nb\n' k.wbin --break 0x14
ok "the kernel's name is its first instruction" has err "#2 break at PC=0x000"
ok "an unknown label" has err "loc_0_: neither an offset nor a label"
ok "delete all" has err "2 deleted"
"$bin/wave-dis" k.wbin >k.dis
label=$(sed -n 's/^ *\(loc_0_[0-9A-F]*\):.*/\1/p' k.dis)
session "b $label\nc\n" k.wbin --break 0x14
ok "a label of the disassembly" has err "wave 0: ineg r11, r0"
i=0
while [ $i -le 64 ]; do echo "b 0x64"; i=$((i + 1)); done >many
"$bin/wave-emu" k.wbin --wave-width 4 --break 0x14 <many >out 2>err
ok "no more than the limit" has err "there are too many breakpoints"

printf '    mov_imm r1, 1\n    mov_imm r1, 2\n' >part.wave
printf '.kernel work\n    mov_imm r0, 1\n    .include "part.wave"\n    halt\n.end\n' >whole.wave
session 'b part.wave:2\nb whole.wave:2\nd part.wave:2\nb\n' whole.wave --break 4
ok "a line of one file is deleted" has err "1 deleted"
ok "and that of the other one stays" [ "$(grep -c 'break at whole.wave:2$' err)" -eq 2 ]

# What fits in the buffer would be another command.
session "p 1%515s+ 1\np 2" k.wbin --break 0x14
ok "a line that is too long is not obeyed" has err "the line is too long"
ok "not even its start" lacks err "  1 = 1"
ok "the next one is, without its end" has err "  2 = 2"

# --- Watchpoints ---

session 'watch 0x44\nc\nc\nc\n' k.wbin --break 0x14
# Lane 1 adds 15 in each round: 0f, 1e, 2d.
ok "a watchpoint" has err "#2 watch device 0x44, 4 bytes"
ok "it stops at the store" has err "watch at PC=0x064"
ok "the lane that wrote" has err "device 0x44 was written by lanes 1"
ok "the bytes before the store" has err "  was 0f 00 00 00"
ok "the bytes after the store" has err "  is  1e 00 00 00"
ok "one stop per store" [ "$(grep -c 'watch at' err)" -eq 3 ]
session 'watch 0x40 16 if lane == 1 && r5 == 45\nc\n' k.wbin --break 0x14
ok "with a size and a condition" [ "$(grep -c 'watch at' err)" -eq 1 ]
ok "all bytes" has err "  is  0f 00 00 00 2d 00 00 00 4b 00 00 00 69 00 00 00"
session 'watch 0x44\nwatch 0x40 8\nc\nc\nc\nc\nc\nc\nc\n' k.wbin --break 0x14
ok "two watchpoints of the same store: one stop each" [ "$(grep -c 'watch at PC=0x064' err)" -eq 6 ]
ok "and at no other instruction" [ "$(grep -c 'watch at' err)" -eq 6 ]
session 'watch\nwatch x\nwatch 0x40 65\nwatch local:0\nb\n' k.wbin --break 0x14
ok "wrong watchpoints" [ "$(grep -c '\[local:\]ADDRESS' err)" -eq 2 ]
ok "too many bytes" has err "expected 'if', not 65"
ok "local memory" has err "watch local 0x0, 4 bytes"

# --- print ---

session 's\np r2\np r2 hex\np r11 signed\np r11\np r3 float\np float(r3) * 2\np r2 + 1\np p1\np mem(0x40)\np what\np\nlanes 9\np r2\n' \
    k.wbin --break "$label"
ok "print" has err "    lane  0: 5 15 25 35  (lanes 0-3)"
ok "as hex" has err "    lane  0: 0x00000005 0x0000000f 0x00000019 0x00000023  (lanes 0-3)"
ok "signed" has err "    lane  0: 0 -1 -2 -3  (lanes 0-3)"
ok "unsigned" has err "    lane  0: 0 4294967295 4294967294 4294967293  (lanes 0-3)"
ok "as float" has err "    lane  0: 0.0 0.5 1.0 1.5  (lanes 0-3)"
ok "an expression in floats" has err "    lane  0: 0 1 2 3  (lanes 0-3)"
ok "an expression" has err "    lane  0: 6 16 26 36  (lanes 0-3)"
ok "the same in all lanes" has err "  p1 = 1  (lanes 0-3)"
ok "memory" has err "  mem(0x40) = 15  (lanes 0-3)"
ok "an unknown name" has err "unknown name 'what'"
ok "nothing to print" has err "usage: p EXPRESSION"
ok "a lane that does not exist" has err "none of the chosen lanes exists in this wave"
# 1.0 and 2.0 as halves are 3C00 and 4000.
printf '.kernel h\n.workgroup_size 1, 1, 1\n mov_imm r0, 0x40003C00\n mov_imm r1, 0x3FC0\n halt\n.end\n' >h.wave
session 'p r0 half\np r1 bfloat\np r0 unsigned\n' h.wave --break 0x10
ok "half" has err "r0 = 1.0  (lane 0)"
ok "bfloat" has err "r1 = 1.5  (lane 0)"

# --- Names of the source ---

# Lane i has count = n - 7 * i = 12 - 7 * i, half of it as a float in part, and small where count < 6: 12, 5, -2, -9.
cat >named.wave <<'END'
.macro twice x
.reg t
    iadd t, x, x
.endm
.kernel named
.workgroup_size 4, 1, 1
.arg n i32
.arg scale f32
.reg count, part, lane, both = r20, alias = r20
.pred small
    imul lane, sr_lane_id, 7
    isub count, n, lane
    cvt_f32_i32 part, count
    fmul part, part, scale
    icmp_lt small, count, 6
    mov r20, 0x40003C00
    twice count
    twice count
    nop
    halt
.end
END
"$bin/wave-asm" -g named.wave -o named.wbin
for file in named.wave named.wbin; do
    named() { session "$@" $file --arg n=12 --arg scale=0.5; }
    named 'p count signed\np part float\np small\np n\np scale float\np count hex\np both half\np alias bfloat\np count + n\np lane\np t\n' --break 19
    ok "$file: print a name, signed" has err "    lane  0: 12 5 -2 -9  (lanes 0-3)"
    ok "$file: as float" has err "    lane  0: 6.0 2.5 -1.0 -4.5  (lanes 0-3)"
    ok "$file: a predicate" has err "    lane  0: 0 1 1 1  (lanes 0-3)"
    ok "$file: an argument" has err "  n = 12  (lanes 0-3)"
    ok "$file: an argument as float" has err "  scale = 0.5  (lanes 0-3)"
    ok "$file: as hex" has err "    lane  0: 0x0000000c 0x00000005 0xfffffffe 0xfffffff7  (lanes 0-3)"
    ok "$file: as half" has err "  both = 1.0  (lanes 0-3)"
    ok "$file: a second name of a register" has err "  alias = 0.0078125  (lanes 0-3)"
    ok "$file: in an expression" has err "    lane  0: 24 17 4294967306 4294967299  (lanes 0-3)"
    ok "$file: the debugger's own names come first" has err "    lane  0: 0 1 2 3  (lanes 0-3)"
    ok "$file: a name of two registers" has err "unknown name 't'"
    named 'c\n' --break '16 if signed(count) < 0 && small'
    ok "$file: a condition" has err "signed(count) < 0 && small in lanes 2-3"
    named 's 2\n' --break 12
    ok "$file: changes by name" has err "  count (r2) = "
    ok "$file: an unknown name" sh -c "printf 'p n2\\n' | '$bin/wave-emu' $file --wave-width 4 --arg n=1 --arg scale=1 --break 12 2>&1 | grep -q \"unknown name 'n2'\""
done

# --- Loaded and stored floats are traced as floats ---

check "a trace" 0 "$bin/wave-emu" k.wbin --wave-width 4 --trace --mem-trace --trace-lane 3
ok "a stored float" grep -q 'device_store_u32 r6, r3 | addr=0x8c val=1.5$' err
ok "a loaded float" grep -q 'device_load_u32 r10, r6 | addr=0x8c val=1.5 → r10=1.5$' err
ok "in the trace of memory" grep -q 'device load addr=0x8c bytes=4 val=1.5$' err
ok "integers stay integers" grep -q 'device_store_u32 r6, r5 | addr=0x4c val=35$' err
cat >wide.wave <<'END'
.kernel wide
.workgroup_size 1, 1, 1
    mov_imm r20, 0x3F800000
    mov_imm r21, 0x40000000
    mov_imm r22, 0x40400000
    mov_imm r23, 0x40800000
    device_store_u128 r0, r20
    device_load_u128 r4, r0
    fadd r4, r4, r5
    fadd r6, r6, r7
    device_load_u64 r8, r0
    dadd r8, r8, r8
    device_load_u64 r10, r0
    iadd r10, r10, r11
    halt
.end
END
check "wide loads" 0 "$bin/wave-emu" wide.wave --trace
ok "four floats" grep -q 'device_load_u128 r4, r0 | addr=0x0 val=(1.0,2.0,3.0,4.0) → r4:r7=(1.0,2.0,3.0,4.0)$' err
# 2.0 above 1.0 as one f64: 0x400000003F800000 = 2 + 2^-51 * 0x3F800000 = 2.0000004731118679
ok "one f64" grep -q 'device_load_u64 r8, r0 | addr=0x0 val=2.000000473111868 ' err
ok "an integer pair" grep -q 'device_load_u64 r10, r0 | addr=0x0 val=4611686019492741120 ' err

# --- Lines of a source, and of a WBIN file with line records ---

# By line number: the kernel begins on line 1, the loop's iadd is on 18, the store on 19, tail on 31.
"$bin/wave-asm" -g k.wave -o g.wbin
for file in k.wave g.wbin; do
    session 'c\n' $file --break '19 if r5 == 70'
    ok "$file: a line" has err "break at k.wave:19 PC=0x064 in wg(0,0,0) wave 0: device_store_u32 r6, r5"
    ok "$file: its condition" has err "r5 == 70 in lanes 3"
    ok "$file: the lines around" has err "  >    19 |         device_store_u32 r6, r5"
    ok "$file: the one before" has err "       18 |         iadd r5, r5, r2"
    session 'b 16\nb again\nb k.wave:31\nb other.wave:31\nb 99\nb 0x64\nb\nd again\nn\nn\nn 3\n' $file --break tail
    ok "$file: a line without code is the next one with" has err "#2 break at k.wave:17"
    ok "$file: a label" has err "#3 break at k.wave:17"
    ok "$file: a line of a file" has err "#4 break at k.wave:31"
    ok "$file: a line of another file" has err "other.wave:31: the kernel has no code on that line or below"
    ok "$file: a line past the end" has err "99: the kernel has no code on that line or below"
    ok "$file: an offset" has err "#5 break at k.wave:19 PC=0x064"
    ok "$file: deleted by label: both points there" has err "2 deleted"
    session 'n\nn 2\n' $file --break 7
    ok "$file: next" has err "step at k.wave:8 PC=0x01c"
    ok "$file: next 2" has err "step at k.wave:10 PC=0x028"
    check "$file: a trace" 0 "$bin/wave-emu" $file --wave-width 4 --trace --trace-lane 0 --mem-trace
    ok "$file: the line comes first" has err "k.wave:19 [wave 0, lane 0] PC=0x064 device_store_u32 r6, r5 | addr=0x40 val=5"
    ok "$file: also with memory" has err "k.wave:19 t="
    ok "$file: a line that is not the instruction is shown" has err "k.wave:5 |     mov_imm r1, 10"
    ok "$file: one that is the instruction is not shown" lacks err "k.wave:19 |"
    check "$file: a trace of waves" 0 "$bin/wave-emu" $file --wave-width 4 --trace=waves
    ok "$file: the line comes first there" has err "k.wave:19 wg(0,0,0) wave[0] pc=0x0064: device_store_u32 r6, r5"
    check "$file: a profile" 0 "$bin/wave-emu" $file --wave-width 4 --profile
    ok "$file: the line in the profile" has out "  k.wave:19 |         device_store_u32 r6, r5"
    check "$file: a profile as JSON" 0 "$bin/wave-emu" $file --wave-width 4 --profile=json
    ok "$file: the line in the JSON" has out '{"file":"k.wave","line":19,"pc":100,'
    check "$file: a profile as a page" 0 "$bin/wave-emu" $file --wave-width 4 --profile=html -o -
    ok "$file: the line in the page" has out 'k.wave:19</td>'
    check "$file: an error" 1 "$bin/wave-emu" $file --wave-width 4 --device-memory 64
    ok "$file: its line and offset" has err "    at k.wave:19:9 (work+0x64): device_store_u32 r6, r5"
    ok "$file: the source line" has err "      19 |         device_store_u32 r6, r5"
    check "$file: as JSON" 1 "$bin/wave-emu" $file --wave-width 4 --device-memory 64 --diagnostics=json
    ok "$file: file and line" has err '{"file":"k.wave","line":19,"column":9,"source":"        device_store_u32 r6, r5","severity":"error","code":"E_OUT_OF_BOUNDS"'
    ok "$file: offset" has err '"kernel":"work","offset":100,'
done

# Both sides of a race, and uninitialised reads.
cat >race.wave <<'END'
.kernel race
.workgroup_size 4, 1, 1
    mov_sr r0, sr_lane_id
    mov_imm r1, 0
    local_store_u32 r1, r0
    local_load_u32 r2, r1
    iadd r3, r4, r0
    halt
.end
END
check "a race" 1 "$bin/wave-emu" race.wave --wave-width 4 --check=race
said err "    at race.wave:6:5 (race+0x14): local_load_u32 r2, r1"
said err "       6 |     local_load_u32 r2, r1"
said err "    and race.wave:5:5 (race+0x0c): local_store_u32 r1, r0"
said err "       5 |     local_store_u32 r1, r0"
check "a race as JSON" 1 "$bin/wave-emu" race.wave --wave-width 4 --check=race --diagnostics=json
said err '"related":[{"file":"race.wave","line":5,"column":5,"source":"    local_store_u32 r1, r0","offset":12,"message":"local_store_u32 r1, r0"}]'
ok "which is JSON" json err
check "an uninitialised register" 1 "$bin/wave-emu" race.wave --wave-width 4 --check=uninit
said err "    at race.wave:7:5 (race+0x18): iadd r3, r4, r0"
printf '.kernel a\n.workgroup_size 1, 1, 1\nassert p1, 7\nhalt\n.end\n' >assert.wave
check "an assert" 1 "$bin/wave-emu" assert.wave
said err "    at assert.wave:3:1 (a+0x00)"
printf '.kernel a\n.workgroup_size 1, 1, 1\n.assert p1, "x is not \\"finite\\""\nhalt\n.end\n' >text.wave
check "an assert with a text" 1 "$bin/wave-emu" text.wave
said err 'failed: x is not "finite" [E_ASSERT]'
said err "    at text.wave:3:1 (a+0x00): assert p1, "
"$bin/wave-asm" text.wave -o text.wbin
check "the same from WBIN without lines" 1 "$bin/wave-emu" text.wbin
said err 'failed: x is not "finite" [E_ASSERT]'
said err "    at text.wbin:a+0x00: assert p1, "
check "standard input" 1 sh -c "'$bin/wave-emu' - --wave-width 4 --device-memory 64 <k.wave"
said err "    at <stdin>:19:9 (work+0x64)"

finish "cli/wave_debug"
