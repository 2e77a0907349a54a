#!/bin/sh
# wave-asm from the outside: exit statuses, files, standard streams, options. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

only() { # only FILE...: nothing else is in the folder "box"
    (cd box && ls -A) >listing
    printf '%s\n' "$@" | cmp -s - listing || { echo "box holds:"; cat listing; return 1; }
}

asm=$bin/wave-asm
printf '.kernel k\nmov r1, r2\nhalt\n.end\n' >good.wave
printf '.kernel k\niad r1, r2, r3\nhalt\n.end\n' >bad.wave
printf '.kernel k\n@p0 nop\nhalt\n.end\n' >warn.wave

default_output() {
    mkdir box && cp good.wave box/good.wave && status 0 "$asm" box/good.wave && empty out && empty err &&
        only good.wave good.wbin && cmp -n 4 box/good.wbin "$golden/allops.wbin"
}
ok "the default output is the input's name with .wbin" default_output

no_extension() { cp good.wave box/plain && status 0 "$asm" box/plain && [ -s box/plain.wbin ]; }
ok "a name without an extension gets one" no_extension
dotted_folder() { mkdir a.b && cp good.wave a.b/plain && status 0 "$asm" a.b/plain && [ -s a.b/plain.wbin ]; }
ok "a dot in the folder is not an extension" dotted_folder
own_name() { cp good.wave x.wbin && status 2 "$asm" x.wbin && cmp x.wbin good.wave; }
ok "the input is never overwritten" own_name

output_option() { status 0 "$asm" -o o1 good.wave && status 0 "$asm" good.wave -oo2 && status 0 "$asm" good.wave --output=o3 &&
    cmp o1 o2 && cmp o1 o3; }
ok "-o FILE, -oFILE, --output=FILE" output_option
streams() { "$asm" - <good.wave >s1 && "$asm" - -o s2 <good.wave && "$asm" good.wave -o - >s3 && cmp s1 o1 && cmp s2 o1 && cmp s3 o1; }
ok "standard input and output" streams
piped() { sed "" good.wave | "$asm" - | cmp - o1; }
ok "through pipes" piped

error_writes_nothing() {
    rm -rf box && mkdir box && cp bad.wave box && status 1 "$asm" box/bad.wave && only bad.wave && empty out &&
        has err "box/bad.wave:2:1: error: E_MNEMONIC: unknown instruction 'iad'" && has err "    iad r1, r2, r3" &&
        has err "    ^~~" && has err "did you mean 'iadd'?"
}
ok "an error: status 1, the place, a suggestion, no file" error_writes_nothing
error_keeps_old() { echo old >box/bad.wbin && status 1 "$asm" box/bad.wave && [ "$(cat box/bad.wbin)" = old ]; }
ok "an error leaves an older output unchanged" error_keeps_old
error_on_stdout() { status 1 "$asm" bad.wave -o - && empty out; }
ok "an error writes nothing to standard output" error_on_stdout
no_room() { status 2 "$asm" good.wave -o missing/x.wbin && has err "missing/x.wbin" && absent missing; }
ok "an output that cannot be written: status 2" no_room
no_input() { status 2 "$asm" missing.wave && has err "missing.wave"; }
ok "an input that cannot be read: status 2" no_input
folder() { status 2 "$asm" . ; }
ok "a folder as input: status 2" folder
if [ -w /dev/full ]; then
    full() { "$asm" good.wave -o - >/dev/full 2>err; [ $? -eq 2 ]; }
    ok "a full disk: status 2" full
fi

usage() { status 2 "$asm" && status 2 "$asm" good.wave bad.wave && status 2 "$asm" --nonsense good.wave &&
    status 2 "$asm" -W some good.wave && status 2 "$asm" --diagnostics=xml good.wave && status 2 "$asm" good.wave -o; }
ok "wrong usage: status 2" usage
misspelt() { status 2 "$asm" --dump-hxe good.wave && has err "--dump-hex"; }
ok "a misspelt option is recognised" misspelt
help() { status 0 "$asm" --help && has out "--compat-upstream" && has out "usage:" && status 0 "$asm" --version && has out "wave-asm "; }
ok "--help and --version" help

warnings() {
    status 0 "$asm" warn.wave -o w && has err "warning: W_P0_GUARD" && status 0 "$asm" -W none warn.wave -o w && empty err &&
        status 0 "$asm" -W all warn.wave -o w && has err "W_P0_GUARD" && rm w && status 1 "$asm" -W error warn.wave -o w &&
        has err "error: W_P0_GUARD" && absent w && status 1 "$asm" -Werror warn.wave -o w
}
ok "-W all, none, error" warnings

golden_files() { for stem in allops multikernel; do
    status 0 "$asm" --compat-upstream "$golden/$stem.wave" -o g && cmp g "$golden/$stem.wbin" || return 1
done; }
ok "--compat-upstream gives the golden bytes" golden_files
no_symbols() { status 0 "$asm" --no-symbols good.wave -o n && [ "$(wc -c <n)" -eq $((32 + 8 + 36)) ]; }
ok "--no-symbols" no_symbols
hex() {
    rm -rf box && mkdir box && cp good.wave box && status 0 "$asm" --dump-hex box/good.wave && only good.wave &&
        has out "00000000: 57 41 56 45 01 00 00 00 20 00 00 00 08 00 00 00" && has out "00000020: 00 02 01 41 90 00 00 3f 6b 00 01 00 00 00" &&
        [ "$(tail -c 1 out | od -An -c | tr -d ' ')" = '\n' ]
}
ok "--dump-hex prints the bytes and writes no file" hex
ast() { status 0 "$asm" --dump-ast box/good.wave && only good.wave && has out "kernel k" && has out "instruction mov" && has out "register r1" &&
    status 0 "$asm" --dump-ast box/good.wave -o box/x && [ -s box/x ]; }
ok "--dump-ast prints the statements" ast
apart() {
    rm -f apart.out && status 2 "$asm" --dump-hex good.wave -o apart.out && has err "-o and --dump-hex cannot be combined" && empty out && absent apart.out &&
        status 2 "$asm" --dump-hex -MD good.wave && has err "-MD and --dump-hex cannot be combined" && status 2 "$asm" --dump-ast -MF apart.out good.wave &&
        has err "-MD and --dump-ast cannot be combined without -o" && absent apart.out && status 0 "$asm" --dump-ast -MF apart.out good.wave -o ast.wbin && has apart.out "ast.wbin: good.wave"
}
ok "options about a file that is not written" apart
wide() { printf '.kernel k\n.reg x:4 = r253\n.reg y:2 = r255\n halt\n.end\n' >wide.wave && status 1 "$asm" wide.wave && has err "expected the first register of a quad, r0 to r252" && has err "expected the first register of a pair, r0 to r254"; }
ok "a pair or quad that ends after the last register" wide
long_include() { path=$(printf '%0120d' 0)/missing.inc && printf '.include "%s"\n' "$path" >long.wave && status 1 "$asm" long.wave && has err "cannot read '$path'"; }
ok "the whole path of a missing file" long_include
other_tools() {
    rm -f o.wbin && status 0 "$asm" good.wave -o good.bin && status 2 "$asm" good.bin -o o.wbin && has err "wave-asm: good.bin is a WBIN file: wave-dis writes its assembly" &&
        status 2 "$asm" - -o o.wbin <good.bin && has err "<stdin> is a WBIN file" && echo 'kernel void k(global int *o) { }' >k.cl && status 2 "$asm" k.cl -o o.wbin &&
        has err "wave-asm: k.cl is OpenCL C: wave-cc compiles it" && printf '\003\002\043\007\000\004\001\000' >k.spv && status 2 "$asm" k.spv -o o.wbin &&
        has err "wave-asm: k.spv is SPIR-V: wave-cc compiles it" && absent o.wbin
}
ok "files for other tools" other_tools
its_name() { printf 'WAVE_ORDER: nothing\n' >label.wave && status 1 "$asm" label.wave && lacks err "WBIN" && has err "label.wave:1:"; }
ok "a source that begins with the word" its_name
verbose() { status 0 "$asm" --verbose good.wave -o v && has err "good.wave: 1 kernel, 8 bytes of code, 78 bytes -> v" && empty out; }
ok "--verbose" verbose

if command -v python3 >/dev/null 2>&1; then
    json_errors() { status 1 "$asm" --diagnostics=json bad.wave && json err && has err '"code":"E_MNEMONIC"' && has err '"line":2,"column":1,"length":3' &&
        status 0 "$asm" --diagnostics=json good.wave -o j && json err; }
    ok "--diagnostics=json is valid JSON" json_errors
    json_garbage() { { echo x; cat "$golden/allops.wbin"; } >garbage.wave && status 1 "$asm" --diagnostics=json garbage.wave && json err; }
    ok "--diagnostics=json on binary garbage is valid JSON" json_garbage
fi

garbage() { { echo x; cat "$golden/allops.wbin"; } >garbage.wave && status 1 "$asm" garbage.wave && absent garbage.wbin && has err "is this a text file?"; }
ok "binary garbage" garbage
nothing() { : >empty.wave; status 1 "$asm" empty.wave && has err "E_NO_KERNELS" && absent empty.wbin; }
ok "an empty file" nothing
crlf() { printf '.kernel k\r\nmov r1, r2\r\nhalt\r\n.end\r\n' >crlf.wave && status 0 "$asm" crlf.wave -o c && cmp c o1; }
ok "lines that end in CR LF" crlf

ok "the fuzzer's dictionary has every mnemonic" sh "$tests/fuzz/make_asm_dict.sh" --check

# --- For editors: places with both columns, the file's own name, related places ---

cat >macro.wave <<'END'
.macro twice a
    iadd a, a, nothing
.endm
.kernel k
    twice r1
.end
END
editor() { status 1 "$asm" --diagnostics=json --stdin-filename=dir/ed.wave - -o x.wbin <macro.wave && json err &&
    has err '{"file":"dir/ed.wave","line":2,"column":16,"length":7,"end_column":23,"severity":"error","code":"E_SYMBOL","message":"' &&
    has err '"hint":"' && has err '"related":[{"file":"dir/ed.wave","line":5,"column":5,"source":"    twice r1","message":"in macro '"'twice'"', used here"}]'; }
ok "JSON for an editor" editor
chain() { status 1 "$asm" macro.wave -o x.wbin && has err "macro.wave:2:16: error: E_SYMBOL" && has err "  macro.wave:5:5: in macro 'twice', used here" &&
    has err "    twice r1"; }
ok "the macro chain" chain
nothing_wrong() { printf '.kernel k\nhalt\n.end\n' | status 0 "$asm" --diagnostics=json --stdin-filename=ed.wave - -o x.wbin && json err && has err '{"diagnostics":['; }
ok "JSON without errors" nothing_wrong

mkdir -p inc/sub
printf '.macro inc r\n    iadd r, r, STEP\n.endm\n' >inc/sub/m.inc
printf '.include "sub/m.inc"\n.kernel k\n.arg n u32\n    inc n\n    halt\n.end\n' >inc/k.wave
includes() { status 0 "$asm" -g -D STEP=3 inc/k.wave -o inc.wbin && status 0 "$bin/wave-dis" --source inc.wbin &&
    has out 'mov_imm r1, 3' && has out '.arg n u32' && has out '.loc "inc/k.wave", 4, 5'; }
ok "-D, -g, .include next to the file" includes
# Opening a pipe would wait for its writer, and a device has no end.
limited() { python3 -c 'import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], timeout=10).returncode)' "$@"; }
special() { rm -f inc/pipe && mkfifo inc/pipe && for file in pipe . /dev/zero; do
    printf '.include "%s"\n.kernel k\n    halt\n.end\n' $file >inc/special.wave
    status 1 limited "$asm" inc/special.wave && has err "E_INCLUDE" || return 1
done; }
ok ".include reads regular files only" special
missing_definition() { status 1 "$asm" inc/k.wave -o - && has err 'inc/sub/m.inc:2:16: error: E_SYMBOL' &&
    has err "inc/k.wave:4:5: in macro 'inc', used here"; }
ok "errors in macros show the file and the chain" missing_definition
wrong_definition() { status 1 "$asm" -D 4=5 good.wave -o - && has err 'E_SYMBOL'; }
ok "a wrong -D is an error" wrong_definition
stripped() { status 0 "$bin/wavec" --strip inc.wbin -o s.wbin && status 0 "$bin/wave-dis" --source s.wbin && has out '.arg "" u32' &&
    ! grep -q '.loc' out && status 2 "$bin/wavec" --strip inc.wbin; }
ok "wavec --strip" stripped
printf '.kernel k\n.reg i\n.pred q\nmov i, 1\nhalt\n.end\n' >named.wave
strip_names() { "$asm" -g named.wave -o named.wbin && grep -q regs named.wbin && status 0 "$bin/wavec" --strip named.wbin -o s.wbin && ! grep -q regs s.wbin &&
    "$asm" named.wave -o plain.wbin && cmp s.wbin plain.wbin; }
ok "wavec --strip removes the names of registers" strip_names
for text in '"i"' '"" = r1' '"i" = p1' '"i":3 = r1' '"\377" = r1' '"a\x00b" = r1'; do
    printf '.kernel k\n.registers 32\n.reg %b\nhalt\n.end\n' "$text" >quoted.wave
    check "a wrong quoted name: $text" 1 "$asm" quoted.wave -o quoted.wbin
done

finish wave_asm
