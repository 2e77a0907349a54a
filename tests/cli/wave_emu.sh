#!/bin/sh
# wave-emu from the outside: every option, the formats byte for byte, exit statuses, the prompt.
# Expected texts are written out by hand from the description of the tool, never copied from a run.
. "$(dirname "$0")/../support/cli.sh"
emu=$bin/wave-emu

# run ARGUMENTS...: standard output to out, standard error to err, exit status to $status.
run() {
    "$emu" "$@" >out 2>err </dev/null
    status=$?
}

# session COMMANDS ARGUMENTS...: the same with commands on standard input.
session() {
    printf '%b' "$1" >commands
    shift
    "$emu" "$@" >out 2>err <commands
    status=$?
}

ended() { [ "$status" -eq "$1" ] || { echo "exit status $status, not $1"; cat err; return 1; }; }

status_is() { ok "$1" ended "$2"; } # NAME STATUS

# file_is NAME FILE: the file has exactly the text on standard input.
file_is() {
    cat >expected
    ok "$1" diff expected "$2"
}

# NAME FILE TEXT: a line, or none, contains the text
says() { ok "$1" has "$2" "$3"; }
says_not() { ok "$1" lacks "$2" "$3"; }

has_lines() { [ "$(wc -l <"$1")" -eq "$2" ] || { echo "not $2 lines:"; cat "$1"; return 1; }; }

lines_are() { ok "$1" has_lines "$2" "$3"; } # NAME FILE COUNT

# --- Programs -----------------------------------------------------------------------------------------

# r2 = r0 + r1 at PC 4, stored at 0x100: the example of the trace format.
cat >sum.wave <<'END'
.kernel sum
.registers 8
.workgroup_size 1, 1, 1
    nop
    iadd r2, r0, r1
    mov_imm r3, 0x100
    device_store_u32 r3, r2
    halt
.end
END

# Every thread stores its number + r0 at 4 * number + 256 * workgroup.
cat >ids.wave <<'END'
.kernel ids
.registers 8
    mov_sr r1, sr_thread_id_x
    mov_sr r2, sr_workgroup_id_x
    mov_imm r3, 2
    shl r4, r1, r3
    mov_imm r5, 256
    imad r4, r2, r5, r4
    iadd r6, r1, r0
    device_store_u32 r4, r6
    halt
.end
END

# Does nothing; used to inspect memory.
cat >nothing.wave <<'END'
.kernel nothing
.registers 1
    halt
.end
END

cat >two.wave <<'END'
.kernel first
.registers 4
    mov_imm r0, 1
    mov_imm r1, 0
    device_store_u32 r1, r0
    halt
.end
.kernel second
.registers 4
    mov_imm r0, 2
    mov_imm r1, 0
    device_store_u32 r1, r0
    halt
.end
END

for name in sum ids nothing two; do
    ok "assembling" "$bin/wave-asm" "$name.wave" -o "$name.wbin"
done

# --- Running and dumping ------------------------------------------------------------------------------

run ids.wbin --workgroup 4,1,1 --set-reg 0:0 --dump-u32 0:5
status_is "plain run" 0
file_is "dump-u32" out <<'END'
0
1
2
3
0
END
lines_are "nothing on stderr" err 0

run ids.wbin --workgroup=4,1,1 --grid=2,1,1 --set-reg 0:0x10 --dump-u32=0x100:2 --dump-u32 0:1
status_is "options with =" 0
file_is "grid, set-reg, hex offset, dumps in the order given" out <<'END'
16
17
16
END

run ids.wave --workgroup 2 --dump-u32 0:2
file_is "a source is assembled first; X alone is X,1,1" out <<'END'
0
1
END

"$emu" - --workgroup 2 --dump-u32 0:2 <ids.wave >out 2>err
file_is "assembly from standard input" out <<'END'
0
1
END
"$emu" - --workgroup 2 --dump-u32 0:2 <ids.wbin >out 2>err
file_is "a binary from standard input" out <<'END'
0
1
END

run two.wbin --dump-u32 0:1
file_is "the first kernel by default" out <<'END'
1
END
run two.wbin --kernel second --dump-u32 0:1
file_is "a kernel by name" out <<'END'
2
END
run two.wbin --kernel 1 --dump-u32 0:1
file_is "a kernel by number" out <<'END'
2
END
run two.wbin --kernel third
status_is "no such kernel" 2
says "no such kernel: the message lists the kernels" err "1 second"
run two.wbin --kernel 2
status_is "no kernel of that number" 2

# 36.0 0.0001 9.9e-5 1e16 -0.0 inf -inf NaN 0.1 1e-45 3.4028235e38 16777216.0 9999999000000000.0 123456.79 -1.5 0.0
printf '\000\000\020\102\027\267\321\070\070\236\317\070\312\033\016\132\000\000\000\200\000\000\200\177' >f32.bin
printf '\000\000\200\377\000\000\300\177\315\314\314\075\001\000\000\000\377\377\177\177\000\000\200\113' >>f32.bin
printf '\311\033\016\132\145\040\361\107\000\000\300\277\000\000\000\000' >>f32.bin
run nothing.wbin --arg 0x20:f32.bin --dump-f32 0x20:16
status_is "dump-f32" 0
file_is "float texts" out <<'END'
36.0
0.0001
9.9e-5
1e16
-0.0
inf
-inf
NaN
0.1
1e-45
3.4028235e38
16777216.0
9999999000000000.0
123456.79
-1.5
0.0
END

# 1.0 -2.5 65504.0 0.1 5.9604645e-8 inf
printf '\000\074\000\301\377\173\146\056\001\000\000\174' >f16.bin
run nothing.wbin --arg 0:f16.bin --dump-f16 0:6
file_is "dump-f16" out <<'END'
1.0
-2.5
65504.0
0.099975586
5.9604645e-8
inf
END
# 1.0 -2.5 NaN 0.0
printf '\200\077\040\300\300\177\000\000' >bf16.bin
run nothing.wbin --arg 4:bf16.bin --dump-bf16 4:4
file_is "dump-bf16" out <<'END'
1.0
-2.5
NaN
0.0
END

printf 'Hello, WAVE!\001\177\200\377 second line ~' >text.bin
run nothing.wbin --arg 16:text.bin --dump-memory 0x10:0x2e --dump-memory 0x10:0x15 --dump-memory 24:33 --dump-memory 7:7
file_is "hex dump" out <<'END'
Device memory 0x00000010-0x0000002e:
00000010: 48 65 6c 6c 6f 2c 20 57  41 56 45 21 01 7f 80 ff  |Hello, WAVE!....|
00000020: 20 73 65 63 6f 6e 64 20  6c 69 6e 65 20 7e        | second line ~|
Device memory 0x00000010-0x00000015:
00000010: 48 65 6c 6c 6f                                    |Hello|
Device memory 0x00000018-0x00000021:
00000018: 41 56 45 21 01 7f 80 ff  20                       |AVE!.... |
Device memory 0x00000007-0x00000007:
END

# --- Filling ------------------------------------------------------------------------------------------

run nothing.wbin --fill-iota 0:f32:4 --fill-iota 0x10:f32:3:0.5 --dump-f32 0:7
file_is "fill-iota f32" out <<'END'
0.0
1.0
2.0
3.0
0.0
0.5
1.0
END
run nothing.wbin --fill-iota 0:u32:3:2 --fill-iota 12:i32:3:-1 --fill-iota 24:u64:2:3 --dump-u32 0:10
file_is "fill-iota u32, i32, u64" out <<'END'
0
2
4
0
4294967295
4294967294
0
0
3
0
END
run nothing.wbin --fill-iota 0:u64:3:1e308 --dump-u32 16:2
file_is "fill-iota: an infinite product is 0" out <<'END'
0
0
END
run nothing.wbin --fill-iota 0:u8:4 --fill-iota 4:u16:2:256 --dump-memory 0:8
file_is "fill-iota u8, u16" out <<'END'
Device memory 0x00000000-0x00000008:
00000000: 00 01 02 03 00 00 00 01                           |........|
END
run nothing.wbin --fill-iota 0:f16:3:0.5 --fill-iota 6:bf16:3:-2 --dump-f16 0:3 --dump-bf16 6:3
file_is "fill-iota f16, bf16" out <<'END'
0.0
0.5
1.0
-0.0
-2.0
-4.0
END
run nothing.wbin --fill-iota 0:f64:2:1.5 --dump-memory 8:16
file_is "fill-iota f64" out <<'END'
Device memory 0x00000008-0x00000010:
00000008: 00 00 00 00 00 00 f8 3f                           |.......?|
END
# Memory is filled in the order fill-zero, fill-iota, arg, whatever their order on the command line.
printf '\011\000\000\000' >nine.bin
run nothing.wbin --arg 4:nine.bin --fill-iota 0:u32:3:7 --fill-zero 0:u32:3 --dump-u32 0:3
file_is "order of filling" out <<'END'
0
9
14
END
run nothing.wbin --fill-zero 0:u32:4 --check=uninit
status_is "fill-zero" 0

# --- Registers ----------------------------------------------------------------------------------------

run sum.wbin --set-reg 0:5 --set-reg 1:0xFFFFFFFE --dump-regs
file_is "dump-regs" out <<'END'
wg(0,0,0) wave 0, lane 0, thread (0,0,0): p0=0 p1=0 p2=0 p3=0
  r0   00000005 fffffffe 00000003 00000100 00000000 00000000 00000000 00000000
END
cat >preds.wave <<'END'
.kernel preds
.registers 10
    mov_sr r9, sr_lane_id
    mov_imm r1, 1
    icmp_eq p1, r9, r1
    icmp_ne p3, r9, r1
    @p1 halt
    mov_imm r1, 2
    halt
.end
END
run preds.wave --workgroup 3,1,1 --wave-width 2 --grid 1,2,1 --dump-regs
status_is "dump-regs of several waves" 0
says "a lane that halted early keeps its registers" out "wg(0,1,0) wave 0, lane 1, thread (1,0,0): p0=0 p1=1 p2=0 p3=0"
file_is "dump-regs, lanes that halt at different places, rows of zeros left out" out <<'END'
wg(0,0,0) wave 0, lane 0, thread (0,0,0): p0=0 p1=0 p2=0 p3=1
  r0   00000000 00000002 00000000 00000000 00000000 00000000 00000000 00000000
wg(0,0,0) wave 0, lane 1, thread (1,0,0): p0=0 p1=1 p2=0 p3=0
  r0   00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000
  r8   00000000 00000001
wg(0,0,0) wave 1, lane 0, thread (2,0,0): p0=0 p1=0 p2=0 p3=1
  r0   00000000 00000002 00000000 00000000 00000000 00000000 00000000 00000000
wg(0,1,0) wave 0, lane 0, thread (0,0,0): p0=0 p1=0 p2=0 p3=1
  r0   00000000 00000002 00000000 00000000 00000000 00000000 00000000 00000000
wg(0,1,0) wave 0, lane 1, thread (1,0,0): p0=0 p1=1 p2=0 p3=0
  r0   00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000
  r8   00000000 00000001
wg(0,1,0) wave 1, lane 0, thread (2,0,0): p0=0 p1=0 p2=0 p3=1
  r0   00000000 00000002 00000000 00000000 00000000 00000000 00000000 00000000
END

# --- Statistics ---------------------------------------------------------------------------------------

# Two waves of 4 lanes; the branch at thread 5 of 8 splits wave 1.
cat >stats.wave <<'END'
.kernel stats
.registers 8
.workgroup_size 8, 1, 1
    mov_sr r0, sr_thread_id_x
    mov_imm r1, 2
    shl r2, r0, r1
    mov_imm r3, 5
    icmp_lt p1, r0, r3
    if p1
        local_store_u32 r2, r0
    endif
    barrier
    device_load_u16 r4, r2
    cvt_f32_u32 r5, r0
    fadd r5, r5, r5
    mov_imm r7, 512
    imad r2, r0, r1, r2
    iadd r2, r2, r2
    device_store_u32 r2, r4
    atomic_add r6, r7, r1, .device
    wave_reduce_add r6, r0
    halt
.end
END
run stats.wave --wave-width 4 --stats
status_is "stats" 0
# Wave-instructions: 19 places, all of them executed by both waves.
file_is "the text of --stats" out <<'END'
Execution Statistics:
  Instructions executed: 38
    Integer ops:         8
    Float ops:           4
    Memory ops:          6
    Control ops:         16
    Wave ops:            2
    Atomic ops:          8

  Device memory:
    Loads:  8 (16 bytes)
    Stores: 8 (32 bytes)

  Local memory:
    Loads:  0 (0 bytes)
    Stores: 5 (20 bytes)

  Barriers: 2
  Divergent branches: 1

  Workgroups executed: 1
  Waves executed: 2
END

# --- Traces -------------------------------------------------------------------------------------------

run sum.wbin --set-reg 0:5 --set-reg 1:3 --trace
status_is "trace" 0
lines_are "trace leaves stdout alone" out 0
file_is "the lines of --trace" err <<'END'
[wave 0, lane 0] PC=0x000 nop
[wave 0, lane 0] PC=0x004 iadd r2, r0, r1 | r0=5 r1=3 → r2=8
[wave 0, lane 0] PC=0x00c mov_imm r3, 0x100 → r3=256
[wave 0, lane 0] PC=0x014 device_store_u32 r3, r2 | addr=0x100 val=8
[wave 0, lane 0] PC=0x01c halt
END

run sum.wbin --grid 2,1,1 --set-reg 0:5 --set-reg 1:3 --trace --trace-pc 4:4
file_is "trace of several workgroups" err <<'END'
wg(0,0,0) [wave 0, lane 0] PC=0x004 iadd r2, r0, r1 | r0=5 r1=3 → r2=8
wg(1,0,0) [wave 0, lane 0] PC=0x004 iadd r2, r0, r1 | r0=5 r1=3 → r2=8
END

run ids.wbin --workgroup 4,1,1 --set-reg 0:0 --wave-width 2 --trace --trace-wave 1 --trace-lane 1 --trace-pc 0x0:0x8
file_is "trace filters" err <<'END'
[wave 1, lane 1] PC=0x000 mov r1, sr_thread_id_x → r1=3
[wave 1, lane 1] PC=0x004 mov r2, sr_workgroup_id_x → r2=0
[wave 1, lane 1] PC=0x008 mov_imm r3, 2 → r3=2
END

run sum.wbin --set-reg 0:0 --set-reg 1:0 --trace=waves
file_is "the lines of --trace=waves" err <<'END'
wg(0,0,0) wave[0] pc=0x0000: nop
wg(0,0,0) wave[0] pc=0x0004: iadd r2, r0, r1
wg(0,0,0) wave[0] pc=0x000c: mov_imm r3, 0x100
wg(0,0,0) wave[0] pc=0x0014: device_store_u32 r3, r2
wg(0,0,0) wave[0] pc=0x001c: halt
END

cat >kinds.wave <<'END'
.kernel kinds
.registers 32
.workgroup_size 1, 1, 1
    mov_imm r1, 0x3F800000
    fadd r2, r1, r1
    mov_imm r3, 0x3C003E00
    hadd2 r4, r3, r3
    cvt_f64_f32 r6, r1
    icmp_eq p1, r1, r2
    select r8, p1, r1, r3
    @!p1 mov_imm r9, 64
    local_store_u64 r9, r6
    local_load_u64 r10, r9
    atomic_add r12, r9, r9, .device
    atomic_cas r13, r9, r9, r3, .device
    if p1
    endif
    halt
.end
END
"$bin/wave-asm" kinds.wave -o kinds.wbin
run kinds.wbin --set-reg 9:0 --trace
status_is "trace of every kind of operand" 0
file_is "operands in a trace" err <<'END'
[wave 0, lane 0] PC=0x000 mov_imm r1, 0x3F800000 → r1=1065353216
[wave 0, lane 0] PC=0x008 fadd r2, r1, r1 | r1=1.0 → r2=2.0
[wave 0, lane 0] PC=0x010 mov_imm r3, 0x3C003E00 → r3=1006648832
[wave 0, lane 0] PC=0x018 hadd2 r4, r3, r3 | r3=(1.5,1.0) → r4=(3.0,2.0)
[wave 0, lane 0] PC=0x020 cvt_f64_f32 r6, r1 | r1=1.0 → r6:r7=1.0
[wave 0, lane 0] PC=0x024 icmp_eq p1, r1, r2 | r1=1065353216 r2=1073741824 → p1=0
[wave 0, lane 0] PC=0x02c select r8, p1, r1, r3 | p1=0 r1=1065353216 r3=1006648832 → r8=1006648832
[wave 0, lane 0] PC=0x034 @!p1 mov_imm r9, 0x40 → r9=64
[wave 0, lane 0] PC=0x03c local_store_u64 r9, r6 | addr=0x40 val=1.0
[wave 0, lane 0] PC=0x044 local_load_u64 r10, r9 | addr=0x40 val=4607182418800017408 → r10:r11=4607182418800017408
[wave 0, lane 0] PC=0x048 atomic_add r12, r9, r9, .device | addr=0x40 val=64 → r12=0
[wave 0, lane 0] PC=0x050 atomic_cas r13, r9, r9, r3, .device | addr=0x40 cmp=64 val=1006648832 → r13=64
[wave 0, lane 0] PC=0x058 if p1 | p1=0
[wave 0, lane 0] PC=0x060 halt
END

run kinds.wbin --set-reg 9:0 --mem-trace
file_is "the lines of --mem-trace" err <<'END'
t=9 [wave 0, lane 0] PC=0x03c local store addr=0x40 bytes=8 val=1.0
t=10 [wave 0, lane 0] PC=0x044 local load addr=0x40 bytes=8 val=4607182418800017408
t=11 [wave 0, lane 0] PC=0x048 device atomic addr=0x40 bytes=4 old=0 scope=device
t=12 [wave 0, lane 0] PC=0x050 device atomic addr=0x40 bytes=4 old=64 scope=device
END
cat >single.wave <<'END'
.kernel single
.registers 16
.workgroup_size 1, 1, 1
    mov_imm r1, 64
    mov_imm r2, 7
    atomic_store r1, r2, .device
    atomic_load r3, r1, .workgroup
    local_atomic_store r1, r3
    local_atomic_load r4, r1
    halt
.end
END
"$bin/wave-asm" single.wave -o single.wbin
run single.wbin --mem-trace
file_is "atomic loads and stores in --mem-trace" err <<'END'
t=3 [wave 0, lane 0] PC=0x010 device atomic store addr=0x40 bytes=4 val=7 scope=device
t=4 [wave 0, lane 0] PC=0x018 device atomic load addr=0x40 bytes=4 val=7 scope=workgroup
t=5 [wave 0, lane 0] PC=0x020 local atomic store addr=0x40 bytes=4 val=7
t=6 [wave 0, lane 0] PC=0x028 local atomic load addr=0x40 bytes=4 val=7
END
run ids.wbin --workgroup 4,1,1 --set-reg 0:0 --wave-width 2 --mem-trace --trace-lane 0 --trace-wave 1
lines_are "filters apply to --mem-trace" err 1
run sum.wbin --trace-lane 0
status_is "a filter without a trace" 2

# --- Breakpoints --------------------------------------------------------------------------------------

session 'c\n' sum.wbin --set-reg 0:5 --set-reg 1:0 --break 4 --dump-u32 0x100:1
status_is "break and continue" 0
file_is "after continue the run ends as usual" out <<'END'
5
END
echo >>err # after the prompt, which has no newline
file_is "what a break prints" err <<'END'
break at PC=0x004 in wg(0,0,0) wave 0: iadd r2, r0, r1
    0x000 | nop
  > 0x004 | iadd r2, r0, r1
    0x00c | mov_imm r3, 0x100
    0x014 | device_store_u32 r3, r2
wg(0,0,0) wave 0, lane 0, thread (0,0,0): p0=0 p1=0 p2=0 p3=0
  r0   00000005 00000000 00000000 00000000 00000000 00000000 00000000 00000000
(wave-emu) 
END
session 's\nregisters\nwhere\nm 0x100 4\nmemory local:8 2\nstep 2\nm 0x100 4\nq\n' sum.wbin --set-reg 0:5 --break 0x4 --dump-u32 0x100:1
status_is "quit" 1
lines_are "nothing is dumped after quit" out 0
says "step" err "(wave-emu) step at PC=0x00c in wg(0,0,0) wave 0: mov_imm r3, 0x100"
says "registers" err "  r0   00000005 00000000 00000005 00000000"
says "where" err "stopped at PC=0x00c in wg(0,0,0) wave 0: mov_imm r3, 0x100"
says "where: lanes" err "lanes: live 0x1, active 0x1, executing 0x1"
says "memory" err "(wave-emu) 00000100: 00 00 00 00                                       |....|"
says "local memory" err "(wave-emu) 00000008: 00 00                                             |..|"
says "step 2" err "step at PC=0x01c in wg(0,0,0) wave 0: halt"
says "memory after the store" err "(wave-emu) 00000100: 05 00 00 00                                       |....|"

session '' sum.wbin --break 4 --break 0x14 --dump-u32 0x100:1
status_is "end of input is continue" 0
says "first break" err "break at PC=0x004"
says "second break" err "break at PC=0x014"
session '\n\n' ids.wbin --workgroup 4,1,1 --wave-width 2 --break 0
says "a break stops every wave" err "break at PC=0x000 in wg(0,0,0) wave 1"
session 'nonsense\nm\nm 0x200000\nr 7\ns x\nhelp\nc\n' sum.wbin --break 4
status_is "mistakes at the prompt" 0
says "unknown command" err "unknown command 'nonsense'"
says "memory without address" err "usage: m [local:]ADDR [COUNT]"
says "memory past the end" err "device memory ends at 0x100000"
says "no such lane" err "the lanes of this wave are 0 to 0"
says "step needs a number" err "usage: s [N]"
run sum.wbin --break 0x8
status_is "no instruction at the break" 2
cat >frames.wave <<'END'
.kernel frames
.registers 4
.workgroup_size 4, 1, 1
    mov_sr r0, sr_lane_id
    mov_imm r1, 2
    icmp_lt p1, r0, r1
    loop
        if p1
            nop
        endif
        break !p2
    endloop
.end
END
session 'w\nr 3\n' frames.wave --break 0x1c
says "where shows the open if" err "if at 0x0018"
says "where shows the open loop" err "loop at 0x0014"
says "lanes outside are marked" err "lane 3, thread (3,0,0), inactive: p0=0"

# --- Errors and exit statuses -------------------------------------------------------------------------

cat >oob.wave <<'END'
.kernel oob
.registers 8
    mov_sr r0, sr_lane_id
    mov_imm r1, 0x400
    imul r2, r0, r1
    device_load_u32 r3, r2
    halt
.end
END
run oob.wave --device-memory 4096 --workgroup 8,1,1
status_is "out of bounds" 1
says "out of bounds: prefix" err "Error: memory access out of bounds: "
says "out of bounds: who" err "workgroup (0,0,0), wave 0, lane 4, thread (4,0,0)"
says "out of bounds: where" err "    at oob.wave:6:5 (oob+0x14): device_load_u32 r3, r2"
says "out of bounds: code" err "[E_OUT_OF_BOUNDS]"
run oob.wave --device-memory 4096 --workgroup 4,1,1
status_is "in bounds" 0
run oob.wave --device-memory 4096 --workgroup 8,1,1 --trace --trace-lane 4 --trace-pc 0x14:0x14
says "the access that failed is in the trace" err "[wave 0, lane 4] PC=0x014 device_load_u32 r3, r2 | addr=0x1000"
run oob.wave --device-memory 4096 --workgroup 8,1,1 --diagnostics=json
status_is "json" 1
says "json: code" err '"code":"E_OUT_OF_BOUNDS"'
says "json: place" err '"kernel":"oob","offset":20,"text":"device_load_u32 r3, r2"'
says_not "json only" err "Error:"
run nothing.wbin --diagnostics=json
says "json without problems" err '"errors":0,"warnings":0'
run oob.wave --device-memory 4096 --workgroup 8,1,1 --dump-u32 0:1 --stats
says "statistics of a run that failed" out "Instructions executed: 4"

cat >forever.wave <<'END'
.kernel forever
.registers 1
    loop
        nop
    endloop
.end
END
run forever.wave --max-instructions 1000
status_is "instruction limit" 3
says "instruction limit: text" err "instruction limit exceeded"
run sum.wbin --max-instructions 5
status_is "as many instructions as allowed" 0
run sum.wbin --max-instructions 4
status_is "one instruction too many" 3
run sum.wbin --max-instructions 0
status_is "no limit" 0

cat >assert.wave <<'END'
.kernel checked
.registers 4
    mov_sr r0, sr_lane_id
    mov_imm r1, 6
    icmp_lt p1, r0, r1
    assert p1, 77
    halt
.end
END
run assert.wave --workgroup 6,1,1
status_is "assert holds" 0
run assert.wave --workgroup 8,1,1
status_is "assert fails" 1
says "assert: id" err "77"
says "assert: lane" err "lane 6"

run sum.wbin --set-reg 0:7 --assert-u32 0x100:7 --assert-u32 256:0x7
status_is "assert-u32 holds" 0
run sum.wbin --set-reg 0:7 --assert-u32 0x100:8
status_is "assert-u32 fails" 1
says "assert-u32: text" err "Error: assertion failed: u32 at 0x100 is 7, expected 8"
run nothing.wbin --fill-iota 0:f32:4:0.1 --assert-f32 4:0.1 --assert-f32 8:0.21:0.02 --assert-f32 0:0
status_is "assert-f32 holds" 0
run nothing.wbin --fill-iota 0:f32:4:0.1 --assert-f32 8:0.21:0.005
status_is "assert-f32 fails" 1
says "assert-f32: text" err "Error: assertion failed: f32 at 0x8 is 0.2, expected 0.21 within 0.005"
run nothing.wbin --fill-iota 0:f32:4 --assert-f32 4:1.00000005960464477540
says "assert-f32: a value just above the middle of two numbers is rounded up" err "is 1.0, expected 1.0000001"
run nothing.wbin --assert-f32 0:1e300
says "assert-f32: a value above the range" err "VALUE in the range of f32"
run nothing.wbin --arg 0:f32.bin --assert-f32 28:NaN --assert-f32 20:inf --assert-f32 24:-inf --assert-f32 0:36
status_is "assert-f32 of values that are not finite" 0
run nothing.wbin --arg 0:f32.bin --assert-f32 28:1
status_is "NaN does not equal a number" 1
run nothing.wbin --assert-u32 0:1 --diagnostics=json
says "a failed assertion as json" err '{"assertion":"u32","address":0,"value":"0","expected":"1"}'

cat >unaligned.wave <<'END'
.kernel unaligned
.registers 4
.workgroup_size 1, 1, 1
    mov_imm r0, 2
    device_load_u32 r1, r0
    halt
.end
END
run unaligned.wave
status_is "misaligned access: warning" 0
says "misaligned access: text" err "Warning: "
run unaligned.wave --strict-align
status_is "misaligned access under --strict-align" 1
says "misaligned access: error" err "Error: misaligned access: "

cat >deadlock.wave <<'END'
.kernel deadlock
.registers 4
    mov_sr r0, sr_wave_id
    mov_imm r1, 0
    icmp_eq p1, r0, r1
    @p1 halt
    barrier
.end
END
run deadlock.wave --workgroup 64,1,1
status_is "deadlock" 1
says "deadlock: text" err "deadlock detected"

# --- Files and usage ----------------------------------------------------------------------------------

run missing.wbin
status_is "no such file" 2
says "no such file: text" err "Error: cannot read missing.wbin"
printf 'no kernel at all' >bad.wbin
run bad.wbin
status_is "not WBIN" 1
says "not WBIN: text" err "Error: invalid WBIN file: bad.wbin"
echo '.kernel k' >bad.wave
run bad.wave
status_is "does not assemble" 1
says "does not assemble: text" err "Error: cannot assemble: bad.wave"
run nothing.wbin --arg 0:missing.bin
status_is "no such argument file" 2
run nothing.wbin --device-memory 16 --arg 8:text.bin
status_is "argument file too large" 2
says "argument file too large: text" err "Error: text.bin does not fit: 30 bytes at 0x8, the arena has 16"
run nothing.wbin --device-memory 46 --arg 16:text.bin
status_is "argument file that just fits" 0
run nothing.wbin --device-memory 0
status_is "no device memory" 0
run nothing.wbin --device-memory 16 --dump-u32 8:3
status_is "a dump past the end" 2
run nothing.wbin --device-memory 16 --fill-iota 8:u32:3
status_is "a fill past the end" 2
run nothing.wbin --device-memory 16 --assert-u32 13:0
status_is "an assertion past the end" 2
run sum.wbin --device-memory 260 --dump-u32 256:1
status_is "the last word of the arena" 0

# Values out of range: the message names the limit.
printf '.kernel regs\n.registers 32\n    device_store_u32 r0, r31\n    halt\n.end\n' >regs.wave
run regs.wave --set-reg 32:1
status_is "a register the kernel does not have" 2
says "a register the kernel does not have" err "a value is given for r32; the kernel has 32 registers, r0 to r31"
run regs.wave --set-reg 31:7 --dump-u32 0:1
status_is "the last register" 0
says "the last register" out "7"
for value in 4294967296,1,1 0,1,1 1,1,1,1 1,,1 x 1,1,99999999999999999999999; do
    run sum.wbin --grid $value
    says "--grid $value" err "--grid $value: X,Y,Z are up to three numbers from 1 to 4294967295"
done

# --- Matrix units -------------------------------------------------------------------------------------

# 1 + sixteen times 2^-24: rounded after each product, the sum stays 1; summed in groups of eight or all
# at once, it is 1 + 2^-20.
cat >units.wave <<'END'
.kernel units
.registers 8
.workgroup_size 32, 1, 1
    mov_sr r1, sr_lane_id
    mov_imm r2, 16
    imul r1, r1, r2
    mov_imm r4, 0x0C000C00          ; 2^-12, twice
    mov r5, r4
    mov r6, r4
    mov r7, r4
    device_store_u128 r1, r4
    fence_acq_rel .wave
    mov_imm r1, 0
    mov_imm r2, 32
    mov_imm r3, 0x3F800000
    tile_load_a_f16 t0, r1, r2, device, row
    tile_load_b_f16 t0, r1, r2, device, row
    tile_fill_c_f32 t0, r3
    mma_f16_f32 t0, t0, t0, t0
    mov_imm r1, 1024
    mov_imm r2, 64
    tile_store_c_f32 t0, r1, r2, device, row
    halt
.end
END
for unit in :1065353216 exact:1065353216 sm_75:1065353224 sm_80:1065353224 sm_90:1065353224 gfx90a:1065353224 gfx942:1065353224; do
    name=${unit%:*}
    run units.wave --check=race ${name:+"--mma=$name"} --dump-u32 1024:1
    status_is "units: $unit" 0
    says "units: $unit" out "${unit#*:}"
done
run units.wave --mma=sm_70
status_is "no such unit" 2
says "no such unit" err "--mma sm_70: expected exact, sm_75, sm_80, sm_90, gfx90a or gfx942"
run units.wave --workgroup 31,1,1 --profile=json
says "a profile of a product" out '"tiles":{"products":1,"fma":4096}'

# Each wrong command line ends with status 2 and a message.
while IFS= read -r arguments; do
    # shellcheck disable=SC2086 # the words are the arguments
    run $arguments
    status_is "usage: $arguments" 2
    ok "usage: $arguments: a message" test -s err
done <<'END'

sum.wbin other.wbin
sum.wbin --no-such-option
sum.wbin --grid
sum.wbin --grid 0,1,1
sum.wbin --grid 1,1,1,1
sum.wbin --grid 1,,1
sum.wbin --grid -1,1,1
sum.wbin --grid 4294967296,1,1
sum.wbin --grid x
ids.wbin --workgroup 2000,1,1
ids.wbin --workgroup 32,64,1
sum.wbin --wave-width 0
sum.wbin --wave-width 65
sum.wbin --wave-width 4294967328
sum.wbin --device-memory 4294967297
sum.wbin --device-memory -1
sum.wbin --device-memory 99999999999999999999999
sum.wbin --device-memory 1k
sum.wbin --max-instructions -5
sum.wbin --max-instructions 18446744073709551616
sum.wbin --set-reg 1
sum.wbin --set-reg r1:5
sum.wbin --set-reg 256:5
sum.wbin --set-reg 1:4294967296
sum.wbin --set-reg 1:-1
sum.wbin --set-reg 1:5:6
sum.wbin --arg 5
sum.wbin --arg x:text.bin
sum.wbin --arg 0:
sum.wbin --fill-iota 0:f32
sum.wbin --fill-iota 0:f99:4
sum.wbin --fill-iota 0:f32:4:x
sum.wbin --fill-iota 0:f32:4:inf
sum.wbin --fill-iota 0:f32:-4
sum.wbin --fill-iota 0:u8:18446744073709551615
sum.wbin --fill-zero 0:f32:4:1
sum.wbin --dump-memory 16:8
sum.wbin --dump-memory 16
sum.wbin --dump-memory 0:0x100000000000
sum.wbin --dump-u32 0
sum.wbin --dump-f32 0:4:4
sum.wbin --dump-f16 -2:4
sum.wbin --assert-u32 0:x
sum.wbin --assert-u32 0:1:1
sum.wbin --assert-f32 0:1:-1
sum.wbin --assert-f32 0:0x10
sum.wbin --assert-f32 0:1e300
sum.wbin --assert-f32 0:-3.5e38
sum.wbin --check=everything
sum.wbin --check=
sum.wbin --trace=loud
sum.wbin --trace --trace-wave x
sum.wbin --trace --trace-pc 8:4
sum.wbin --trace --trace-pc 8
sum.wbin --trace-pc 0:8
sum.wbin --trace-pc 4:0xFFFFFFFF
sum.wbin --trace-wave 0
sum.wbin --trace-lane 0
sum.wbin --break
sum.wbin --break 0x
sum.wbin --profile=xml
sum.wbin -o profile.txt
sum.wbin --poison=256
sum.wbin --schedule
sum.wbin --schedule=now
sum.wbin --strict --lenient
sum.wbin --diagnostics=xml
END

run --help
status_is "help" 0
says "help: groups" out "Watching the run, on standard error:"
says "help: examples" out "  wave-emu add.wbin --grid 4,1,1 --arg 0:a.bin"
for option in grid workgroup registers local-memory device-memory wave-width max-instructions arg set-reg \
    fill-iota fill-zero dump-memory dump-u32 dump-f32 dump-f16 dump-bf16 dump-regs stats trace mem-trace \
    trace-wave trace-lane trace-pc break kernel strict-align poison strict lenient compat fix-upstream-cas fix-upstream-cvt \
    schedule check profile profile-output assert-u32 assert-f32 diagnostics; do
    says "help" out "--$option"
done
run --version
says "version" out "wave-emu "

# --- Machine defaults and modes -----------------------------------------------------------------------

cat >open.wave <<'END'
.kernel open
.registers 0
    mov_imm r31, 7
    mov_imm r1, 0
    device_store_u32 r1, r31
    halt
.end
END
run open.wave --dump-u32 0:1
status_is "32 registers by default" 0
sed 's/r31/r40/' open.wave >open40.wave
"$bin/wave-asm" open40.wave -o open40.wbin 2>/dev/null
run open40.wbin
status_is "a register the default does not have" 1
run open40.wbin --registers 64 --assert-u32 0:7
status_is "a register the launcher gives" 0
cat >local.wave <<'END'
.kernel local
.registers 4
.workgroup_size 1, 1, 1
    local_load_u32 r2, r0
    device_store_u32 r1, r2
    halt
.end
END
run local.wave --set-reg 0:16380 --dump-u32 0:1
status_is "16384 bytes of local memory by default" 0
run local.wave --set-reg 0:16384
status_is "past the default local memory" 1
run local.wave --set-reg 0:16384 --local-memory 20000
status_is "--local-memory" 0
run local.wave --poison --dump-memory 0:4
says "poison" out "00000000: cd cd cd cd"
run local.wave --poison=0xA5 --dump-memory 0:4
says "poison byte" out "00000000: a5 a5 a5 a5"

printf '.kernel few\n.registers 4\n.workgroup_size 1, 1, 1\n mov_imm r9, 5\n mov_imm r0, 0\n device_store_u32 r0, r9\n halt\n.end\n' >few.wave
"$bin/wave-asm" few.wave -o few.wbin 2>/dev/null
run few.wbin
status_is "a register that does not exist" 1
says "a register that does not exist: code" err "E_REGISTER"
run few.wbin --lenient --fill-iota 0:u32:1:1 --dump-u32 0:1
status_is "lenient: writes to it are dropped" 0
file_is "lenient: it reads 0" out <<'END'
0
END

# Sets the reserved bit 3 of the first word of nothing.wbin, at file offset 32.
cp nothing.wbin reserved.wbin
printf '\230' | dd of=reserved.wbin bs=1 seek=32 conv=notrunc 2>/dev/null
run reserved.wbin
status_is "reserved bits: a warning" 0
says "reserved bits: text" err "W_RESERVED"
run reserved.wbin --strict
status_is "reserved bits: an error under --strict" 1

printf '.kernel cas\n.registers 8\n.workgroup_size 1, 1, 1\n mov_imm r1, 0\n mov_imm r2, 5\n mov_imm r3, 9\n atomic_cas r4, r1, r2, r3, .device\n halt\n.end\n' >cas.wave
"$bin/wave-asm" --compat-upstream cas.wave -o cas.wbin 2>/dev/null
printf '\005\000\000\000' >five.bin
run cas.wbin --arg 0:five.bin --dump-u32 0:1
says "upstream's compare-and-swap runs as an addition" out "10"
says "upstream's compare-and-swap: warning" err "W_UPSTREAM_CAS"
run cas.wbin --arg 0:five.bin --fix-upstream-cas --dump-u32 0:1
file_is "--fix-upstream-cas" out <<'END'
9
END
"$bin/wave-asm" --compat-upstream --no-symbols sum.wave -o stripped.wbin 2>/dev/null
run stripped.wbin
status_is "upstream's stripped file" 1
run stripped.wbin --compat
status_is "upstream's stripped file with --compat" 0

# --- Checkers -----------------------------------------------------------------------------------------

cat >race.wave <<'END'
.kernel race
.registers 8
.workgroup_size 64, 1, 1
    mov_sr r0, sr_thread_id_x
    mov_imm r1, 2
    shl r2, r0, r1
    local_store_u32 r2, r0
    mov_imm r3, 128
    xor r3, r2, r3
    local_load_u32 r4, r3
    device_store_u32 r2, r4
    halt
.end
END
awk '$1 == "local_load_u32" { print "    barrier" } { print }' race.wave >norace.wave
run race.wave --check=race
status_is "race" 1
says "race: prefix" err "Error: data race: workgroup (0,0,0), wave "
says "race: other side" err "(local_store_u32 r2, r0)"
lines_are "race: reported once, both sides with their lines" err 6
run race.wave
status_is "no check, no report" 0
run norace.wave --check=race,uninit,bounds
status_is "no race" 0
lines_are "no race: no report" err 0
run race.wave --check all --dump-u32 0:1
status_is "race, all checks" 1
lines_are "the dump is printed nevertheless" out 1
for seed in 1 2 3; do
    run norace.wave --schedule=$seed --check=race --dump-u32 0:64
    cp out "out.$seed"
    status_is "schedule $seed" 0
done
ok "schedules 1 and 2 give the same result" cmp out.1 out.2
ok "schedules 2 and 3 give the same result" cmp out.2 out.3
run race.wave --schedule=5 --trace=waves
cp err trace.1
run race.wave --schedule=5 --trace=waves
ok "a schedule is reproducible" cmp err trace.1
run race.wave --trace=waves
differs() { ! cmp -s "$1" "$2"; }
ok "a schedule has another order than no schedule" differs err trace.1

run ids.wbin --check=uninit --workgroup 1
status_is "uninit: an argument that was not supplied" 1
says "uninit: register" err "Error: uninitialised read: "
says "uninit: which" err "r0 is read"
run ids.wbin --check=uninit --workgroup 1 --set-reg 0:0
status_is "uninit: supplied" 0
run oob.wave --check=uninit --workgroup 4,1,1
status_is "uninit: device memory" 1
says "uninit: address" err "device memory at 0x0 is read"
run oob.wave --check=uninit --workgroup 4,1,1 --fill-zero 0:u8:4096
status_is "uninit: filled with zeros" 0
run oob.wave --check=uninit --workgroup 1 --arg 0:five.bin
status_is "uninit: loaded from a file" 0
run oob.wave --check=uninit --workgroup 2 --arg 0:five.bin
status_is "uninit: only a part loaded" 1

# --- Profiles -----------------------------------------------------------------------------------------

run ids.wbin --workgroup 32,1,1 --profile
status_is "profile" 0
says "profile: title" out "Profile of ids.wbin: kernel ids, grid 1,1,1, workgroup 32,1,1, wave width 32"
says "profile: row" out "device_store_u32 r4, r6"
run ids.wbin --profile=json --stats
says "profile as json, after the statistics" out '"text":"device_store_u32 r4, r6","executions":1,"lanes":32,'
run ids.wbin --profile=json -o p.json
lines_are "profile into a file" out 0
says "profile into a file: contents" p.json '"kernel":"ids"'
run ids.wbin --profile=html --profile-output p.html
status_is "profile as a page" 0
says "profile as a page: contents" p.html "<!DOCTYPE html>"
run ids.wbin --profile=html
says "the page's own name" err "ids.profile.html"
says "the page's own name: contents" ids.profile.html "</html>"
run ids.wbin --profile=html -o -
says "the page on standard output" out "</html>"
run ids.wbin --profile -o no/such/folder/file
status_is "a profile that cannot be written" 2

finish wave-emu
