#!/bin/sh
# Writes tests/fuzz/fuzz_asm.dict from the tables: every mnemonic and special register, and the rest of the syntax.
# With --check it only reports whether the file is up to date.
set -eu
cd "$(dirname "$0")/../.."
dict=tests/fuzz/fuzz_asm.dict
new=$(
    echo '# Written by tests/fuzz/make_asm_dict.sh.'
    sed -n 's/^INSN([A-Z0-9_]*, *\("[a-z0-9_]*"\).*/\1/p' src/isa/isa.def
    sed -n 's/^TILE_NAME([A-Z0-9_]*, [A-Z0-9]*, *\("[a-z0-9_]*"\).*/\1/p' src/isa/tile.def
    sed -n 's/^SPECIAL([A-Z0-9_]*, *\("[a-z0-9_]*"\).*/\1/p' src/isa/special.def
    sed -n 's/^[A-Z]*_ALIAS(\("[a-z0-9_]*"\).*/\1/p' src/isa/alias.def
    for word in .kernel .end .registers .local_memory .workgroup_size .cached .uncached .streaming \
        .wave .workgroup .device .system r0 r255 .lo .hi p0 p3 @p1 @!p0 !p2 0x 1e10 -1 ';' '#' ': ' \
        .arg .reg .pred .const .macro .endm .include .if .else .endif .constant .u8 .u16 .u32 .f32 .f64 .ascii .align .loc .assert \
        .private_memory .acquire .release .acq_rel .seq_cst .cluster buffer local bytes restrict contained in out inout \
        u32 f16 t0 t15 row col device '[' ']' ' + ' '*4' '(' ')' ' = ' ' = r9' ' = p2' ':2' 'sizeof(' 'defined(' '//' r0:r1 '(p1)' ADD SR_LANE_ID '<<' '&&' '=='; do
        printf '"%s"\n' "$word"
    done
    printf '"%s"\n' '\x0a' '\"' '\\x'
)
if [ "${1:-}" = --check ]; then
    [ "$new" = "$(cat $dict)" ] || { echo "$dict is out of date: run $0"; exit 1; }
else
    printf '%s\n' "$new" >$dict
fi
