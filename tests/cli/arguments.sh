#!/bin/sh
# Declared arguments from the outside: what wavec tells host code about them, and launches by name. Run
# with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
. "$tests/support/scale.sh"
wavec=$bin/wavec
emu=$bin/wave-emu
run=$bin/wave-run

# declare_args IN.wave OUT.wbin ARGUMENT...
declare_args() {
    "$bin/wave-asm" "$1" -o plain.wbin || return 1
    shift
    python3 "$tests/tools/with_args.py" plain.wbin "$@"
}

scale_kernel >scale.wave
ok "a file with arguments" declare_args scale.wave scale.wbin x:buffer:f32:in:restrict,contained y:buffer:f32:out:contained n:u32 a:f32

# One of each kind: 11 words.
cat >kinds.wave <<'END'
.kernel kinds
.registers 16
.workgroup_size 1, 1, 1
    device_store_u32 r0, r1
    mov_imm r11, 4
    iadd r12, r0, r11
    device_store_u64 r12, r2
    iadd r12, r12, r11
    iadd r12, r12, r11
    device_store_u64 r12, r4
    iadd r12, r12, r11
    iadd r12, r12, r11
    device_store_u32 r12, r6
    iadd r12, r12, r11
    device_store_u32 r12, r7
    iadd r12, r12, r11
    device_store_u32 r12, r9
    iadd r12, r12, r11
    device_store_u32 r12, r10
    halt
.end
END
ok "arguments of every kind" declare_args kinds.wave kinds.wbin x:buffer:u32:out k:i8 n:i64 default:f64 h:f16 st:bytes:10 :u32 t:local:f32

reflect() { status 0 "$wavec" --reflect scale.wbin && python3 - <<'END'
import json
a = json.load(open("out"))["kernels"][0]["arguments"]
assert [x["name"] for x in a] == ["x", "y", "n", "a"]
assert a[0] == {"name": "x", "kind": "buffer", "type": "f32", "access": "in", "restrict": True, "contained": True,
                "first_word": 0, "words": 1}
assert a[1]["access"] == "out" and not a[1]["restrict"] and a[1]["contained"]
assert a[3] == {"name": "a", "kind": "scalar", "type": "f32", "first_word": 3, "words": 1}
END
}
ok "--reflect lists arguments" reflect
uses_memories() { status 0 "$wavec" --reflect "$tests/programs/memory/private/guard_every_private_and_constant_access.wave" &&
    has out '"private", "constant"]'; }
ok "--reflect names private and constant memory" uses_memories
uses_atomic64() { status 0 "$wavec" --reflect "$tests/programs/errors/bounds/atomic64_past_the_end_clean.wave" &&
    grep -q '"uses": \["atomic", "atomic64"\]' out; }
ok "--reflect names 64-bit atomics" uses_atomic64
reflect_kinds() { status 0 "$wavec" --reflect kinds.wbin && python3 - <<'END'
import json
a = json.load(open("out"))["kernels"][0]["arguments"]
assert [(x["type"], x["first_word"], x["words"]) for x in a] == [
    ("u32", 0, 1), ("i8", 1, 1), ("i64", 2, 2), ("f64", 4, 2), ("f16", 6, 1), ("bytes", 7, 3), ("u32", 10, 1), ("f32", 11, 0)]
assert a[7]["kind"] == "local" and a[6]["name"] == ""
END
}
ok "--reflect: words of every kind" reflect_kinds

# ---- --header ----

cat >host.c <<'END'
#include "scale.h"
#include "kinds.h"
#include <stddef.h>

int main(void) {
    scale_args a;
    kinds_args k;
    a.x = 0;
    a.y = 256;
    a.n = 5;
    a.a = 1.5f;
    k.k = -1;
    k.n = -2;
    k.default_ = 0.5;
    k.h = 0x3C00;
    k.arg10 = 1;
    (void)k;
    return sizeof a == 4 * scale_ARG_WORDS && sizeof k == 4 * kinds_ARG_WORDS && offsetof(kinds_args, n) == 8 &&
                   offsetof(kinds_args, st) == 28 && sizeof k.st == 12 && offsetof(kinds_args, arg10) == 40 &&
                   a.n == 5 && sizeof k.n == 8
               ? 0 : 1;
}
END
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
header() {
    status 0 "$wavec" --header scale.wbin -o scale.h && status 0 "$wavec" --header kinds.wbin -o kinds.h &&
        cc -std=c99 $strict -o host host.c && ./host && c++ -x c++ $strict -o host host.c && ./host
}
ok "--header: a typed structure of the words' layout, in C and C++" header
all_targets() { status 0 "$wavec" --header --target=all scale.wbin -o all.h && cmp all.h scale.h; }
ok "--header is the same for all targets" all_targets

# The parts of the vendors' interfaces that the helpers use: the helpers must compile against them
# without a warning.
cat >cuda_host.c <<'END'
#include <stddef.h>
#define CUDA_VERSION 12000
typedef int CUresult;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef unsigned long long CUdeviceptr;
static unsigned seen[7];
static void **given;
static CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra) {
    (void)f, (void)stream, (void)extra;
    seen[0] = gx, seen[1] = gy, seen[2] = gz, seen[3] = bx, seen[4] = by, seen[5] = bz, seen[6] = shared;
    given = parameters;
    return *(CUdeviceptr *)parameters[0] == 4096 && ((unsigned *)parameters[1])[2] == 5 ? 0 : 1;
}
#include "scale.h"
int main(void) {
    const unsigned grid[3] = {7, 8, 9}, group[3] = {64, 2, 1};
    scale_args a;
    a.x = a.y = 0;
    a.n = 5;
    a.a = 2;
    return scale_launch_cuda((CUfunction)0, (CUstream)0, 4096, a, grid, group) || seen[0] != 7 || seen[2] != 9 ||
           seen[3] != 64 || seen[4] != 2 || seen[6] != 0 || !given;
}
END
cuda() { cc -std=c99 $strict -o cuda cuda_host.c && ./cuda && c++ -x c++ $strict -o cuda cuda_host.c && ./cuda; }
ok "--header: a launch through CUDA" cuda
cat >rt_host.c <<'END'
#include <wave_rt.h>
#include "scale.h"
int main(void) {
    const uint32_t grid[3] = {1, 1, 1};
    scale_args a;
    wave_rt_error error;
    a.x = a.y = a.n = 0;
    a.a = 1;
    return scale_launch_rt(NULL, NULL, 0, NULL, a, grid, grid, &error) == WAVE_RT_OK;
}
END
rt() { for c in "cc -std=c11" "c++ -x c++"; do $c $strict -I"$tests/../include" -I"$tests/../runtime" -c rt_host.c -o rt.o || return 1; done; }
ok "--header: a launch through the runtime" rt

# HIP: AMD's own headers where they are installed. Metal: the declarations that metal.m is checked against, by clang as Objective-C and
# Objective-C++. A kernel with every optional parameter, and one that fixes its workgroup.
cat >every.wave <<'END'
.kernel all
.arg x buffer u32 out
.arg v u32
    assert p1, 3
    device_store_u32 x, v
    halt
.end
.kernel fixed
.workgroup_size 64, 1, 1
.arg x buffer u32 out
.arg v u32
    device_store_u32 x, v
    halt
.end
END
"$bin/wave-asm" every.wave -o every.wbin
"$wavec" --header --bounds every.wbin -o every.h
cat >hip_host.c <<'END'
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include "every.h"
int main(void) {
    const unsigned grid[3] = {7, 8, 9}, group[3] = {64, 2, 1};
    all_args a;
    fixed_args b;
    uint32_t status[2];
    a.x = a.v = b.x = b.v = 0;
    return all_launch_hip(NULL, NULL, NULL, a, 4096, status, grid, group) != hipSuccess ||
           fixed_launch_hip(NULL, NULL, NULL, b, 4096, grid) != hipSuccess;
}
END
hip_host() { for c in "cc -std=c11" "c++ -x c++"; do $c -Wall -Wextra -Werror -Wno-unused-parameter -c hip_host.c -o hip_host.o || return 1; done; }
if printf '#define __HIP_PLATFORM_AMD__ 1\n#include <hip/hip_runtime_api.h>\n' | cc -E - >/dev/null 2>&1; then
    ok "--header: a launch through HIP, with AMD's headers" hip_host
else
    missing "--header through HIP: AMD's headers are not installed"
fi
cat >metal_host.m <<'END'
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include "every.h"
void launch(id<MTLComputeCommandEncoder> encoder, id<MTLComputePipelineState> pipeline, id<MTLBuffer> buffer, MTLSize size) {
    all_args a;
    fixed_args b;
    a.x = a.v = b.x = b.v = 0;
    all_launch_metal(encoder, pipeline, buffer, a, 4096, buffer, size, size);
    fixed_launch_metal(encoder, pipeline, buffer, b, 4096, size);
}
END
metal_host() {
    for language in objective-c objective-c++; do
        clang -x $language -fsyntax-only -fobjc-arc -fblocks -fobjc-runtime=macosx-10.15 -Wall -Wextra -Werror -DMETAL_STUB_SDK=150000 -I"$tests/metal_stub" -I. metal_host.m || return 1
    done
}
if command -v clang >/dev/null 2>&1; then
    ok "--header: a launch through Metal, with our declarations of it" metal_host
else
    missing "--header through Metal: clang is not installed"
fi
optional() { printf '.kernel k\n.registers 4\n assert p1, 3\n device_store_u32 r0, r1\n halt\n.end\n' >sure.wave && declare_args sure.wave sure.wbin x:buffer:u32:out v:u32 && status 0 "$wavec" --header --bounds sure.wbin && has out 'void *parameters[] = {&mem, &args, &mem_size, &status};'; }
ok "--header: optional parameters" optional

# ---- Launches by name ----

python3 - <<'END'
import struct
open("in.f32", "wb").write(struct.pack("<100f", *range(100)))
open("in.u32", "wb").write(bytes(400))
open("odd.bin", "wb").write(bytes(399))
open("st.bin", "wb").write(bytes(range(1, 11)))
END
: >empty.bin
# launch STATUS OPTION...: both tools behave the same; the values of y that they print go to
# `values`
launch() {
    wanted=$1
    shift
    status "$wanted" "$run" scale.wbin --device=emu --grid 4,1,1 "$@" --print y:f32 || return 1
    mv out run.out && mv err run.err
    status "$wanted" "$emu" scale.wbin --grid 4,1,1 "$@" --dump-f32 y:100
}
good="--arg n=100 --arg x=@in.f32 --arg a=2.5"
scaled() { launch 0 $good --arg y=out:400 && cmp out run.out && python3 -c 'print("\n".join(str(2.5 * i) for i in range(100)))' >want && cmp out want; }
ok "arguments by name, on both tools" scaled
typed() { launch 0 $good --arg y=out:f32:100 && cmp out want; }
ok "a buffer by type and count" typed
missing() { launch 2 --arg n=100 --arg x=@in.f32 --arg y=out:400 && has err 'argument a (f32, r3) is not given: --arg a=VALUE' && has run.err 'argument a (f32, r3) is not given'; }
ok "missing words are refused" missing
by_register() { status 0 "$emu" scale.wbin --grid 4,1,1 --set-reg 0:0 --set-reg 1:1024 --set-reg 2:100 --set-reg 3:0x40200000 --arg 0:in.f32 --dump-f32 1028:1 && has out 2.5 && status 2 "$emu" scale.wbin --set-reg 0:0 --set-reg 2:1 && has err 'argument y' && has err 'argument a'; }
ok "registers and offsets still work" by_register
positional() { status 0 "$run" scale.wbin --device=emu --grid 4,1,1 --buffer in.f32 --buffer y:400 --scalar 100 --scalar 2.5 --print y:f32 && cmp out want && status 2 "$run" scale.wbin --device=emu --buffer in.f32 && has err 'argument y'; }
ok "arguments by position still work" positional
twice() { launch 2 $good --arg y=out:400 --arg n=1 && has err 'given twice' && status 2 "$emu" scale.wbin $good --arg y=out:400 --set-reg 2:1 && has err 'its register already has a value' && status 2 "$emu" kinds.wbin --set-reg 3:1 --arg n=1 && has err '--arg n: its register already has a value'; }
ok "nothing is given twice" twice
unknown() { launch 2 $good --arg y=out:400 --arg z=1 && has err 'no such argument; it has x, y, n, a' && status 2 "$emu" scale.wave --arg x=1 && has err 'declares no arguments'; }
ok "unknown names" unknown
types() {
    launch 2 --arg n=1.5 --arg x=@in.f32 --arg y=out:400 --arg a=1 && has err 'a number that fits in u32' && has run.err 'a number that fits in u32' &&
        launch 2 --arg n=-1 --arg x=@in.f32 --arg y=out:400 --arg a=1 && has err 'fits in u32' &&
        launch 2 --arg n=4294967296 --arg x=@in.f32 --arg y=out:400 --arg a=1 && has err 'fits in u32' &&
        launch 2 --arg n=100 --arg x=@in.u32 --arg y=out:400 --arg a=1 && has err 'a buffer of f32, but the file contains u32' &&
        launch 2 --arg n=100 --arg x=@odd.bin --arg y=out:400 --arg a=1 && has err '399 bytes are not a whole number of f32' &&
        launch 2 --arg n=@in.f32 --arg x=@in.f32 --arg y=out:400 --arg a=1 && has err 'it is a scalar' &&
        launch 2 --arg n=100 --arg x=one --arg y=out:400 --arg a=1 && has err 'it is a buffer' &&
        launch 2 --arg n=100 --arg x=@in.f32 --arg y=out:4x --arg a=1 && has err 'out:BYTES' &&
        launch 2 --arg n=100 --arg x=@in.f32 --arg y=out:400 --arg a=1e99 && has err 'fits in f32'
}
ok "types and sizes are checked" types
alignment() { launch 2 --arg n=100 --arg x=6 --arg y=out:400 --arg a=1 && has err 'starts at a multiple of 4 bytes, not at 6 [E_ARG_ALIGNMENT]' && has run.err E_ARG_ALIGNMENT; }
ok "alignment is checked" alignment
bounds() { launch 1 --arg n=101 --arg x=@in.f32 --arg y=out:404 --arg a=1 && has err E_BUFFER_BOUNDS && has err "access at 0x290, outside buffer 'x', which has 400 bytes at 0x100" && has run.err E_BUFFER_BOUNDS && launch 1 $good --arg y=out:396 && has err "outside buffer 'y'"; }
ok "containment is checked" bounds
no_promise() { declare_args scale.wave free.wbin x:buffer:f32:in y:buffer:f32:out n:u32 a:f32 && status 0 "$emu" free.wbin --grid 4,1,1 $good --arg y=out:396; }
ok "buffers that are not contained are not checked" no_promise
wraps() { printf '.kernel w\n.registers 8\n mov_imm r2, -4\n mov_imm r3, 8\n iadd r4, r1, r2\n iadd r4, r4, r3\n device_load_u32 r5, r4\n device_load_u32 r5, r0\n halt\n.end\n' >w.wave && declare_args w.wave w.wbin a:buffer:u32:in x:buffer:u32:in:contained && status 1 "$emu" w.wbin --workgroup 1,1,1 --arg a=out:64 --arg x=out:64 && has err "the sum wraps at 0x1000001fc, outside buffer 'x'" && lacks err 'access at'; }
ok "sums that wrap are found" wraps
copies() { printf '.kernel c\n.registers 8\n mov_imm r1, 60\n mov r2, r0\n mov_imm r6, 1\n icmp_eq p1, r6, r6\n select r3, p1, r2, r1\n imad r3, r6, r1, r3\n device_load_u32 r3, r3\n device_load_u32 r4, r3\n iadd r3, r2, r1\n device_load_u64 r4, r3\n halt\n.end\n' >c.wave && declare_args c.wave c.wbin x:buffer:u32:in:contained && status 1 "$emu" c.wbin --workgroup 1,1,1 --arg x=out:64 && has err 'access at 0x13c' && has err 'device_load_u64' && lacks err 'device_load_u32'; }
ok "moves, selects and sums are followed, loads are not" copies
every_kind() {
    status 0 "$emu" kinds.wbin --arg x=out:64 --arg k=-5 --arg n=-2 --arg default=0.5 --arg h=1.5 --arg st=@st.bin --arg r10=7 --dump-memory 256:292 && python3 - <<'END'
import struct
got = bytes.fromhex("".join(l[10:59].replace(" ", "") for l in open("out").read().splitlines()[1:]))
want = struct.pack("<iqdI", -5, -2, 0.5, 0x3E00) + bytes([1, 2, 3, 4]) + bytes([9, 10, 0, 0]) + struct.pack("<I", 7)
assert got == want, (got, want)
END
}
ok "scalars of every type" every_kind
same_by_run() { status 0 "$run" kinds.wbin --device=emu --arg x=out:36 --arg k=-5 --arg n=-2 --arg default=0.5 --arg h=1.5 --arg st=@st.bin --arg r10=7 --output x:kinds.bin && python3 - <<'END'
import struct
want = struct.pack("<iqdI", -5, -2, 0.5, 0x3E00) + bytes([1, 2, 3, 4]) + bytes([9, 10, 0, 0]) + struct.pack("<I", 7)
assert open("kinds.bin", "rb").read() == want
END
}
ok "and by wave-run" same_by_run
# OpenCL kernels compare pointers with NULL, which is 0.
not_null() {
    printf '.kernel p\n.arg out buffer u32 inout\n.workgroup_size 1, 1, 1\n.reg zero\n    mov zero, 0\n    ucmp_ne p1, out, zero\n    if p1\n    device_store_u32 [out], 7\n    endif\n    halt\n.end\n' >null.wave &&
        status 0 "$emu" null.wave --arg out=out:u32:1 --dump-u32 out:1 && has out 7 &&
        status 0 "$run" null.wave --device=emu --arg out=out:u32:1 --output out:null.bin && [ "$(od -An -tu4 null.bin | tr -d ' ')" = 7 ] &&
        status 0 "$run" null.wave --device=emu --buffer out:u32:1 --output out:null.bin && [ "$(od -An -tu4 null.bin | tr -d ' ')" = 7 ]
}
ok "no buffer is at 0" not_null
ranges() {
    for bad in k=128 k=-129 n=9223372036854775808 n=-9223372036854775809 h=x h=65520 h=-70000 h=0x1p3 default= st=5 st=@empty.bin t=1; do
        status 2 "$emu" kinds.wbin --arg x=out:64 --arg "$bad" && has err "--arg ${bad%%=*}: " || return 1
    done
}
ok "scalars out of range" ranges
# 1 + 2^-11 is halfway between two f16; the decimals are just above it and just below the largest number that rounds down.
halves() {
    for pair in 1.000488281250001:15361 1.00048828125:15360 65519.999:31743 inf:31744 -inf:64512; do
        status 0 "$emu" half.wave --arg o=out:4 --arg "h=${pair%:*}" --dump-u32 o:1 && has out "${pair#*:}" || return 1
    done
}
printf '.kernel k\n.workgroup_size 1, 1, 1\n.arg o buffer u32\n.arg h f16\n    device_store_u32 o, h\n    halt\n.end\n' >half.wave
ok "an f16 is rounded once" halves
warned() { status 0 "$emu" scale.wave --set-reg 1:4 && has err 'warning: the kernel reads r0, r2, r3, which were not given and are 0' && status 0 "$run" scale.wave --device=emu --scalar 0 --scalar 0 --scalar 0 && has err 'warning: the kernel reads r3, which was not given and is 0' && status 0 "$emu" scale.wave --set-reg 0:0 --set-reg 1:0 --set-reg 2:0 --set-reg 3:0 && lacks err warning; }
ok "without declarations, missing words cause a warning" warned
dumps() { status 2 "$emu" scale.wbin $good --arg y=out:400 --dump-f32 z:1 && has err 'no buffer z' && status 2 "$emu" scale.wbin $good --arg y=out:400 --dump-f32 n:1 && has err 'no buffer n'; }
ok "dumps by name" dumps

# ---- Emitted code ----

hip() { status 0 "$wavec" --target=hip scale.wbin -o - && has out 'float a;' && has out 'const mem_f32 *__restrict__ x = (const mem_f32 *)(mem + args.x);' && has out 'mem_f32 *y = (mem_f32 *)(mem + args.y);' && has out '= x[u0 & 0x3FFFFFFFu];' && has out 'y[u0 & 0x3FFFFFFFu] = f0 * args.a;' && has out 'args.n' && lacks out 'args.r['; }
ok "names and elements in HIP" hip
sycl() { status 0 "$wavec" --target=sycl scale.wbin -o - && has out '__restrict__ x' && has out 'y[u0 & 0x3FFFFFFFu] = f0 * args.a;'; }
ok "and in SYCL" sycl
msl() { status 0 "$wavec" --target=msl scale.wbin -o - && has out 'device const mem_f32 *x = (device const mem_f32 *)(mem + args.x);' && has out 'y[u0 & 0x3FFFFFFFu] = f0 * args.a;'; }
ok "and in Metal" msl
ptx() { status 0 "$wavec" --target=ptx scale.wbin -o - && has out 'ld.global.nc.f32' && status 0 "$wavec" --target=ptx free.wbin -o - && lacks out '.nc.'; }
ok "loads of memory that nothing writes, in PTX" ptx
unused() { status 0 "$wavec" --target=hip free.wbin -o - && lacks out '__restrict__' && has out 'mem + (args.x + ' && status 0 "$wavec" --target=hip --bounds scale.wbin -o - && lacks out '__restrict__' && status 0 "$wavec" --target=hip -O0 scale.wbin -o - && lacks out '__restrict__'; }
ok "addresses instead of elements: no promise, --bounds, -O0" unused
plain() { status 0 "$wavec" --target=hip scale.wave -o - && has out 'uint32_t r[4];' && has out 'args.r[2]'; }
ok "without declarations nothing changes" plain
whole() { status 0 "$wavec" --target=hip kinds.wbin -o - && has out '#pragma pack(push, 4)' && has out 'int64_t n;' && has out 'double default_;' && has out 'args.st[2]' && has out 'args.arg10'; }
ok "a wide number is one field" whole

# ---- W_ARGUMENT_GAP ----

gap() { printf '.kernel k\n.registers 32\n iadd r3, r1, r30\n device_store_u32 r0, r3\n halt\n.end\n' >gap.wave && status 0 "$wavec" --check gap.wave && has err 'W_ARGUMENT_GAP: r30 is read before it is written: that makes 31 argument words, of which r2 to r29 are never read' && status 0 "$wavec" --check scale.wave && lacks err W_ARGUMENT_GAP; }
ok "--check reports gaps" gap
no_gap() { declare_args gap.wave gap.wbin x:buffer:u32:out n:u32 && status 0 "$wavec" --check gap.wbin && lacks err W_ARGUMENT_GAP && has err W_UNDEFINED_REGISTER; }
ok "but not where arguments are declared" no_gap

# --- Elements of 64 bits, atomic operations on elements, kernels with wave operations ---

programs=$tests/programs/launch/named_arguments
longs() { status 0 "$wavec" --verify-ir --target=hip "$programs/longs.wave" -o - && has out 'const mem_u64 *__restrict__ x = ' && has out 'uint64_t v = x[threadIdx.x];' &&
    has out 'z[threadIdx.x] = v;' && has out 'y[threadIdx.x] = sum;' && has out '__hip_atomic_fetch_add(&count[threadIdx.x & 1u], ' &&
    has out '__hip_atomic_fetch_max((mem_i32 *)&most[0], ' && lacks out ' = *(mem_' && lacks out 'const mem_u32 *count'; }
ok "elements of 64 bits, HIP" longs
longs_sycl() { status 0 "$wavec" --verify-ir --target=sycl "$programs/longs.wave" -o - && has out '= x[' && has out 'sycl::memory_scope::device>(count[' && has out '>(*(mem_i32 *)&most[0])'; }
ok "elements of 64 bits, SYCL" longs_sycl
longs_msl() { status 0 "$wavec" --verify-ir --target=msl "$programs/longs.wave" -o - && has out 'uint64_t v = x[thread_id.x];' && has out '((device atomic_int *)&most[0], '; }
ok "elements of 64 bits, Metal" longs_msl
doubles() { status 0 "$wavec" --verify-ir --target=hip "$programs/doubles.wave" -o - && has out 'double v = x[threadIdx.x];' && has out 'y[threadIdx.x] = v * args.a;'; }
ok "elements that are f64" doubles
# Without f64 arithmetic nothing needs the type, which Metal lacks.
printf '.kernel k\n.workgroup_size 4, 1, 1\n.arg x buffer f64 in contained\n.arg y buffer f64 out contained\n.reg v:2\n device_load_u64 v, [x + sr_thread_id_x*8]\n device_store_u64 [y + sr_thread_id_x*8], v\n halt\n.end\n' >copy.wave
copies() { status 0 "$wavec" --verify-ir --target=msl copy.wave -o - && lacks out double; }
ok "f64 that is only copied, Metal" copies
printf '.kernel k\n.workgroup_size 64, 1, 1\n.arg x buffer u32 inout contained\n.reg v\n device_load_u32 v, [x + sr_thread_id_x*4]\n wave_reduce_add v, v\n device_store_u32 [x + sr_thread_id_x*4], v\n halt\n.end\n' >waves.wave
waves() { status 0 "$wavec" --verify-ir --target=hip waves.wave -o - && has out 'x[threadIdx.x] = '; }
ok "elements in a kernel with wave operations" waves

# As text of the IR, for any target.
as_text() { status 0 "$wavec" --target=sycl --dump-ir "$programs/doubles.wave" && has out 'load64(device, 8, +0)' && has out 'store64(device, 8, +0)' && cp out doubles.ir &&
    status 0 "$wavec" --target=ptx --parse-ir doubles.ir -o - && has out 'ld.global.f64' && has out 'st.global.f64'; }
ok "elements of 64 bits as text of the IR" as_text
wrong() { sed 's/load64(device, 8/load64(device, 4/' doubles.ir >bad.ir && status 1 "$wavec" --target=ptx --parse-ir bad.ir -o - && has err 'is not an access to 8 bytes of a buffer'; }
ok "an element of another size" wrong

finish "cli/arguments"
