#!/bin/sh
# wave-cc from the outside: output, clang's messages, options, errors. Tests that need clang 22 are skipped where it is not
# installed. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
cc=$bin/wave-cc

check "no file" 2 "$cc"
said err "no input file"
check "an unknown option" 2 "$cc" --locall=x k.cl
said err "did you mean --local"
for option in -c -s -cfast -save; do
    check "an unknown option of one dash, $option" 2 "$cc" "$option" k.cl
    said err "wave-cc: unknown option $option; try wave-cc --help"
    check "$option as the last word" 2 "$cc" k.cl "$option"
    said err "wave-cc: unknown option $option; try wave-cc --help"
done
check "a size without a number" 2 "$cc" --local=x=many k.cl
check "a size without a name" 2 "$cc" --local==5 k.cl
check "a constant without a number" 2 "$cc" --spec=x=5 k.cl
check "an unknown level" 2 "$cc" -O3 k.cl
check "no such file" 2 "$cc" missing.cl

echo 'kernel void k(global int *o) { o[0] = 1; }' >k.cl
WAVE_CLANG=/nonexistent/clang check "no clang" 2 env WAVE_CLANG=/nonexistent/clang "$cc" k.cl
said err "install clang 22 or newer"
for tool in "wavec --check" wave-emu wave-dis wave-run; do
    # shellcheck disable=SC2086 # a tool and its option
    check "no clang for $tool" 2 env WAVE_CLANG=/nonexistent/clang "$bin"/$tool k.cl
    said err "install clang 22 or newer"
done
printf '#!/bin/sh\necho "error: unknown target triple '"'spirv32'"'" >&2\nexit 1\n' >old
chmod +x old
check "an old clang" 2 env WAVE_CLANG=./old "$cc" k.cl
said err "cannot generate SPIR-V: install clang 22 or newer"
ok "nothing is written" absent k.wbin
printf 'abcd' >bad.spv
check "not a module" 2 env WAVE_CLANG=/nonexistent/clang "$cc" bad.spv
printf '\003\002\043\007\000\004\001\000' >short.spv
check "a module that ends early" 1 "$cc" short.spv
said err "E_SPIRV_HEADER"
ok "nothing is written" absent short.wbin

# shellcheck disable=SC2046 # 60 words
check "too many options" 2 env WAVE_CLANG=true "$cc" $(seq -f -DX%g 60) k.cl
said err "cannot be run: Argument list too long"

check "no descriptors for a pipe" 2 sh -c "ulimit -n 4 && WAVE_CLANG=/bin/sh exec '$cc' k.cl"
said err "/bin/sh cannot be run: $(python3 -c 'import errno, os; print(os.strerror(errno.EMFILE))')"
# A folder whose own name is short enough, but not with a file in it.
deep() { (i=0; while [ $i -lt 20 ]; do name=$(printf '%0200d' 0) && mkdir -p "$name" && cd "$name" || exit 1; i=$((i + 1)); done; status 2 env WAVE_CLANG=/bin/sh "$cc" - -o "$(pwd)/$(printf "%0$((4084 - $(pwd | wc -c)))d" 0)" <"$dir/k.cl" && has err "File name too long"); }
ok "a path that is too long" deep

if ! command -v "${WAVE_CLANG:-clang-22}" >/dev/null 2>&1; then
    skipped "OpenCL C: clang-22 is not installed"
    finish "cli/wave_cc"
    exit
fi

check "a kernel" 0 "$cc" k.cl
ok "its file" test -s k.wbin
mkdir temporary
check "a device: clang writes to another folder" 0 env "TMPDIR=$dir/temporary" "$cc" -v k.cl -o /dev/null
said err "-o $dir/temporary/wave-cc."
ok "which is removed" test -z "$(ls temporary)"
check "its assembly" 0 "$cc" -S k.cl -o -
said out ".arg o buffer i32"
check "from standard input" 0 sh -c "'$cc' - <k.cl >from.wbin"
ok "the same bytes" cmp k.wbin from.wbin
check "the tools accept it" 0 "$bin/wavec" --target=ptx k.cl -o k.ptx
ok "their result" has k.ptx ".entry k"
check "the module is kept" 0 "$cc" -save-temps -MD k.cl
ok "the module" test -s k.spv
whole_rule() { printf 'k.wbin: k.cl\n' | cmp - k.d; }
ok "dependencies" whole_rule
piped_rule() { status 0 "$cc" -MF piped.d - -o piped.wbin <k.cl && printf 'piped.wbin:\n' | cmp - piped.d; }
ok "dependencies of standard input" piped_rule
check "a module" 0 "$cc" k.spv -o again.wbin
ok "the same bytes again" cmp k.wbin again.wbin
for file in k.cl k.spv; do
    check "wave-emu accepts $file" 0 "$bin/wave-emu" $file --arg o=out:4 --dump-u32 o:1
    said out "1"
    check "wave-run accepts $file" 0 "$bin/wave-run" $file -d emu --arg o=out:4 --print o
    ok "the stored value" test "$(cat out)" = 1
done
check "no folder is left" 0 sh -c '! ls -d k.wbin.* 2>/dev/null'

# Types of arguments are those of the source. clang's SPIR-V has no signs, and guesses what a pointer points to from its uses:
# a byte for what is indexed by a sum.
cat >types.cl <<'END'
typedef float real;
typedef struct { float x; int y; } record;
kernel void types(global uint *u, global const long *l, constant real *r, global short4 *s, global record *t,
                  global uchar *c, volatile global atomic_int *a, local float *f, int n, uchar m, float4 v, record w) {
    size_t i = get_global_id(0);
    u[8 * i + 1] = l[2 * i + 1] + n + m;
    s[4 * i + 3] = (short)(r[2 * i + 1] + v.x + f[2 * i + 1]);
    t[2 * i + 1].y = w.y;
    *(global uint *)(c + 4 * i) = w.x;
    atomic_fetch_add((volatile global atomic_int *)a + 2 * i + 1, 1);
}
END
check "types of arguments" 0 "$cc" --local f=256 -S types.cl -o -
for argument in "u buffer u32" "l buffer i64 in" "r buffer f32 in" "s buffer i16" "t buffer bytes" "c buffer u8" "a buffer i32" \
    "f local f32" "n i32" "m u8" "v bytes 16" "w bytes 8"; do
    said out ".arg $argument"
done

# An array with constant indices becomes values, although another one is indexed by data.
cat >arrays.cl <<'END'
kernel void arrays(global const int *x, global int *out) {
    int line[8] = {0, 0, 0, 0, 0, 0, 0, 0}, table[4] = {3, 1, 4, 1};
    for (int t = 0; t < x[0]; t++) {
        for (int k = 7; k > 0; k--)
            line[k] = line[k - 1];
        line[0] = x[t];
        table[line[0] & 3] += line[7];
    }
    out[0] = table[0] + table[1] + table[2] + table[3];
}
END
check "two private arrays" 0 "$cc" -S arrays.cl -o arrays.wave
ok "the other one is loaded by its index and at the end" test "$(grep -c private_load arrays.wave)" -le 5

echo 'kernel void k(global int *o) { o[0] = missing; }' >wrong.cl
check "clang's errors" 1 "$cc" wrong.cl
said err "wrong.cl:1:39: error: use of undeclared identifier 'missing'"
ok "nothing is written" absent wrong.wbin
check "and on the fly" 1 "$bin/wave-emu" wrong.cl
said err "use of undeclared identifier"

echo 'kernel void a(global int *o) { o[0] = N; } kernel void b(global int *o) { o[0] = 2; }' >two.cl
check "macros and one kernel" 0 "$cc" -DN=77 --kernel=a -S two.cl -o -
said out "0x4D"
check "no such kernel" 1 "$cc" -DN=1 --kernel=c two.cl
said err "E_NO_KERNELS"
check "flags of the environment" 0 env WAVE_CC_FLAGS=-DN=78 "$bin/wave-dis" two.cl
said out "0x4E"
echo 'kernel void k(read_only image2d_t i, global float4 *o) { o[0] = read_imagef(i, (int2)(0, 0)); }' >image.cl
check "images" 1 "$cc" image.cl
said err "E_SPIRV_FEATURE"
said err "image.cl:1:25: warning: WAVE has no images"
ok "nothing is written" absent image.wbin
echo 'kernel void k(global int *o) { printf("%d", o[0]); }' >printf.cl
check "printf" 1 "$cc" printf.cl
said err "E_SPIRV_FEATURE"
said err "in k: printf is not supported: a kernel has no console; write to a buffer"
said err "printf.cl:1:32: warning: WAVE has no console"
ok "nothing is written" absent printf.wbin
cat >generic.cl <<'END'
int load(int which, global int *g, local int *l) { int *p = which ? (int *)g : (int *)l; return *p; }
kernel void k(global int *o, int which) { local int room[4]; room[0] = 7; o[1] = load(which, o, room); }
END
check "a pointer to either of two memories" 1 "$cc" generic.cl
said err "E_GENERIC_POINTER"
said err "in k: cannot determine which memory this pointer points to"
said err "generic.cl:1:97: error: E_GENERIC_POINTER"
# Lines: of a kernel, a function in an included file, a function of the prelude (its call), a switch.
printf 'int twice(int x) {\n    return 2 * x;\n}\n' >twice.h
cat >lines.cl <<'END'
#include "twice.h"
kernel void k(global int *o, global float *f, int n) {
    local int s[64];
    int l = get_local_id(0);
    s[l] = o[l];
    switch (n) {
    case 1: o[l] = 3; break;
    case 2: o[l] = 5; break;
    case 3: o[l] = 9; break;
    default: o[l] = twice(s[63 - l]);
    }
    f[l] =
        convert_float_rtz(o[l]);
}
END
check "lines of OpenCL C" 0 "$cc" -g -I. lines.cl
check "in the disassembly" 0 "$bin/wave-dis" --source lines.wbin
for place in '"lines.cl", 5, ' '"lines.cl", 8, ' '"lines.cl", 13, ' '"./twice.h", 2, '; do said out ".loc $place"; done
ok "nothing of the prelude" lacks out prelude
check "in a report of the emulator" 1 env WAVE_CC_FLAGS=-I. "$bin/wave-emu" lines.cl --check=race --workgroup 64 --arg o=0x100 --arg f=0x400 --arg n=0
said err "at lines.cl:10:"
said err "default: o[l] = twice(s[63 - l]);"
said err "and lines.cl:5:10 "
check "without -g no lines" 0 "$cc" -I. lines.cl
check "in its disassembly" 0 "$bin/wave-dis" --source lines.wbin
ok "none" lacks out '.loc "'
"$cc" -g -I. - -o piped.wbin <lines.cl
check "lines of standard input" 0 "$bin/wave-dis" --source piped.wbin
said out '.loc "stdin.cl", 5, '
echo 'kernel void k(global int *o, read_only pipe int p) { o[0] = 1; }' >pipe.cl
check "pipes" 1 "$cc" pipe.cl
said err "E_SPIRV_FEATURE"
said err "pipe.cl:1:40: warning: WAVE has no pipes"
echo 'kernel void k(global int *o) { atomic_inc(o); o[1] = convert_int_sat(as_float(o[2])); }' >old.cl
for version in CL1.0 CL1.1 CL1.2 CL2.0 CL3.0; do
    check "OpenCL C, -cl-std=$version" 0 "$cc" -cl-std=$version old.cl
done
echo "kernel void store(global int *out) { out[0] = 1; }" >short.cl
names=$(printf -- "-D%s=1 " a b c d e f i n p s t v x y to from size step first stride scope flags)
# shellcheck disable=SC2086 # several options
check "macros with short names do not affect the prelude" 0 "$cc" $names short.cl
cat >fixed.cl <<'END'
kernel void any(global int *o) { o[0] = 1; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void fixed(global int *o) { o[0] = 1; }
END
check "a required sub-group size" 1 "$cc" fixed.cl
said err "the kernel fixed requires a sub-group size; WAVE leaves it to the target"
check "in another kernel" 0 "$cc" --kernel=any fixed.cl
echo 'kernel void k(global int *o) { o[0] = dot_acc_sat((char4)(o[0]), (char4)(o[1]), o[2]); }' >dot.cl
check "dot products of integers" 1 "$cc" dot.cl
said err "dot.cl:1:39: error: E_SPIRV_FEATURE: OpSDotAccSat at word"
said err "WAVE has no packed dot products"
echo 'kernel void k(sampler_t s, global int *o) { o[0] = 1; }' >sampler.cl
check "samplers" 1 "$cc" sampler.cl
said err "E_SPIRV_FEATURE"
said err "sampler.cl:1:15: warning: WAVE has no samplers"
cat >enqueue.cl <<'END'
kernel void k(global int *o) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ o[0] = 1; });
}
END
check "kernels that enqueue others" 1 "$cc" enqueue.cl
said err "enqueue.cl:2:5: error: WAVE kernels cannot enqueue others"
ok "clang stops before its back end" lacks err "bug report"
cat >pointer.cl <<'END'
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int one(int x) { return x + 1; }
kernel void k(global int *o) { int (*f)(int) = o[1] ? one : 0; o[0] = f(2); }
END
check "pointers to functions" 1 "$cc" pointer.cl
said err "pointer.cl:3:37: error: pointers to functions are not allowed"
cat >variadic.cl <<'END'
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable
int sum(int n, ...) { return n; }
kernel void k(global int *o) { o[0] = sum(2, 3, 4); }
END
check "a variable number of arguments" 1 "$cc" variadic.cl
said err "variadic.cl:2:5: error: invalid prototype, variadic arguments are not allowed"
for name in sampler enqueue pointer variadic pipe generic; do ok "nothing is written for $name" absent $name.wbin; done
cat >unused.cl <<'END'
static inline float4 pixel(read_only image2d_t i) { return read_imagef(i, (int2)(0, 0)); }
#define printf(...)
kernel void k(global int *o) { printf("%d", o[0]); o[0] = 1; }
END
check "unused images, printf disabled" 0 "$cc" unused.cl
said err "unused.cl:1:38: warning: WAVE has no images"
ok "and no other warning" test "$(grep -c warning: err)" = 1
mkdir -p inc
echo '#define VALUE 99' >inc/value.h
printf '#include "value.h"\nkernel void k(global int *o) { o[0] = VALUE + EXTRA; }\n' >with.cl
check "a folder of headers, a macro, a file of dependencies" 0 "$cc" -I inc -DEXTRA=1 -MD -MF with.dep with.cl -o with.wbin
ok "that names the header" has with.dep "inc/value.h"
only_there() { for file in $(tr '\\' ' ' <with.dep | sed 's/^[^:]*://'); do test -e "$file" || return 1; done; }
ok "and only files that are there" only_there
spaced_rule() { mkdir -p 'a b' && cp k.cl 'a b/k 1.cl' && status 0 "$cc" -MF spaced.d 'a b/k 1.cl' -o 'a b/long name of a file that makes clang break the line of its rule.wbin' && lacks spaced.d prelude && has spaced.d 'a\ b/k\ 1.cl' && has spaced.d 'a\ b/long\ name'; }
ok "names with blanks" spaced_rule
check "the stored value" 0 "$bin/wave-emu" with.wbin --arg o=out:4 --dump-u32 o:1
said out "100"
for language in CL1.2 CL3.0; do check "another language, $language" 0 "$cc" -cl-std=$language k.cl; done
cat >local.cl <<'END'
kernel void k(global int *o, local int *room) { room[get_local_id(0)] = 5; o[0] = room[0]; }
END
check "local memory without a size" 1 "$cc" local.cl
said err "E_SPIRV_LOCAL"
check "and with one" 0 "$cc" --local=room=64 -S local.cl -o -
said out ".local_memory 64"
if command -v "${WAVE_SPIRV_AS:-spirv-as}" >/dev/null 2>&1; then
    cat >spec.spvasm <<'END'
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %c SpecId 7
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%to = OpTypePointer CrossWorkgroup %uint
%f = OpTypeFunction %void %to
%c = OpSpecConstant %uint 17
%k = OpFunction %void None %f
%o = OpFunctionParameter %to
%l = OpLabel
OpStore %o %c
OpReturn
OpFunctionEnd
END
    check "the text of SPIR-V" 0 "$cc" -S spec.spvasm -o -
    said out "0x11"
    check "another constant" 0 "$cc" --spec=7=34 -S spec.spvasm -o -
    said out "0x22"
    check "one that does not exist" 1 "$cc" --spec=8=1 spec.spvasm
    # with_line STATEMENT...: the kernel with these statements, on line 41 of far.cl
    with_line() {
        cat <<'END'
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "far.cl"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%to = OpTypePointer CrossWorkgroup %uint
%any = OpTypePointer Generic %uint
%f = OpTypeFunction %void %to
%c = OpConstant %uint 17
%k = OpFunction %void None %f
%o = OpFunctionParameter %to
%l = OpLabel
OpLine %file 41 7
END
        printf '%s\n' "$@" OpReturn OpFunctionEnd
    }
    with_line 'OpStore %o %c' >line.spvasm
    check "lines of the source" 0 "$cc" -g line.spvasm
    check "in the resulting file" 0 "$bin/wavec" -g --target=hip line.wbin -o -
    said out '#line 41 "far.cl"'
    with_line '%n = OpConvertPtrToU %uint %o' '%p = OpConvertUToPtr %any %n' 'OpStore %p %c' >nowhere.spvasm
    check "an error on a line of the source" 1 "$cc" nowhere.spvasm
    said err "far.cl:41:7: error: E_GENERIC_POINTER"
    ok "nothing is written" absent nowhere.wbin
else
    skipped "the text of SPIR-V: spirv-as is not installed"
fi
for option in "-o x" --help -h --version --completion=bash "-Wp,-MD,stolen.d" "--warn=p,-MD,stolen.d" "-Wa,--defsym"; do
    printf '//@ cc: %s\nkernel void k(global int *o) { o[0] = 1; }\n' "$option" >inside.cl
    check "no $option inside" 2 "$cc" inside.cl
    said err "unknown option on the '//@ cc:' line"
    silent out
    check "no $option inside, on the fly" 2 "$bin/wavec" --check inside.cl
done
ok "clang writes no other file" absent stolen.d
check "a file in the environment" 2 env WAVE_CC_FLAGS=k.cl "$bin/wavec" --check k.cl
said err "unknown option in WAVE_CC_FLAGS"
printf 'kernel void k(global int *o) {\n  //@ cc: -DN=79\n  o[0] = N;\n  //@ test indented\n}\n' >indented.cl
check "an indented line" 0 "$cc" -S indented.cl -o -
said out "0x4F"
said out "//@ test indented"
check "a line of standard input" 0 sh -c "'$cc' -S - <indented.cl"
said out "0x4F"
said out "//@ test indented"
finish "cli/wave_cc"
