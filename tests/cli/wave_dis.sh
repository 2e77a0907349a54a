#!/bin/sh
# wave-dis from the outside: exit statuses, standard streams, options, JSON. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

asm=$bin/wave-asm
dis=$bin/wave-dis
printf '.kernel k\nmov_imm r1, 10\ncall f\nhalt\nf: return\n.end\n' >k.wave
"$asm" k.wave -o k.wbin || exit 2
printf '.kernel k\n.registers 32\n    mov_imm r1, 0xA\n    call loc_0_0014\n    halt\nloc_0_0014:\n    return\n.end\n' >k.expected

plain() { status 0 "$dis" k.wbin && cmp out k.expected && empty err; }
ok "text on standard output" plain
streams() { "$dis" - <k.wbin | cmp - k.expected && status 0 "$dis" k.wbin -o t && empty out && cmp t k.expected; }
ok "standard input, and -o" streams
again() { for stem in allops forms; do
    "$asm" -W none "$golden/$stem.wave" -o a && "$dis" a | "$asm" - -o b && cmp a b &&
        "$asm" -W none --no-symbols "$golden/$stem.wave" -o a && "$dis" a | "$asm" - -o b && cmp a b || return 1
done; }
ok "the text assembles to the same bytes, with names and without" again

offsets() { status 0 "$dis" --offsets k.wbin && has out "    0x0000: mov_imm r1, 0xA" && has out "    0x0008: call loc_0_0014"; }
ok "--offsets: in the kernel, as everywhere" offsets
file_offsets() { status 0 "$dis" --file-offsets k.wbin && has out "    0x0020: mov_imm r1, 0xA"; }
ok "--file-offsets" file_offsets
raw() { status 0 "$dis" --raw k.wbin && has out "    41010010  mov_imm r1, 0xA" && has out "        0000000A"; }
ok "--raw" raw
both() { status 0 "$dis" --raw --offsets k.wbin && has out "    0x0000: 41010010  mov_imm r1, 0xA"; }
ok "--offsets --raw" both
escape=$(printf '\033')
colors() { status 0 "$dis" k.wbin && lacks out "$escape" && status 0 "$dis" --color=always k.wbin && has out "$escape" &&
    status 0 "$dis" --color=never k.wbin && lacks out "$escape" && status 2 "$dis" --color=perhaps k.wbin; }
ok "colours only on request or on a terminal" colors

echo text >nothing.txt
# Replaces the first word with one that does not encode any instruction.
{ head -c 32 k.wbin; printf '\000\000\000\377'; tail -c +37 k.wbin; } >unknown.wbin
unknown() { status 1 "$dis" unknown.wbin && has out "    .unknown 0xFF ; FF000000" && has out "    halt" && has err "unknown.wbin:k+0x00: error: E_OPCODE"; }
ok "words that do not decode: status 1, the rest is printed" unknown
assembly() { status 0 "$dis" k.wave && cmp out k.expected && empty err && "$dis" - <k.wave | cmp - k.expected; }
ok "a source is assembled first" assembly
wrong() { printf '.kernel k\niad r1, r2, r3\n.end\n' >bad.wave; status 1 "$dis" bad.wave && empty out && has err "bad.wave:2:1: error: E_MNEMONIC"; }
ok "a source with errors: status 1, no text" wrong
# The lines of k.wave by hand: mov_imm on 2, call on 3, halt on 4, the label's return on 5, after "f: ".
cat >source.expected <<'END'
.kernel k
.registers 32
.loc "k.wave", 2, 1 ; mov_imm r1, 10
    mov_imm r1, 0xA
.loc "k.wave", 3, 1 ; call f
    call loc_0_0014
.loc "k.wave", 4, 1 ; halt
    halt
loc_0_0014:
.loc "k.wave", 5, 4 ; f: return
    return
.end
END
source() { status 0 "$dis" --source k.wave && cmp out source.expected; }
ok "--source: the lines" source
lines() { "$asm" -g k.wave -o g.wbin && status 0 "$dis" --source g.wbin && cmp out source.expected && "$asm" - -o again.wbin <out && cmp again.wbin g.wbin &&
    status 0 "$dis" g.wbin && cmp out k.expected; }
ok "--source of a file with lines, whose text assembles to the same bytes" lines
# Names: i and v take the lowest free registers (r0 belongs to n, r3 has a name), so r1 and the pair r4; the macro's own t takes the next, r2;
# inside takes the first predicate, p1.
cat >named.wave <<'END'
.macro twice x
.reg t
    iadd t, x, x
    mov x, t
.endm
.kernel k
.arg n u32
.reg i, v:2, fixed = r3
.pred inside
    mov i, n
    twice i
    icmp_lt inside, i, fixed
    cvt_f64_u32 v, i
    halt
.end
END
cat >names.expected <<'END'
.reg "i" = r1
.reg "v":2 = r4
.reg "fixed" = r3
.pred "inside" = p1
.reg "t" = r2
END
names() { "$asm" -g named.wave -o named.wbin && status 0 "$dis" --source named.wbin && grep -E '^\.(reg|pred) ' out | cmp - names.expected &&
    "$asm" - -o again.wbin <out && cmp again.wbin named.wbin; }
ok "--source: names of registers, whose text assembles to the same bytes" names
no_names() { "$asm" named.wave -o plain.wbin && status 0 "$dis" --source plain.wbin && lacks out ".reg " && status 0 "$dis" named.wbin && lacks out ".reg "; }
ok "names of registers are for -g and --source" no_names
# The second file's record is overridden, the third's follows the last instruction: the WBIN file contains
# neither.
printf '.kernel k\n.loc "a.c", 1\nnop\n.loc "b.c", 2\n.loc "c.c", 3\nhalt\n.loc "d.c", 4\n.end\n' >places.wave
places() { "$asm" places.wave -o places.wbin && ! grep -q 'b\.c' places.wbin && ! grep -q 'd\.c' places.wbin && status 0 "$dis" --source places.wbin &&
    "$asm" - -o again.wbin <out && cmp again.wbin places.wbin; }
ok "only files that lines refer to" places
moved() { mkdir -p elsewhere && (cd elsewhere && status 0 "$dis" --source ../g.wbin && has out '.loc "k.wave", 2, 1' && lacks out " ; "); }
ok "--source when the source does not exist" moved
pipes() { rm -f pipe && mkfifo pipe && "$asm" -g - --stdin-filename pipe -o pipe.wbin <k.wave && status 0 "$dis" --source pipe.wbin && has out '.loc "pipe", 2'; }
ok "a name that is a pipe is not opened" pipes
not_wbin() { status 1 "$dis" nothing.txt && empty out && has err "E_MAGIC" && : >nothing && status 1 "$dis" - <nothing && empty out && has err "E_TOO_SMALL"; }
ok "not a WBIN file: status 1, no text" not_wbin
truncated() { head -c 60 k.wbin >short.wbin; status 1 "$dis" short.wbin && empty out; }
ok "a truncated file: status 1" truncated
usage() { status 2 "$dis" && status 2 "$dis" k.wbin k.wbin && status 2 "$dis" --strict --lenient k.wbin && status 2 "$dis" missing.wbin &&
    status 2 "$dis" --nonsense k.wbin && status 2 "$dis" k.wbin -o missing/x; }
ok "wrong usage and I/O errors: status 2" usage
help() { status 0 "$dis" --help && has out "--fix-upstream-cas" && status 0 "$dis" --version && has out "wave-dis "; }
ok "--help and --version" help
closed() { "$asm" -W none "$golden/allops.wave" -o a && { "$dis" a; echo $? >code; } 2>err | head -n 1 >/dev/null; [ "$(cat code)" -eq 0 ] || [ "$(cat code)" -eq 2 ]; }
ok "a closed pipe does not kill it" closed

stripped() { "$asm" --compat-upstream --no-symbols k.wave -o s && status 1 "$dis" s && has err "E_META_OFFSET" &&
    status 0 "$dis" --compat s && has out ".kernel" && status 0 "$dis" --lenient s; }
ok "--compat and --lenient read upstream's stripped files" stripped
cas() { printf '.kernel k\natomic_cas r1, r2, r3, r4, .device\n.end\n' >c.wave && "$asm" --compat-upstream c.wave -o c && status 0 "$dis" c &&
    has out "atomic_add r1, r2, r3, .device" && has err "W_UPSTREAM_CAS" && status 0 "$dis" --fix-upstream-cas c &&
    has out "atomic_cas r1, r2, r3, r4, .device" && empty err; }
ok "--fix-upstream-cas" cas
limits() { status 1 "$dis" "$golden/multikernel.wbin" && has err "E_REGISTER_COUNT" && status 0 "$dis" --lenient "$golden/multikernel.wbin" &&
    has out ".registers 300" && has out ".workgroup_size 64, 2, 1" && has out ".local_memory 128"; }
ok "files over a limit with --lenient" limits

if command -v python3 >/dev/null 2>&1; then
    cat >check.py <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
k = d["kernels"][0]
assert k["name"] == "k" and k["registers"] == 32 and k["workgroup_size"] == [0, 0, 0] and k["code_size"] == 24, k
i = k["instructions"]
assert [x["pc"] for x in i] == [0, 8, 16, 20], i
assert i[0]["words"] == ["0x41010010", "0x0000000A"] and i[0]["mnemonic"] == "mov_imm", i
assert i[0]["operands"] == ["r1", "0xA"] and i[0]["guard"] is None and i[0]["text"] == "mov_imm r1, 0xA", i
assert i[3]["label"] == "loc_0_0014", i
PY
    json() { status 0 "$dis" --json k.wbin && python3 check.py out; }
    ok "--json" json
    json_unknown() { status 1 "$dis" --json --diagnostics=json unknown.wbin && python3 -c 'import json; json.load(open("out")); json.load(open("err"))'; }
    ok "--json and --diagnostics=json of a bad file" json_unknown
    # One record of each section, with the values of the source.
    cat >all.wave <<'PY'
.constant table
    .u8 1, 2, 255
.kernel first
.private_memory 8
.arg x buffer f32 in restrict
.arg n u64
.reg i, v:2
.pred small
    icmp_eq small, i, 0
    .assert small, 5, "a \"text\""
    constant_load_u8 i, [table]
    private_store_u32 [i], i
    cvt_f64_u32 v, i
    halt
.end
.kernel second
    halt
.end
PY
    cat >all.py <<'PY'
import json, sys
d = json.load(open("out"))
assert d["sections"] == ["ARGS", "line", "text", "PRIV", "CNST", "regs"], d["sections"]
assert d["constants"] == "0102ff" or d["constants"] == "0102FF", d["constants"]
assert d["messages"] == [{"id": 5, "text": 'a "text"'}], d["messages"]
k, other = d["kernels"]
assert k["private_memory"] == 8 and other["private_memory"] == 0
x, n = k["arguments"]
assert x == {"name": "x", "kind": "buffer", "type": "f32", "access": "in", "restrict": True, "contained": False, "first_word": 0, "words": 1}, x
assert n == {"name": "n", "kind": "scalar", "type": "u64", "first_word": 1, "words": 2}, n
assert [(r["name"], r["register"], r["width"]) for r in k["names"]] == [("i", "r3", 1), ("v", "r4", 2), ("small", "p1", 1)], k["names"]
assert k["lines"][0] == {"pc": 0, "file": "all.wave", "line": 9, "column": 5}, k["lines"]
assert [line["line"] for line in k["lines"]] == [9, 10, 11, 12, 13, 14], k["lines"]
assert other["arguments"] == other["names"] == [] and other["lines"][0]["line"] == 17
PY
    json_sections() { "$asm" -g all.wave -o all.wbin && status 0 "$dis" --json all.wbin && python3 all.py; }
    ok "--json: sections" json_sections
    json_none() { status 0 "$dis" --json k.wbin && python3 -c 'import json; d = json.load(open("out")); assert d["sections"] == [] and "lines" not in d["kernels"][0]'; }
    ok "--json: no sections" json_none
    reflected() { status 0 "$bin/wavec" --reflect all.wbin && python3 -c '
import json
a, b = json.load(open("out"))["kernels"]
assert (a["private_memory"], a["constant_memory"]) == (8, 3) and (b["private_memory"], b["constant_memory"]) == (0, 0), (a, b)'; }
    ok "wavec --reflect: private and constant memory" reflected
    json_names() { printf '.kernel "a\\"\\\\\\x01\\x0a"\nnop\n.end\n' >q.wave && "$asm" q.wave -o q && status 0 "$dis" --json q &&
        python3 -c 'import json; assert json.load(open("out"))["kernels"][0]["name"] == "a\"\\\x01\n"'; }
    ok "--json of a quoted name" json_names
fi

finish wave_dis
