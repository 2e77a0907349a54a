#!/bin/sh
# Dependency files, -MD and -MF of wavec and wave-asm: make reads back the right names, for one output or several, and a
# name that make cannot read is rejected before anything is written. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
asm=$bin/wave-asm

printf '.kernel first\n.registers 4\n device_store_u32 r0, r1\n halt\n.end\n' >k.wave
"$asm" k.wave -o k.wbin || exit 2

# ---- Contents and location ----

one() { status 0 "$wavec" --target=ptx -MD k.wbin -o d.ptx && printf 'd.ptx: k.wbin\n' | cmp - d.d; }
ok "wavec -MD: the output's name with .d" one
elsewhere() { status 0 "$wavec" --target=ptx -MD -MF e.d k.wbin -o d.ptx && cmp d.d e.d && status 0 "$wavec" --target=ptx -MFf.d k.wbin -o d.ptx && cmp d.d f.d; }
ok "wavec -MF FILE, -MFFILE" elsewhere
both() { mkdir -p two && cp k.wave two && status 0 "$wavec" --target=ptx --target=sycl -MD two/k.wave && printf 'two/k.ptx two/k.sycl.cpp: two/k.wave\n' | cmp - two/k.d && absent two/k.sycl.d; }
ok "wavec -MD with two targets: one file names both" both
folder() { mkdir -p all && status 0 "$wavec" --target=all -MD k.wave -o all && printf 'all/k.ptx all/k.hip all/k.sycl.cpp all/k.metal: k.wave\n' | cmp - all/k.d; }
ok "wavec -MD with all targets: one file names all, in their folder" folder
all_elsewhere() { status 0 "$wavec" --target=all -MF all.d k.wave -o all && cmp all.d all/k.d; }
ok "wavec -MF with all targets" all_elsewhere
# Metal has no f64: the files of the other targets are written, and only they have dependencies.
refused() { mkdir -p some && printf '.kernel d\n.registers 8\n dadd r2, r0, r0\n device_store_u64 r0, r2\n halt\n.end\n' >f64.wave && status 1 "$wavec" --target=all -MD f64.wave -o some && printf 'some/f64.ptx some/f64.hip some/f64.sycl.cpp: f64.wave\n' | cmp - some/f64.d; }
ok "wavec -MD leaves out a target that has no file" refused
asm_one() { status 0 "$asm" -MD k.wave -o a.wbin && printf 'a.wbin: k.wave\n' | cmp - a.d && status 0 "$asm" -MD -MF b.d k.wave -o a.wbin && cmp a.d b.d; }
ok "wave-asm -MD and -MF" asm_one
asm_next_to() { mkdir -p own && cp k.wave own && status 0 "$asm" -MD own/k.wave && printf 'own/k.wbin: own/k.wave\n' | cmp - own/k.d; }
ok "wave-asm -MD: next to the output" asm_next_to
nothing() { status 0 "$wavec" --target=ptx -MD k.wave -o - && has out .entry && absent -.d && status 0 "$asm" -MD - <k.wave && absent -.d; }
ok "standard output has no dependency file" nothing
piped() { status 0 "$wavec" --target=ptx -MD - -o piped.ptx <k.wave && printf 'piped.ptx:\n' | cmp - piped.d && status 0 "$asm" -MD - -o piped.wbin <k.wave && printf 'piped.wbin:\n' | cmp - piped.d; }
ok "standard input is not a dependency" piped
wrong() { printf 'nonsense\n' >bad.wave && status 1 "$wavec" --target=ptx -MD bad.wave && absent bad.d && status 1 "$asm" -MD bad.wave && absent bad.d; }
ok "a file with errors has none" wrong

# The modes that write a file with -o; without it they print, and there is no file to be made again.
header() { status 0 "$wavec" --header -MD k.wave -o h.h && printf 'h.h: k.wave\n' | cmp - h.d && status 0 "$wavec" --header --target=all -MF g.d k.wave -o h.h && cmp h.d g.d; }
ok "wavec --header -MD: the header's name with .d" header
reflected() { status 0 "$wavec" --reflect --target=ptx --target=hip -MD k.wave -o r.json && printf 'r.json: k.wave\n' | cmp - r.d; }
ok "wavec --reflect -MD" reflected
stripped() { status 0 "$wavec" --strip -MD k.wbin -o s.wbin && printf 's.wbin: k.wbin\n' | cmp - s.d; }
ok "wavec --strip -MD" stripped
printed() { rm -f p.d && status 0 "$wavec" --header -MD -MF p.d k.wave && has out '#ifndef' && absent p.d; }
ok "a header on standard output has no dependency file" printed
header_names() { status 2 "$wavec" --header -MF h2.h k.wave -o h2.h && has err "-MF names the output h2.h" && absent h2.h && status 2 "$wavec" --header -MD k.wave -o 'a=b.h' && has err "make cannot read the name" && absent 'a=b.h'; }
ok "a header whose rule cannot be written is not written" header_names

# ---- Included files ----

mkdir -p parts
printf '.include "parts/body.inc"\n' >with.wave
printf '.kernel first\n.include "ends.inc"\n.include "ends.inc"\n halt\n.end\n' >parts/body.inc
printf '; nothing\n' >parts/ends.inc
included() { status 0 "$asm" -MD with.wave -o with.wbin && printf 'with.wbin: with.wave parts/body.inc parts/ends.inc\n' | cmp - with.d; }
ok "wave-asm names included files, each once" included
included_all() { status 0 "$wavec" --target=ptx --target=hip -MF all.d with.wave && printf 'with.ptx with.hip: with.wave parts/body.inc parts/ends.inc\n' | cmp - all.d; }
ok "wavec names included files" included_all
included_header() { status 0 "$wavec" --header -MF with.d with.wave -o with.h && printf 'with.h: with.wave parts/body.inc parts/ends.inc\n' | cmp - with.d; }
ok "and --header too" included_header
included_pipe() { status 0 "$wavec" --target=ptx -MD - -o piped.ptx <with.wave && printf 'piped.ptx: parts/body.inc parts/ends.inc\n' | cmp - piped.d; }
ok "and those of standard input" included_pipe
stale() {
    printf 'include all.d\nwith.ptx: ; @echo stale\n' >include.mk && touch -t 202001010000 with.wave parts/body.inc && touch -t 202001020000 with.ptx && touch -t 201901010000 parts/ends.inc
    "${MAKE:-make}" -s -f include.mk with.ptx >made 2>&1 && lacks made stale && touch -t 202001030000 parts/ends.inc && "${MAKE:-make}" -s -f include.mk with.ptx >made 2>&1 && has made stale
}
ok "make rebuilds when an included file changes" stale
bad_include() { printf '.include "a=b.inc"\n.kernel k\n halt\n.end\n' >bad_include.wave && : >a=b.inc && status 2 "$asm" -MD bad_include.wave && has err "make cannot read the name 'a=b.inc'" && absent bad_include.wbin; }
ok "an included file whose name make cannot read" bad_include
kept_include() { status 2 "$asm" with.wave -o parts/body.inc && has err "would be overwritten" && has parts/body.inc .kernel && status 2 "$wavec" --target=ptx with.wave -MF parts/ends.inc && has err "would be overwritten"; }
ok "an included file is not overwritten" kept_include

# ---- OpenCL C ----

# shellcheck disable=SC2016 # the name of a file
opencl() {
    mkdir -p 'cl/in c' && echo '#define A 1' >cl/a.h && echo '#define B 1' >'cl/in c/b #$x.h' &&
        printf '#include "a.h"\n#include "in c/b #$x.h"\n#include "a.h"\nkernel void k(global int *o) { o[0] = A + B; }\n' >cl/k.cl || return 1
    status 0 "$wavec" --target=ptx --target=hip -MD cl/k.cl -o cl/ && printf 'cl/k.ptx cl/k.hip: cl/k.cl cl/a.h cl/in\\ c/b\\ \\#$$x.h\n' | cmp - cl/k.d
}
opencl_unreadable() { echo '#define A 1' >cl/a=b.h && printf '#include "a=b.h"\nkernel void k(global int *o) { o[0] = A; }\n' >cl/e.cl && status 2 "$wavec" --target=ptx -MD cl/e.cl && has err "make cannot read the name 'cl/a=b.h'" && absent cl/e.ptx; }
if command -v "${WAVE_CLANG:-clang-22}" >/dev/null 2>&1; then
    ok "wavec names the files that OpenCL C includes" opencl
    ok "and rejects those that make cannot read" opencl_unreadable
else
    echo "  skipped, OpenCL C: clang-22 is not installed"
fi

# ---- Usage ----

for tool in "$wavec --target=ptx" "$asm"; do
    # shellcheck disable=SC2086 # a tool and its option
    last() { rm -f k.ptx && cp k.wbin kept && status 2 $tool k.wave -MF && has err "-MF needs the name of a file" && absent k.ptx && cmp k.wbin kept; }
    ok "${tool##*/}: -MF as the last word" last
    # shellcheck disable=SC2086
    empty_name() { status 2 $tool k.wave -MF "" && has err "-MF needs the name of a file"; }
    ok "${tool##*/}: -MF of an empty name" empty_name
    # shellcheck disable=SC2086
    other() { status 2 $tool -MX k.wave && has err "-MD or -MF FILE"; }
    ok "${tool##*/}: -M with something else" other
done

# ---- Names ----

# understood NAME: make finds the output out of date when the input of this name is newer, and only then.
understood() {
    rm -rf names && mkdir names && cp k.wave "names/$1.wave" && (cd names && "$wavec" --target=ptx -MF k.d "$1.wave") || return 1
    printf 'include k.d\n%%.ptx: ; @echo stale\n' >names/Makefile
    touch -t 202001010000 "names/$1.ptx"
    (cd names && "${MAKE:-make}" -s -- "$1.ptx") >made 2>&1
    has made stale || return 1
    touch -t 201901010000 "names/$1.wave"
    (cd names && "${MAKE:-make}" -s -- "$1.ptx") >made 2>&1
    lacks made stale && lacks made '***'
}
for name in 'a b' 'a#b' 'a$b' 'a$(b)' 'a:b' 'a*b' 'a?b' 'a[b]c' 'a~b' 'a&b' 'a(b)' "a'b" 'a"b' 'a,b' 'a!b' 'a@b' 'a+b' 'aéb' ' a' '#a' ':a' '$a'; do
    ok "make reads '$name'" understood "$name"
done
# A name that is a pattern stands for itself, not for a matching file.
pattern() { understood 'a[b]c' && touch names/abc.wave && cat names/k.d && (cd names && "${MAKE:-make}" -s -- 'a[b]c.ptx') >made 2>&1 && lacks made stale; }
ok "a name in brackets is not a pattern" pattern

# unreadable NAME: both tools reject it and write nothing.
unreadable() {
    rm -rf names && mkdir names && cp k.wave "names/$1.wave"
    status 2 "$wavec" --target=ptx -MF names/k.d "names/$1.wave" && has err "make cannot read the name" && status 2 "$asm" -MF names/k.d "names/$1.wave" && has err "make cannot read the name" &&
        absent names/k.d && absent "names/$1.ptx" && absent "names/$1.wbin"
}
for name in 'a=b' 'a;b' 'a|b' 'a%b' 'a\b' "a$(printf '\t')b" "a
b"; do
    ok "make cannot read '$name'" unreadable "$name"
done
ends() { for end in 'x&' 'x(y)' 'x\'; do status 2 "$wavec" --target=ptx -MF e.d k.wave -o "$end" && has err "make cannot read the name" && absent "$end" || return 1; done; }
ok "names whose end has a meaning in make" ends
home() { cp k.wave '~k.wave' && status 2 "$wavec" --target=ptx -MD '~k.wave' && has err "make cannot read the name" && status 0 "$wavec" --target=ptx -MD './~k.wave'; }
ok "a leading tilde" home
same() {
    rm -f same && status 2 "$wavec" --target=ptx -MD -MF same k.wave -o same && has err "-MF names the output same" && absent same &&
        status 2 "$asm" -MF same k.wave -o same && has err "-MF names the output same" && absent same &&
        echo 'kernel void k(global int *o) { }' >k.cl && status 2 "$bin/wave-cc" -MF same k.cl -o same && has err "-MF names the output same" && absent same
}
ok "-MF that names the output" same

finish cli/depend
