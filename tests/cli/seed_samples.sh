#!/bin/sh
# Every code sample of the seed documents (tests/seeds) assembles to the plain instructions after its ";=", or is rejected with
# the diagnostic that tests/seeds/forbidden.txt names. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
seeds=$tests/seeds

plain() { # plain FILE: the text after ";=" instead of the line, one instruction per line
    awk '{ at = index($0, ";= ") }
         at { n = split(substr($0, at + 3), part, / \| /); for (i = 1; i <= n; i++) print part[i]; next }
         { print }' "$1"
}
assembles() {
    status 0 "$bin/wave-asm" "$1" -o sample.wbin && plain "$1" >plain.wave && status 0 "$bin/wave-asm" plain.wave -o plain.wbin &&
        cmp sample.wbin plain.wbin && status 0 "$bin/wavec" --check sample.wbin
}
prints_ours() { # the text of wave-dis assembles to the same bytes, and has upstream's spelling except for extensions
    status 0 "$bin/wave-dis" sample.wbin -o text.wave && status 0 "$bin/wave-asm" text.wave -o again.wbin && cmp sample.wbin again.wbin &&
        lacks text.wave ';=' && { status 0 "$bin/wave-asm" --compat-upstream text.wave -o compat.wbin || only_extensions; }
}
only_extensions() { ! grep 'error:' err | grep -v -e 'the upstream assembler has no instruction' -e 'negated operands are an extension'; }
# Upstream reads hints and halves but ignores them.
read_upstream() { case $1 in *s0_6_9_hints.wave | *s0_3_2_halves.wave) return 0 ;; *) return 1 ;; esac; }
refused_upstream() { # every line that is spelled differently
    "$bin/wave-asm" --compat-upstream "$1" -o compat.wbin 2>err
    grep -n ';= ' "$1" | cut -d: -f1 | while read -r line; do
        has err "$(basename "$1"):$line:" || { echo "line $line is accepted"; exit 1; }
    done
}

count=0
for sample in "$seeds"/*.wave; do
    stem=$(basename "$sample" .wave)
    ok "$stem: the bytes of the plain spelling" assembles "$sample"
    ok "$stem: disassembled in our spelling" prints_ours
    read_upstream "$sample" || ok "$stem: --compat-upstream refuses it" refused_upstream "$sample"
    count=$((count + 1))
done
ok "the samples are there" [ "$count" -ge 43 ]

forbidden() { # forbidden LINE CODE PART
    printf '.kernel k\n%s\nhalt\n.end\n' "$1" >bad.wave
    status 1 "$bin/wave-asm" bad.wave -o bad.wbin && has err "bad.wave:2:" && has err "error: $2:" && has err "$3" && absent bad.wbin
}
trim() { printf '%s' "$1" | sed 's/^ *//; s/ *$//'; }
grep -v '^#' "$seeds/forbidden.txt" >forbidden
while IFS='|' read -r where line code part decision; do
    ok "$(trim "$where"):$line" forbidden "$(trim "$line")" "$(trim "$code")" "$(trim "$part")"
    ok "$(trim "$where"):$line names a decision" [ -n "$(trim "$decision")" ]
done <forbidden

# The command lines of S3.
cp "$seeds/s3_trace.wave" kernel.wave
"$bin/wave-asm" kernel.wave -o kernel.wbin
check "S3: --wave-width 64" 0 "$bin/wave-emu" kernel.wbin --wave-width 64
check "S3: --wave-width 16" 0 "$bin/wave-emu" kernel.wbin --wave-width 16
check "S3: --trace" 0 "$bin/wave-emu" kernel.wbin --trace
ok "S3: the trace names wave, lane, place, instruction and values" grep -E 'wave 0.*lane 0.*0x0*.*iadd r2, r0, r1.*r0=0 r1=0.*r2=0' err out
check "S3: --mem-trace" 0 "$bin/wave-emu" kernel.wbin --mem-trace
check "S3: --break 0x000" 0 sh -c "echo c | '$bin/wave-emu' kernel.wbin --break 0x000"
finish seed_samples
