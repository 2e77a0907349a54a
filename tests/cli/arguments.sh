#!/bin/sh
# Declared arguments from the outside: what wavec tells host code of them, and launches by name. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
emu=$bin/wave-emu
run=$bin/wave-run

# declare_args IN.wave OUT.wbin ARGUMENT...
declare_args() {
    "$bin/wave-asm" "$1" -o plain.wbin || return 1
    shift
    python3 "$tests/tools/with_args.py" plain.wbin "$@"
}

# y[i] = a * x[i] for i < n
cat >scale.wave <<'END'
.kernel scale
.registers 12
    mov_sr r4, sr_workgroup_id_x
    mov_sr r5, sr_workgroup_size_x
    mov_sr r6, sr_thread_id_x
    imad r4, r4, r5, r6
    icmp_lt p1, r4, r2
    if p1
        mov_imm r5, 2
        shl r4, r4, r5
        iadd r6, r0, r4
        iadd r7, r1, r4
        device_load_u32 r8, r6
        fmul r8, r8, r3
        device_store_u32 r7, r8
    endif
    halt
.end
END
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

# The vendors' interfaces as far as the helpers use them: they must fit without a warning.
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
optional() { printf '.kernel k\n.registers 4\n assert p1, 3\n device_store_u32 r0, r1\n halt\n.end\n' >sure.wave && declare_args sure.wave sure.wbin x:buffer:u32:out v:u32 && status 0 "$wavec" --header --bounds sure.wbin && has out 'void *parameters[] = {&mem, &args, &mem_size, &status};'; }
ok "--header: optional parameters" optional

finish "cli/arguments"
