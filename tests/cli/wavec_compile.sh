#!/bin/sh
# wavec as a compiler, from the outside: what it writes and where, options, descriptions, dependency files, --build.
# Run with WAVE_BIN=build/bin.
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

# ---- Where the text goes ----

beside() { mkdir -p box && cp k.wbin box && status 0 "$wavec" --target=ptx box/k.wbin && has box/k.ptx ".visible .entry first(" && empty out && empty err; }
ok "beside the input" beside
named() { status 0 "$wavec" --target=ptx k.wbin -o named.ptx && has named.ptx ".visible .entry first(" && absent k.ptx; }
ok "-o" named
streams() { "$wavec" --target=ptx - <k.wbin >s.ptx && has s.ptx ".visible .entry first(" && "$wavec" --target=ptx -o - k.wbin >t.ptx && has t.ptx ".entry"; }
ok "standard input and output" streams
from_source() { status 0 "$wavec" --target=ptx k.wave -o from_source.ptx && has from_source.ptx ".entry"; }
ok "assembly is assembled on the way" from_source
all() { mkdir -p everything && status 0 "$wavec" --target=all k.wbin -o everything && has everything/k.ptx ".entry"; }
ok "--target=all writes into a folder" all
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
ok "--kernel of no kernel" none
arch() { status 0 "$wavec" --target=ptx --arch=sm_90 k.wbin -o arch.ptx && has arch.ptx ".target sm_90"; }
ok "--arch" arch
no_arch() { status 1 "$wavec" --target=ptx --arch=sm_1 k.wbin -o x.ptx && has err "no architecture 'sm_1'"; }
ok "--arch of no architecture" no_arch
width() { status 1 "$wavec" --target=ptx --wave-width=64 k.wbin -o x.ptx && has err "waves of 32 lanes"; }
ok "--wave-width that the target does not have" width
fast() { status 0 "$wavec" --target=ptx --fp=fast k.wbin -o fast.ptx && has fast.ptx "sin.approx" && "$wavec" --target=ptx k.wbin -o exact.ptx && lacks exact.ptx approx; }
ok "--fp" fast
levels() { status 0 "$wavec" --target=ptx -O0 k.wbin -o o0.ptx && status 0 "$wavec" --target=ptx -O2 --verify-ir k.wbin -o o2.ptx && has o2.ptx ".entry"; }
ok "-O0 and -O2" levels
bounds() { status 0 "$wavec" --target=ptx --bounds k.wbin -o bounds.ptx && has bounds.ptx "first_size" && lacks a.ptx first_size; }
ok "--bounds" bounds
debug() { status 0 "$wavec" --target=ptx -g k.wbin -o g.ptx && has g.ptx "iadd r2, r2, r1" && has g.ptx '.file 1 "k.dis"' &&
    "$bin/wave-dis" k.wbin >k.dis && line=$(grep -n 'device_store_u32 r0, r2' k.dis | head -n 1 | cut -d: -f1) && has g.ptx ".loc 1 $line 0"; }
ok "-g shows the instructions and points into the disassembly" debug
debug_source() { status 0 "$wavec" --target=ptx -g k.wave -o gs.ptx && has gs.ptx '.file 1 "k.wave"' && has gs.ptx ".loc 1 7 0" && has gs.ptx ".loc 1 14 0"; }
ok "-g points into the source where there is one" debug_source

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
depend() { status 0 "$wavec" --target=ptx -MD k.wbin -o d.ptx && printf 'd.ptx: k.wbin\n' | cmp - d.d && status 0 "$wavec" --target=ptx -MD -MF other.d k.wbin -o d.ptx && cmp d.d other.d; }
ok "-MD and -MF" depend

# ---- Looking inside ----

dump() { status 0 "$wavec" --dump-ir k.wbin && has out 'kernel "first"' && status 0 "$wavec" --dump-ir=build k.wbin && has out "fsin" && status 0 "$wavec" --dump-ir=after-math k.wbin && lacks out "fsin"; }
ok "--dump-ir" dump
parse() { "$wavec" --dump-ir=build --kernel=first k.wbin >f.ir && status 0 "$wavec" --parse-ir --dump-ir=build f.ir && cmp out f.ir &&
    "$wavec" --target=ptx --kernel=first k.wbin -o direct.ptx && status 0 "$wavec" --target=ptx --parse-ir f.ir -o parsed.ptx &&
    sed 1d direct.ptx >direct && sed 1d parsed.ptx | cmp - direct; }
ok "--parse-ir reads what --dump-ir prints" parse
bad_ir() { echo "kernel nonsense" >bad.ir && status 1 "$wavec" --target=ptx --parse-ir bad.ir -o bad_ir.ptx && has err "bad.ir:1:" && absent bad_ir.ptx; }
ok "--parse-ir of something else" bad_ir
no_pass() { status 2 "$wavec" --dump-ir=nonsense k.wbin && has err "no pass 'nonsense'" && has err simplify; }
ok "--dump-ir of no pass" no_pass
pass_times() { status 0 "$wavec" --target=ptx --time-passes k.wbin -o x.ptx && has err convergence; }
ok "--time-passes" pass_times

# ---- The vendor's tool ----

if sh "$tests/../scripts/find-ptxas.sh" --install >found 2>/dev/null; then
    build() { status 0 "$wavec" --target=ptx --build k.wbin -o built.ptx && has out registers && has out first && [ -s built.cubin ]; }
    ok "--build" build
elif [ "${CI:-}" = true ]; then
    ok "--build: ptxas is not installed" false
else
    echo "skipped: --build: ptxas is not installed"
fi
no_tool() { WAVE_PTXAS=/nonexistent status 2 "$wavec" --target=ptx --build k.wbin -o nt.ptx && has err "there is no ptxas"; }
ok "--build without the tool says how to get it" no_tool

# ---- Usage ----

usage() { status 2 "$wavec" --target=abc k.wbin && has err "not 'abc'" && status 2 "$wavec" -O7 --target=ptx k.wbin && has err "-O is 0 or 2" && status 2 "$wavec" --fp=wrong --target=ptx k.wbin && status 2 "$wavec" k.wbin && has err "say what to do"; }
ok "wrong usage" usage

finish wavec_compile
