#!/usr/bin/env python3
"""generate.py FOLDER: syntax highlighting of WAVE assembly for editors, from the instruction tables.

FOLDER/vscode is an extension for VS Code (a TextMate grammar, which other editors read too, and a problem matcher for the
tools' diagnostics); FOLDER/vim belongs on the runtime path of Vim. Both know every instruction of src/isa/isa.def, every special
register, and the directives below."""
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIRECTIVES = """align arg ascii assert const constant else end endif endm f32 f64 if include kernel loc local_memory macro pred
private_memory reg registers u16 u32 u8 workgroup_size""".split()
SUFFIXES = "acq_rel acquire cached cluster device hi lo release seq_cst streaming system uncached wave workgroup".split()
TYPES = "u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 buffer bytes local in out inout restrict contained".split()
# file:line:column: error: E_CODE: message
DIAGNOSTIC = r"^(.*?):(\d+):(\d+): (error|warning): (?:([EW]_[A-Z0-9_]+): )?(.*)$"


def rows(path, macro):
    """The first quoted name of each row of a table."""
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return re.findall(macro + r'\([^"\n]*"([^"]+)"', file.read())


def instructions():
    names = rows("src/isa/isa.def", "INSN") + rows("src/isa/tile.def", "TILE_NAME")
    assert len(names) > 200, "the instruction table has an unknown form"
    return sorted(set(names))


def control(names):
    return [n for n in names if n in ("if", "else", "endif", "loop", "break", "continue", "endloop", "call", "return", "halt", "barrier")]


def any_of(words):
    """A pattern that matches one of the words; longer words come first, so that no word hides another."""
    return "(?:" + "|".join(re.escape(w) for w in sorted(words, key=lambda w: (-len(w), w))) + ")"


def grammar():
    names, special = instructions(), rows("src/isa/special.def", "SPECIAL")
    flow = control(names)
    word = r"(?<![\w.])%s(?!\w)"
    suffix = r"\.(?:%s)\b" % "|".join(SUFFIXES)
    patterns = [
        ("comment.line.wave", r"(?:;|#|//).*$"),
        ("string.quoted.double.wave", r'"(?:[^"\\]|\\.)*"'),
        ("keyword.control.directive.wave", r"^\s*\.%s\b" % any_of(DIRECTIVES)),
        ("keyword.operator.guard.wave", r"@!?\w+"),
        ("entity.name.label.wave", r"^\s*[A-Za-z_]\w*:(?!\w)"),
        ("keyword.control.wave", word % any_of(flow)),
        ("support.function.wave", word % any_of([n for n in names if n not in flow])),
        ("constant.language.special-register.wave", word % any_of(special)),
        ("storage.modifier.wave", suffix),
        ("variable.language.register.wave", r"\b(?:r(?:25[0-5]|2[0-4]\d|1?\d?\d)|p[0-3])\b"),
        ("storage.type.wave", r"\b%s\b" % any_of(TYPES)),
        ("constant.numeric.wave", r"\b(?:0x[0-9a-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]+)?)\b"),
    ]
    return {"$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json", "name": "WAVE assembly",
            "scopeName": "source.wave", "fileTypes": ["wave"], "patterns": [{"name": n, "match": m} for n, m in patterns]}


def extension(version):
    return {
        "name": "wave-assembly", "displayName": "WAVE assembly", "description": "Highlighting of WAVE assembly, and the problems that wave-asm finds",
        "version": version, "publisher": "wave", "engines": {"vscode": "^1.60.0"}, "categories": ["Programming Languages"],
        "contributes": {
            "languages": [{"id": "wave", "aliases": ["WAVE assembly"], "extensions": [".wave"], "configuration": "./language-configuration.json"}],
            "grammars": [{"language": "wave", "scopeName": "source.wave", "path": "./syntaxes/wave.tmLanguage.json"}],
            "problemMatchers": [{
                "name": "wave", "owner": "wave", "fileLocation": ["relative", "${workspaceFolder}"],
                "pattern": {"regexp": DIAGNOSTIC, "file": 1, "line": 2, "column": 3, "severity": 4, "code": 5, "message": 6}}],
        },
    }


CONFIGURATION = {
    "comments": {"lineComment": ";"}, "brackets": [["[", "]"], ["(", ")"]],
    "indentationRules": {"increaseIndentPattern": r"^\s*(?:if|else|loop)\b", "decreaseIndentPattern": r"^\s*(?:else|endif|endloop)\b"},
    "folding": {"markers": {"start": r"^\s*\.(?:kernel|macro)\b", "end": r"^\s*\.(?:end|endm)\b"}},
}


def vim_syntax():
    names, special = instructions(), rows("src/isa/special.def", "SPECIAL")
    flow = control(names)
    lines = ['" WAVE assembly, from the instruction tables', 'if exists("b:current_syntax") | finish | endif', "syn case match",
             "syn iskeyword @,48-57,_"]
    lines += [f"syn keyword waveFlow {' '.join(flow)}"]
    plain = [n for n in names if n not in flow]
    for k in range(0, len(plain), 12):
        lines.append(f"syn keyword waveInstruction {' '.join(plain[k:k + 12])}")
    lines += [f"syn keyword waveSpecial {' '.join(special)}", f"syn keyword waveType {' '.join(TYPES)}",
              r"syn match waveDirective /^\s*\zs\.\%(" + r"\|".join(DIRECTIVES) + r"\)\>/",
              r"syn match waveSuffix /\.\%(" + r"\|".join(SUFFIXES) + r"\)\>/",
              r"syn match waveRegister /\<\%(r\d\{1,3}\|p[0-3]\)\>/", r"syn match waveGuard /@!\?\w\+/",
              r"syn match waveLabel /^\s*\zs\h\w*:/",
              r"syn match waveNumber /\<\%(0x[0-9a-fA-F_]\+\|\d[0-9_]*\%(\.[0-9_]*\)\?\%([eE][+-]\?[0-9_]\+\)\?\)\>/",
              r'syn region waveString start=/"/ skip=/\\./ end=/"/ oneline', r"syn match waveComment /\%(;\|#\|\/\/\).*$/"]
    groups = {"Flow": "Statement", "Instruction": "Function", "Special": "Constant", "Type": "Type", "Directive": "PreProc", "Suffix": "StorageClass",
              "Register": "Identifier", "Guard": "Operator", "Label": "Label", "Number": "Number", "String": "String", "Comment": "Comment"}
    lines += [f"hi def link wave{name} {group}" for name, group in groups.items()]
    return "\n".join(lines + ['let b:current_syntax = "wave"', ""])


VIM = {
    "ftdetect/wave.vim": "au BufRead,BufNewFile *.wave setfiletype wave\n",
    "ftplugin/wave.vim": "setlocal commentstring=;\\ %s comments=:; shiftwidth=4 expandtab\ncompiler wave\n",
    "compiler/wave.vim": 'let current_compiler = "wave"\nCompilerSet makeprg=wave-asm\\ %:S\\ -o\\ /dev/null\n'
                         "CompilerSet errorformat=%f:%l:%c:\\ %trror:\\ %m,%f:%l:%c:\\ %tarning:\\ %m,%-G%.%#\n",
}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = sys.argv[1]
    with open(os.path.join(TOP, "include/wave/wave.h"), encoding="utf-8") as file:
        version = re.search(r'WAVE_VERSION_TEXT *"([^"]+)"', file.read()).group(1)
    for name, value in (("package.json", extension(version)), ("language-configuration.json", CONFIGURATION),
                        ("syntaxes/wave.tmLanguage.json", grammar())):
        write(f"{out}/vscode/{name}", json.dumps(value, indent=2) + "\n")
    write(f"{out}/vim/syntax/wave.vim", vim_syntax())
    for name, text in VIM.items():
        write(f"{out}/vim/{name}", text)


if __name__ == "__main__":
    main()
