#!/bin/sh
# The files for editors: they know every mnemonic that the assembler knows, their patterns are right, and the problem matcher
# reads what wave-asm prints. Vim itself runs where it is installed. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
top=$(cd "$tests/.." && pwd)

check "the generator runs" 0 python3 "$top/editors/generate.py" made
cat >look.py <<'END'
import glob, json, re, subprocess, sys
top, wave_asm = sys.argv[1:]
grammar = json.load(open("made/vscode/syntaxes/wave.tmLanguage.json"))
patterns = [(p["name"].split(".wave")[0], re.compile(p["match"])) for p in grammar["patterns"]]

def scope(text, word):
    """What the word is in this line: the first pattern that begins earliest, as editors do it."""
    at, end = 0, text.index(word)
    while True:
        found = [(m.start(), k, m.end()) for k, (_, p) in enumerate(patterns) if (m := p.search(text, at)) and m.end() > m.start()]
        if not found:
            return None
        start, k, stop = min(found)
        if start <= end < stop:
            return patterns[k][0]
        if start > end:
            return None
        at = stop

for text, word, expected in (
        ("    iadd r1, r2, 5 ; sum", "iadd", "support.function"), ("    iadd r1, r2, 5 ; sum", "sum", "comment.line"),
        ("    @!p1 fma r1, r2, r3, r4", "@!p1", "keyword.operator.guard"), ("    endloop", "endloop", "keyword.control"),
        ("    mov i, sr_lane_id", "sr_lane_id", "constant.language.special-register"), (".arg x buffer f32 in", ".arg", "keyword.control.directive"),
        (".arg x buffer f32 in", "f32", "storage.type"), ("    atomic_add r1, r2, .device", ".device", "storage.modifier"),
        ("again:", "again", "entity.name.label"), ("    mov_imm r255, 0x10", "r255", "variable.language.register"),
        ("    mov_imm r255, 0x10", "0x10", "constant.numeric"),
        ("    mov_imm r1, 1_000.25", "1_000.25", "constant.numeric"), ("    mov_imm r1, 0xFF_00", "0xFF_00", "constant.numeric"), ("    assert_not p1", "assert_not", None)):
    got = scope(text, word)
    assert got == expected, f"{word!r} in {text!r} is {got}, not {expected}"

# every instruction in the test programs is an instruction for the editor too
seen = set()
for path in glob.glob(top + "/tests/programs/**/*.wave", recursive=True):
    for line in open(path, encoding="utf-8", errors="replace"):
        if m := re.match(r"\s+(?:@!?p\d\s+)?([a-z]\w*)\s+r\d+,", line):
            seen.add(m.group(1))
known = set(re.findall(r"\w+", " ".join(p["match"] for p in grammar["patterns"])))
mnemonics = {w.replace("\\", "") for p in grammar["patterns"] for w in re.split(r"[|()?:]", p["match"].replace("\\.", "."))}
missing = sorted(w for w in seen if w not in mnemonics and w not in known)
aliases = set(re.findall(r'_ALIAS\("([^"]+)"', open(top + "/src/isa/alias.def").read()))
assert not [w for w in missing if w not in aliases and not w.isupper()], missing
assert len(seen) > 100

matcher = json.load(open("made/vscode/package.json"))["contributes"]["problemMatchers"][0]["pattern"]
open("bad.wave", "w").write(".kernel k\n    iad r1, r2, r3\n    halt\n.end\n")
said = subprocess.run([wave_asm, "bad.wave", "-o", "bad.wbin"], capture_output=True, text=True).stderr
m = next(m for line in said.split("\n") if (m := re.match(matcher["regexp"], line)))
assert [m.group(matcher[k]) for k in ("file", "line", "column", "severity", "code")] == ["bad.wave", "2", "5", "error", "E_MNEMONIC"], m.groups()
END
ok "the grammar and the problem matcher" python3 look.py "$top" "$bin/wave-asm"
if command -v vim >/dev/null 2>&1 && vim --version | grep -q '+syntax'; then
    cp "$top/examples/saxpy.wave" k.wave
    cat >ask.vim <<'END'
set rtp^=made/vim
filetype plugin on
syntax on
edit k.wave
call search('^\s*fma\>')
call search('fma')
let what = synIDattr(synID(line('.'), col('.'), 1), 'name')
call writefile([&filetype, what], 'said')
qall!
END
    vim -Nu NONE -es -S ask.vim </dev/null >vim.out 2>&1
    ok "vim: the type of the file" has said wave
    ok "vim: an instruction" has said waveInstruction
else
    skipped "vim: it is not installed"
fi
finish "cli/editors"
