#!/bin/sh
# wavec as a compiler, from the outside: its output files, options, descriptions, dependency files, --build. Run
# with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
asm=$bin/wave-asm

cat >k.wave <<'END'
.kernel first
.registers 8
.workgroup_size 64, 1, 1
.local_memory 256
    mov_sr r2, sr_thread_id_x
    iadd r2, r2, r1
    device_store_u32 r0, r2
    barrier
    halt
.end
.kernel main
.registers 4
    fsin r1, r0
    device_store_u32 r0, r1
    halt
.end
END
"$asm" k.wave -o k.wbin || exit 2

# ---- Where the text is written ----

next_to() { mkdir -p box && cp k.wbin box && status 0 "$wavec" --target=ptx box/k.wbin && has box/k.ptx ".visible .entry first(" && empty out && empty err; }
ok "next to the input" next_to
named() { status 0 "$wavec" --target=ptx k.wbin -o named.ptx && has named.ptx ".visible .entry first(" && absent k.ptx; }
ok "-o" named
streams() { "$wavec" --target=ptx - <k.wbin >s.ptx && has s.ptx ".visible .entry first(" && "$wavec" --target=ptx -o - k.wbin >t.ptx && has t.ptx ".entry"; }
ok "standard input and output" streams
from_source() { status 0 "$wavec" --target=ptx k.wave -o from_source.ptx && has from_source.ptx ".entry"; }
ok "assembly is assembled first" from_source
again() { "$wavec" --target=ptx k.wbin -o a.ptx && "$wavec" --target=ptx k.wbin -o b.ptx && cmp a.ptx b.ptx; }
ok "the same text every time" again

# ---- Nothing half-written ----

broken() { printf 'WAVE' >bad.wbin && rm -f bad.ptx && status 1 "$wavec" --target=ptx bad.wbin && absent bad.ptx && has err E_TOO_SMALL; }
ok "bad input writes nothing" broken
recursive() { printf '.kernel k\ncall f\nhalt\nf: call f\nreturn\n.end\n' >r.wave && status 1 "$wavec" --target=ptx r.wave && absent r.ptx && has err "E_RECURSION"; }
ok "a refused kernel writes nothing" recursive
large() { { printf '.kernel k\n'; i=0; while [ $i -lt 8 ]; do echo "call f$i"; echo "call f$i"; i=$((i + 1)); done; echo halt
    i=0; while [ $i -lt 8 ]; do echo "f$i:"; j=0; while [ $j -lt 400 ]; do echo "iadd r1, r1, r2"; j=$((j + 1)); done; n=$((i + 1)); k=0; [ $n -lt 8 ] && while [ $k -lt 8 ]; do echo "call f$n"; k=$((k + 1)); done; echo return; i=$n; done; echo .end; } >l.wave
    status 1 "$wavec" --target=ptx l.wave && has err E_INLINE_LIMIT && absent l.ptx; }
ok "calls that grow too large" large

# ---- Choices ----

one() { status 0 "$wavec" --target=ptx --kernel=main k.wbin -o one.ptx && lacks one.ptx ".entry first(" && has one.ptx ".entry main"; }
ok "--kernel" one
none() { status 1 "$wavec" --target=ptx --kernel=nobody k.wbin -o none.ptx && has err "no kernel 'nobody'" && absent none.ptx; }
ok "--kernel that does not exist" none
arch() { status 0 "$wavec" --target=ptx --arch=sm_90 k.wbin -o arch.ptx && has arch.ptx ".target sm_90"; }
ok "--arch" arch
no_arch() { status 1 "$wavec" --target=ptx --arch=sm_1 k.wbin -o x.ptx && has err "no architecture 'sm_1'"; }
ok "--arch that does not exist" no_arch
width() { status 1 "$wavec" --target=ptx --wave-width=64 k.wbin -o x.ptx && has err "waves of 32 lanes"; }
ok "--wave-width that the target does not have" width
fast() { status 0 "$wavec" --target=ptx --fp=fast k.wbin -o fast.ptx && has fast.ptx "sin.approx" && "$wavec" --target=ptx k.wbin -o exact.ptx && lacks exact.ptx approx; }
ok "--fp" fast
# The text of a kernel without such functions is the same except for the comment at the top; all other
# passes run.
fast_plain() { for level in -O0 -O2; do for fp in exact fast; do status 0 "$wavec" --target=ptx $level --fp=$fp "$tests/programs/wave/reduce/reduce_add_with_continue.wave" -o - && grep -v '^//' out >$fp.ptx || return 1; done; cmp exact.ptx fast.ptx || return 1; done; }
ok "--fp without such functions" fast_plain
levels() { status 0 "$wavec" --target=ptx -O0 k.wbin -o o0.ptx && status 0 "$wavec" --target=ptx -O2 --verify-ir k.wbin -o o2.ptx && has o2.ptx ".entry"; }
ok "-O0 and -O2" levels
bounds() { status 0 "$wavec" --target=ptx --bounds k.wbin -o bounds.ptx && has bounds.ptx "first_size" && lacks a.ptx first_size; }
ok "--bounds" bounds
debug() { status 0 "$wavec" --target=ptx -g k.wbin -o g.ptx && has g.ptx "iadd r2, r2, r1" && has g.ptx '.file 1 "g.dis"' &&
    "$bin/wave-dis" k.wbin >k.dis && cmp g.dis k.dis && line=$(grep -n 'device_store_u32 r0, r2' g.dis | head -n 1 | cut -d: -f1) && has g.ptx ".loc 1 $line 0"; }
ok "-g shows the instructions and points into the disassembly, which it writes" debug
debug_several() { mkdir -p several && status 0 "$wavec" --target=ptx --target=hip -g k.wbin -o several/ && has several/k.ptx '.file 1 "several/k.dis"' &&
    has several/k.hip '"several/k.dis"' && cmp several/k.dis k.dis; }
ok "-g with several targets writes it once" debug_several
debug_nowhere() { status 0 "$wavec" --target=ptx -g k.wbin -o - && has out "iadd r2, r2, r1" && lacks out ".file" && lacks out ".loc"; }
ok "-g on standard output refers to no file that does not exist" debug_nowhere
debug_lines() { "$bin/wave-asm" -g k.wave -o kg.wbin && status 0 "$wavec" --target=ptx -g kg.wbin -o kg.ptx && has kg.ptx '.file 1 "k.wave"' &&
    has kg.ptx ".loc 1 7 5" && absent kg.dis; }
ok "-g of a file with line records" debug_lines
debug_source() { status 0 "$wavec" --target=ptx -g k.wave -o gs.ptx && has gs.ptx '.file 1 "k.wave"' && has gs.ptx ".loc 1 7 5" && has gs.ptx ".loc 1 14 5"; }
ok "-g points into the source where there is one" debug_source

# ---- All targets ----

hip() { status 0 "$wavec" --target=hip k.wbin -o k.hip && has k.hip '__global__ void __launch_bounds__(64) first(' && empty err; }
ok "--target=hip" hip
sycl() { status 0 "$wavec" --target=sycl k.wbin -o k.sycl.cpp && has k.sycl.cpp '#include <sycl/sycl.hpp>' && empty err; }
ok "--target=sycl" sycl
msl() { status 0 "$wavec" --target=msl k.wbin -o k.metal && has k.metal 'kernel void first(' && empty err; }
ok "--target=msl" msl
all() { mkdir -p everything && status 0 "$wavec" --target=all k.wbin -o everything && has everything/k.ptx ".entry" && cmp everything/k.hip k.hip &&
    cmp everything/k.sycl.cpp k.sycl.cpp && cmp everything/k.metal k.metal; }
ok "--target=all writes into a folder what the targets write alone" all
two() { mkdir -p two && cp k.wbin two && status 0 "$wavec" --target=ptx --target=msl two/k.wbin && has two/k.ptx .entry && has two/k.metal kernel && absent two/k.hip; }
ok "several targets, next to the input" two
two_out() { status 2 "$wavec" --target=ptx --target=msl k.wbin -o one_file && has err "-o names one file" && absent one_file; }
ok "several targets into one file" two_out
all_arch() { mkdir -p arch && status 0 "$wavec" --target=all --arch=gfx1030 k.wbin -o arch && has arch/k.hip "for gfx1030, 32 lanes" && has arch/k.ptx ".target sm_75" && has arch/k.metal metal3.2 && empty err; }
ok "--arch belongs to the target that has it" all_arch
no_such_arch() { mkdir -p noarch && status 2 "$wavec" --target=all --arch=gfx1 k.wbin -o noarch && has err "none of these targets has an architecture 'gfx1'" && absent noarch/k.ptx; }
ok "--arch that no target has" no_such_arch
all_width() { mkdir -p wide && status 0 "$wavec" --target=all --arch=gfx90a --wave-width=64 k.wbin -o wide && has wide/k.hip "for gfx90a, 64 lanes" && has wide/k.sycl.cpp "64 lanes" &&
    has err "ptx has no waves of 64 lanes" && has err "msl has no waves" && has wide/k.metal "32 lanes"; }
ok "--wave-width where the target has it" all_width
no_width() { mkdir -p wide && status 2 "$wavec" --target=all --wave-width=2 k.wbin -o wide && has err "none of these targets has waves of 2 lanes" && status 2 "$wavec" --target=all --wave-width=48 k.wbin -o wide; }
ok "--wave-width that no target has" no_width
one_width() { status 1 "$wavec" --target=hip --arch=gfx1030 --wave-width=64 k.wbin -o x.hip && has err "gfx1030 has waves of 32 lanes, not 64" && absent x.hip; }
ok "--wave-width that the architecture lacks" one_width
arch_list() { status 0 "$wavec" --arch=help && has out "sm_75" && has out "gfx1100   waves of 32 lanes" && has out "sycl  gpu       waves of 4, 8, 16, 32, 64 lanes" && has out "sycl  cpu " && has out "metal3.0" && empty err; }
ok "--arch=help" arch_list
arch_hint() { status 1 "$wavec" --target=hip --arch=gfx1 k.wbin -o x.hip && has err "it has gfx942, gfx90a, gfx1030, gfx1100"; }
ok "a wrong --arch: the message lists the valid ones" arch_hint
targets_named() { status 2 "$wavec" --target=cuda k.wbin && has err "ptx, hip, sycl, msl, wbin or all" && status 0 "$wavec" --help && has out "ptx|hip|sycl|msl|wbin|all"; }
ok "help and errors name all targets" targets_named

# Metal has no f64; the other targets get their files.
printf '.kernel wide\n.registers 8\n    device_load_u128 r2, r0\n    dadd r4, r2, r2\n    device_store_u64 r0, r4\n    halt\n.end\n' >wide.wave
refusal() { mkdir -p part && status 1 "$wavec" --target=all wide.wave -o part && has err E_TARGET_F64 && has err "nothing is written for msl" &&
    has part/wide.ptx .entry && has part/wide.hip double && has part/wide.sycl.cpp double && absent part/wide.metal; }
ok "a kernel that one target rejects: the others are written" refusal
refused_alone() { status 1 "$wavec" --target=msl wide.wave -o alone.metal && has err E_TARGET_F64 && lacks err "nothing is written" && absent alone.metal; }
ok "the same target alone" refused_alone
refused_json() { mkdir -p part && status 1 "$wavec" --target=all --diagnostics=json wide.wave -o part && json err; }
ok "refusals as JSON" refused_json
said_once() { mkdir -p once && status 1 "$wavec" --target=all r.wave -o once && [ "$(grep -c E_RECURSION err)" -eq 1 ] && absent once/r.hip; }
ok "an error in the kernel is reported once" said_once

# ---- Descriptions ----

reflect() { status 0 "$wavec" --reflect k.wbin && json out && python3 - <<'END'
import json
d = json.load(open("out"))
first, main = d["kernels"]
assert first["name"] == "first" and first["symbol"] == "first", first
assert first["arg_words"] == 2 and first["workgroup_size"] == [64, 1, 1] and first["local_memory"] == 256, first
assert first["wave_width"] == 32 and "barrier" in first["uses"], first
assert main["arg_words"] == 1 and main["workgroup_size"] == [0, 0, 0] and main["local_memory"] == 0, main
END
}
ok "--reflect" reflect
header() { status 0 "$wavec" --header k.wbin -o k.h && printf '#include "k.h"\nint main(void) { first_args a = {{1, 2}}; return sizeof a == 8 && first_LOCAL_MEMORY == 256 && first_WORKGROUP_X == 64 && a.r[1] == 2 ? 0 : 1; }\n' >h.c && cc -Wall -Werror -o h h.c && ./h; }
ok "--header compiles" header
guard() { cp k.wave 'azAZ09-@[`{.wave' && status 0 "$wavec" --header 'azAZ09-@[`{.wave' && has out '#ifndef WAVE_AZAZ09______WAVE_H'; }
ok "--header: the guard is made of letters and digits" guard
printf '.kernel sure\n.registers 4\n    icmp_gt p1, r1, r0\n    assert p1, 3\n    device_store_u32 r0, r1\n    halt\n.end\n' >sure.wave
optional() { status 0 "$wavec" --reflect --target=all --bounds sure.wave && json out && python3 - <<'END' && status 0 "$wavec" --reflect --target=msl --assert=off sure.wave && has out '"bounds": false, "status": false'
import json
d = json.load(open("out"))
assert [t["target"] for t in d] == ["ptx", "hip", "sycl", "msl"], d
for t in d:
    k = t["kernels"][0]
    assert k["bounds"] is True and k["status"] is True, t
    assert k["wave_width"] == (64 if t["target"] == "hip" else 32), t
END
}
ok "--reflect lists the optional parameters of every target" optional
headers() { status 0 "$wavec" --header --target=all --kernel=first k.wbin -o all.h && has all.h '#define first_SYMBOL "first"' && for t in ptx hip sycl msl; do status 0 "$wavec" --header --target=$t --kernel=first k.wbin -o $t.h && cmp all.h $t.h || return 1; done; }
ok "--header for every target" headers
other_header() { printf '.kernel kernel\n.registers 4\n    halt\n.end\n' >kernel.wave && status 2 "$wavec" --header --target=all kernel.wave && has err "symbols differ between targets" && status 0 "$wavec" --header --target=msl kernel.wave && has out '#define kernel__SYMBOL "kernel_"'; }
ok "--header where symbols differ" other_header
depend() { status 0 "$wavec" --target=ptx -MD k.wbin -o d.ptx && printf 'd.ptx: k.wbin\n' | cmp - d.d && status 0 "$wavec" --target=ptx -MD -MF other.d k.wbin -o d.ptx && cmp d.d other.d; }
ok "-MD and -MF" depend
# apart FIRST SECOND OPTION...: a usage error that names both, and nothing is printed or written
apart() { first=$1 second=$2 && shift 2 && rm -f apart.out && status 2 "$wavec" "$@" k.wbin && has err "$first and $second cannot be combined" && empty out && absent apart.out && absent k.d; }
ok "--check and --header" apart --check --header --check --header
ok "--header and --check" apart --header --check --header --check
ok "--dump-ir and --strip" apart --dump-ir --strip --dump-ir=build --strip -o apart.out
ok "--build and --check" apart --build --check --build --target=ptx --check
ok "--build and --reflect" apart --build --reflect --reflect --target=ptx --build
ok "--target and --strip" apart --target --strip --target=ptx --strip -o apart.out
ok "--target and --check" apart --target --check --target=msl --check
ok "--arch and --check" apart --arch --check --arch=sm_80 --check
ok "-o and --check" apart -o --check --check -o apart.out
ok "-o and --dump-ir" apart -o --dump-ir --target=ptx --dump-ir -o apart.out
ok "-MD and --check" apart -MD --check --check -MD
ok "-o and --query" apart -o --query --query -o apart.out
twice() { status 0 "$wavec" --check --check k.wbin && status 0 "$wavec" --dump-ir --dump-ir=build k.wbin; }
ok "the same mode twice" twice
list_first() { status 0 "$wavec" --arch=help --check && has out gfx942 && status 0 "$wavec" --check --arch=help && has out gfx942; }
ok "--arch=help answers whatever else is there" list_first

# ---- Internals ----

dump() { status 0 "$wavec" --dump-ir k.wbin && has out 'kernel "first"' && status 0 "$wavec" --dump-ir=build k.wbin && has out "fsin" && status 0 "$wavec" --dump-ir=after-math k.wbin && lacks out "fsin"; }
ok "--dump-ir" dump
check "a pass that does not exist, after one that does" 2 "$wavec" --dump-ir=build --dump-ir=after-bogus k.wbin
said err "there is no pass 'bogus'"

# A loop in clang's form, whose steps are computed inside: eight iterations become one, and the original loop handles the remainder.
cat >steps.wave <<'END'
.kernel steps
.arg in buffer u32
.arg out buffer u32
.arg n u32
.arg by u32
.reg k, at, sum, v, four
    mov     k, sr_thread_id_x
    mov     four, 4
    imad    at, k, four, in
    mov     sum, 0
    loop
        device_load_u32 v, [at]
        iadd    sum, sum, v
        imad    at, by, four, at
        iadd    k, k, by
        icmp_lt p1, k, n
        continue p1
        icmp_eq p2, k, k
        break   p2
    endloop
    device_store_u32 [out], sum
    halt
.end
END
check "a loop that tests at its end runs in groups" 0 "$wavec" --target=ptx --dump-ir=groups steps.wave
ok "of eight" test "$(grep -c 'load(device' out)" = 9
check "and as WBIN it has one exit" 0 "$wavec" --target=wbin --dump-ir=ends steps.wave
ok "before the continue" test "$(grep -c 'break' out)$(grep -c 'continue' out)$(tail -n 8 out | grep -c '^    continue')" = 111
dump_all() { status 0 "$wavec" -O0 --dump-ir=all --kernel=first k.wbin && has out "convergence" && lacks out "unroll" && status 0 "$wavec" -O0 --dump-ir=unroll --kernel=first k.wbin && has out 'kernel "first"'; }
ok "--dump-ir=all: only passes that ran" dump_all
parse() { "$wavec" --dump-ir=build --kernel=first k.wbin >f.ir && status 0 "$wavec" --parse-ir --dump-ir=build f.ir && cmp out f.ir &&
    "$wavec" --target=ptx --kernel=first k.wbin -o direct.ptx && status 0 "$wavec" --target=ptx --parse-ir f.ir -o parsed.ptx &&
    sed 1d direct.ptx >direct && sed 1d parsed.ptx | cmp - direct; }
ok "--parse-ir reads what --dump-ir prints" parse
bad_ir() { echo "kernel nonsense" >bad.ir && status 1 "$wavec" --target=ptx --parse-ir bad.ir -o bad_ir.ptx && has err "bad.ir:1:" && absent bad_ir.ptx; }
ok "--parse-ir of something else" bad_ir
few_lanes() { printf 'kernel "k" args 1 group 32,1,1 local 4096 width %s {\n%%1:token = token\n%%2:b_f16 = tile_load(local, row, +0) 0x0:u32, 0x20:u32, %%1\n%%3:c_f32 = tile_fill 0x0:u32, %%1\ntile_store(device, row, +0) arg0, 0x40:u32, %%3, %%1\nhalt\n}\n' "$1" >few.ir && status 1 "$wavec" --target=ptx --parse-ir few.ir -o few.ptx && has err "sm_75 has no waves of $1 lanes" && absent few.ptx; }
for width in 0 1 2; do ok "--parse-ir of tiles in waves of $width" few_lanes $width; done
no_pass() { status 2 "$wavec" --dump-ir=nonsense k.wbin && has err "no pass 'nonsense'" && has err simplify; }
ok "--dump-ir of an unknown pass" no_pass
pass_times() { status 0 "$wavec" --target=ptx --time-passes k.wbin -o x.ptx && has err convergence; }
ok "--time-passes" pass_times

# ---- The vendors' tools ----

if sh "$tests/../scripts/find-ptxas.sh" --install >found 2>/dev/null; then
    build() { status 0 "$wavec" --target=ptx --build k.wbin -o built.ptx && has out registers && has out first && [ -s built.cubin ]; }
    ok "--build" build
else
    missing "--build: ptxas is not installed"
fi
# A tool that records its arguments and writes its output file: fake NAME TEXT-IT-PRINTS
mkdir -p fake
fake() {
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >%s/args\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && printf made >"$2"; shift; done\nprintf "%%s" "%s"\n' "$dir" "$2" >"fake/$1"
    chmod +x "fake/$1"
}
# arguments WORD...: the fake tool received these, in this order, among others
arguments() { for word in "$@"; do grep -qx -e "$word" args || { echo "no $word in:"; cat args; return 1; }; done; }
remarks='k.hip:1:1: remark: Function Name: first [-R]
k.hip:1:1: remark:     SGPRs: 12 [-R]
k.hip:1:1: remark:     VGPRs: 34 [-R]
k.hip:1:1: remark:     AGPRs: 0 [-R]
k.hip:1:1: remark:     SGPRs Spill: 0 [-R]
k.hip:1:1: remark:     VGPRs Spill: 5 [-R]
k.hip:1:1: remark:     LDS Size [bytes/block]: 256 [-R]
'
fake hipcc "$remarks"
hipcc() { WAVE_HIPCC=$dir/fake/hipcc status 0 "$wavec" --target=hip --arch=gfx1030 --build k.wbin -o b.hip && arguments -x hip --offload-arch=gfx1030 -O3 -ffp-contract=off -fno-finite-loops --cuda-device-only 'b.hsaco\......./b.hsaco' b.hip &&
    has out "first                                   34        12         5       256         0" && has b.hip __global__; }
ok "--build with hipcc: the flags of the file, and a table" hipcc
hipcc_path() { rm -f args && PATH=$dir/fake:$PATH status 0 "$wavec" --target=hip --build k.wbin -o b.hip && arguments --offload-arch=gfx942; }
ok "--build finds hipcc in the PATH" hipcc_path
fake icpx ""
icpx() { PATH=$dir/fake:$PATH status 0 "$wavec" --target=sycl --build k.wbin -o b.sycl.cpp && arguments -fsycl -O3 -ffp-contract=off -fp-model=precise -foffload-fp32-prec-div -foffload-fp32-prec-sqrt -c 'b.sycl.o\......./b.sycl.o' b.sycl.cpp && has out "b.sycl.o: 4 bytes"; }
ok "--build with icpx" icpx
icpx_cpu() { PATH=$dir/fake:$PATH status 0 "$wavec" --target=sycl --arch=cpu --build k.wbin -o b.sycl.cpp && arguments -fsycl -fsycl-targets=spir64_x86_64 -c b.sycl.cpp; }
ok "--build with icpx for a CPU" icpx_cpu
fake xcrun ""
xcrun() { PATH=$dir/fake:$PATH status 0 "$wavec" --target=msl --arch=metal3.1 --build k.wbin -o b.metal && arguments -sdk macosx metal -std=metal3.1 -fno-fast-math -ffp-contract=off 'b.metallib\......./b.metallib' b.metal && has out "b.metallib: 4 bytes"; }
ok "--build with xcrun metal" xcrun
refusing() { printf '#!/bin/sh\necho "b.metal:1:1: error: no" >&2\nexit 1\n' >fake/bad && chmod +x fake/bad && WAVE_XCRUN=$dir/fake/bad status 1 "$wavec" --target=msl --build k.wbin -o b.metal && has err "error: no"; }
ok "--build shows what the compiler says" refusing
old_clang() { printf '#!/bin/sh\necho 14.0.6\n' >fake/old && chmod +x fake/old && WAVE_HIPCC=/nonexistent WAVE_HIP_CLANG=$dir/fake/old status 2 "$wavec" --target=hip --build k.wbin -o b.hip && has err "version 15 or newer"; }
ok "--build with a clang that is too old" old_clang
missing() { for t in "ptx ptxas" "hip hipcc" "sycl icpx" "msl xcrun"; do rm -f m.txt
    WAVE_PTXAS=/nonexistent WAVE_HIPCC=/nonexistent WAVE_HIP_CLANG=/nonexistent WAVE_ICPX=/nonexistent WAVE_XCRUN=/nonexistent status 2 "$wavec" "--target=${t% *}" --build k.wbin -o m.txt &&
        has err "cannot find ${t#* }" && has m.txt first || return 1; done; }
ok "--build without the tool: the message says how to get it, and the text is written" missing
all_missing() { mkdir -p am && WAVE_PTXAS=/nonexistent WAVE_HIPCC=/nonexistent WAVE_HIP_CLANG=/nonexistent WAVE_ICPX=$dir/fake/icpx WAVE_XCRUN=/nonexistent status 2 "$wavec" --target=all --build k.wbin -o am &&
    has err ptxas && has err hipcc && has err xcrun && has am/k.metal kernel && [ -s am/k.sycl.o ]; }
ok "--build for all targets continues with those whose tool is installed" all_missing
if clang=$(sh "$tests/../scripts/find-clang.sh") && [ -e /usr/include/hip/hip_runtime.h ]; then
    real() { WAVE_HIPCC=/nonexistent WAVE_HIP_CLANG=$clang status 0 "$wavec" --target=hip --arch=gfx90a --build k.wbin -o real.hip && grep -Eq '^first +[1-9][0-9]* +[0-9]+ +0 +[0-9]+ +[1-9][0-9]*$' out && grep -q '^main_' out && [ -s real.hsaco ]; }
    ok "--build with clang for AMD" real
    bare() { HIP_DEVICE_LIB_PATH=/nonexistent WAVE_HIPCC=/nonexistent WAVE_HIP_CLANG=$clang status 0 "$wavec" --target=hip --build k.wbin -o bare.hip && has out first && { [ -s bare.hsaco ] || { has out "device libraries for this GPU are missing" && has bare.s s_endpgm; }; }; }
    ok "--build with clang without device libraries leaves assembly and says so" bare
else
    missing "--build with clang for AMD: clang 19 with AMD's headers is not installed"
fi

# ---- Long kernels ----

# AMD's compiler takes time quadratic in the length of a block: one of 2,500 stores is cut twice; blocks with branches
# in between are not cut.
long_kernel() { awk -v n="$1" -v between="$2" 'BEGIN { print ".kernel long\n.registers 4\nicmp_lt p1, r1, r2"; for (k = 1; k <= n; k++) { print "device_store_u32 r1, r2"; if (k % 500 == 0 && between) print between } print "halt\n.end" }' >long.wave; }
cuts() { long_kernel "$2" "$3" && status 0 "$wavec" --target=hip long.wave -o long.hip && [ "$(grep -c '^    __builtin_amdgcn_sched_barrier(0);$' long.hip)" -eq "$1" ]; }
ok "a block of 1,000 statements is whole" cuts 0 1000 ""
ok "one more is cut off" cuts 1 1001 ""
ok "a long block is cut twice" cuts 2 2500 ""
ok "blocks between branches are not" cuts 0 2500 "if p1
device_store_u32 r2, r1
endif"

# ---- Usage ----

usage() { status 2 "$wavec" --target=abc k.wbin && has err "not 'abc'" && status 2 "$wavec" -O7 --target=ptx k.wbin && has err "-O is 0 or 2" && status 2 "$wavec" --fp=wrong --target=ptx k.wbin && status 2 "$wavec" k.wbin && has err "nothing to do"; }
ok "wrong usage" usage

unknown_arch() { status 1 "$bin/wavec" --target=ptx --arch=sm_70 "$golden/ptx/division.wave" -o - && has err 'it has sm_75' && has err 'hint: choose one of these'; }
ok "an architecture that the target lacks: the hint says what to do" unknown_arch

finish wavec_compile
