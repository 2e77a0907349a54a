#!/bin/sh
# wavec --check from the outside: exit statuses, the summary, reports as text and JSON, streams, usage errors.
# Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

word() { # word HEX: four bytes, lowest first
    for byte in "$(echo "$1" | cut -c7-8)" "$(echo "$1" | cut -c5-6)" "$(echo "$1" | cut -c3-4)" \
        "$(echo "$1" | cut -c1-2)"; do
        # shellcheck disable=SC2059 # the octal escape is the point
        printf "\\$(printf %03o "0x$byte")"
    done
}

# file NAME WORD...: a file with one kernel `k` of 32 registers
file() {
    to=$1
    shift
    size=$(printf %08x $(($# * 4)))
    symbols=$(printf %08x $((32 + $# * 4)))
    metadata=$(printf %08x $((34 + $# * 4)))
    {
        printf WAVE
        word 00000001
        word 00000020
        word "$size"
        word "$symbols"
        word 00000002
        word "$metadata"
        word 00000024
        for w in "$@"; do word "$w"; done
        printf 'k\0'
        word 00000001
        word "$symbols"
        word 00000020
        for w in 00000000 00000000 00000000 00000000 00000000; do word $w; done
        word "$size"
    } >"$to"
}

cat >good.wave <<'END'
.kernel scale
.registers 8
.workgroup_size 64, 1, 1
    mov r3, sr_thread_id_x
    mov_imm r4, 4
    imul r3, r3, r4
    iadd r3, r3, r0
    device_load_u32 r5, r3
    fmul r5, r5, r1
    device_store_u32 r3, r5
    halt
.end
.kernel sum
    wave_reduce_add r2, r0
    local_store_u32 r1, r2
    barrier
    halt
.end
END

check "source" 0 "$wavec" --check good.wave
silent err
said out "scale: instructions=8 registers=8 local=0 workgroup=64x1x1 arguments=2"
said out "sum: instructions=4 registers=32 local=0 workgroup=any arguments=2 uses=local,wave-ops,barrier"

"$bin/wave-asm" good.wave -o good.wbin || exit 2
check "WBIN" 0 "$wavec" --check --strict good.wbin
said out "scale: instructions=8"
check "WBIN on standard input" 0 sh -c '"$0" --check - <good.wbin' "$wavec"
said out "scale: instructions=8"
check "source on standard input" 0 sh -c '"$0" --check - <good.wave' "$wavec"
said out "sum: instructions=4"
check "a pipe" 0 sh -c 'cat good.wbin | "$0" --check -' "$wavec"
said out "sum: instructions=4"

printf '.kernel k\n    iadd r1, r2\n    hlt\n.end\n' >bad.wave
check "errors of the assembler" 1 "$wavec" --check bad.wave
silent out
said err "bad.wave:2:"
said err "E_OPERAND_COUNT"
said err "E_MNEMONIC"

# Every problem is reported, with its place, text and hint.
file many.wbin 3f000020 00010208 03000000 28040200 03000000 3f000090
check "several problems" 1 "$wavec" --check many.wbin
silent out
said err "many.wbin:k+0x00: error: E_ENDIF:"
said err "many.wbin:k+0x04: warning: W_RESERVED:"
said err "    iadd r1, r2, r3"
said err "many.wbin:k+0x0c: error: E_PRED_INDEX:"
said err "    icmp_eq p4, r2, r3"
said err "    hint: predicates are p0 to p3"
check "--max-errors" 1 "$wavec" --check --max-errors 1 many.wbin
said err "2 more not shown"
check "JSON" 1 "$wavec" --check --diagnostics=json many.wbin
said err '"code":"E_ENDIF"'
said err '"kernel":"k","offset":12'
said err '"errors":2,"warnings":1,"not_shown":0}'
check "JSON without problems" 0 "$wavec" --check --diagnostics json good.wbin
said err '"errors":0,"warnings":0,"not_shown":0}'

file reserved.wbin 00010208 03000000 3f000090
check "reserved bits" 0 "$wavec" --check reserved.wbin
said err "warning: W_RESERVED"
check "reserved bits, strict" 1 "$wavec" --check --strict reserved.wbin
said err "error: E_RESERVED"
file register.wbin 07200000 3f000090
check "register" 1 "$wavec" --check register.wbin
said err "E_REGISTER"
check "register, lenient" 0 "$wavec" --check --lenient register.wbin
said err "warning: E_REGISTER"
file cas.wbin 3d010200 03040002 3f000090
check "upstream's CAS" 0 "$wavec" --check cas.wbin
said err "W_UPSTREAM_CAS"
check "upstream's CAS, read as one" 0 "$wavec" --check --strict --fix-upstream-cas cas.wbin
said err "W_ARGUMENT_GAP"
check "upstream's file" 1 "$wavec" --check "$golden/multikernel.wbin"
said err "E_REGISTER_COUNT"

"$bin/wave-asm" --compat-upstream --no-symbols good.wave -o stripped.wbin || exit 2
check "stripped" 1 "$wavec" --check stripped.wbin
said err "E_META_OFFSET"
check "stripped, compat" 0 "$wavec" --check --compat stripped.wbin
said out "(anonymous): instructions=8"

: >empty.wbin
check "empty file" 1 "$wavec" --check empty.wbin
said err "E_TOO_SMALL"
check "something else" 1 "$wavec" --check "$wavec"
said err "E_MAGIC"

check "no such file" 2 "$wavec" --check nothing.wbin
said err "wavec: cannot read nothing.wbin"
check "a folder" 2 "$wavec" --check .
said err "wavec: cannot read ."
check "no file" 2 "$wavec" --check
said err "no input file"
check "two files" 2 "$wavec" --check good.wbin good.wbin
said err "unexpected operand"
check "nothing to do" 2 "$wavec" good.wbin
said err "nothing to do"
check "unknown option" 2 "$wavec" --check --strct good.wbin
said err "did you mean --strict?"
check "contradiction" 2 "$wavec" --check --strict --lenient good.wbin
said err "cannot be combined"
check "bad number" 2 "$wavec" --check --max-errors=x good.wbin
said err "--max-errors"
check "bad format" 2 "$wavec" --check --diagnostics=xml good.wbin
said err "text or json"
check "missing value" 2 "$wavec" --check good.wbin --diagnostics
said err "needs a value"
check "a value for an option without one" 2 "$wavec" --check=yes good.wbin
said err "takes no value"
check "help" 0 "$wavec" --help
said out "usage: wavec --target=ptx"
check "version" 0 "$wavec" --version
said out "wavec 0."
check "options after --" 2 "$wavec" --check -- --strict
said err "cannot read --strict"

if [ -w /dev/full ]; then
    check "full disk" 2 sh -c '"$0" --check good.wbin >/dev/full' "$wavec"
    said err "cannot write to standard output"
fi
check "closed pipe" 0 sh -c '{ "$0" --check good.wbin; echo $? >status; } | :' "$wavec"
# The reader may close the pipe before or after the write: a clean status either way, never a
# signal.
case $(cat status) in
0 | 2) passed=$((passed + 1)) ;;
*) failed=$((failed + 1)); echo "FAILED: closed pipe: status $(cat status)" ;;
esac

# ---- Lanes of a wave that access the same bytes ----

# meet NAME BYTES: each lane stores its word and loads the word BYTES further on
meet() {
    cat >"$1" <<END
.kernel meet
.registers 12
.local_memory 256
    mov_sr r2, sr_lane_id
    mov_imm r3, 2
    shl r4, r2, r3
    local_store_u32 r4, r2
    mov_imm r5, $2
    iadd r6, r4, r5
    local_load_u32 r7, r6
    iadd r8, r0, r4
    device_store_u32 r8, r7
    halt
.end
END
}
meet next.wave 4
meet own.wave 0
check "a lane that loads another's word" 0 "$wavec" --check next.wave
said err "next.wave:10:5: warning: W_WAVE_ORDER: "
said err "writes at 0x0014 (local_store_u32 r4, r2)"
said err "hint: put a fence_acq_rel .wave between them"
said out "meet: instructions=10"
check "as JSON" 0 "$wavec" --check --diagnostics=json next.wave
said err '"code":"W_WAVE_ORDER"'
check "a lane that loads its own" 0 "$wavec" --check own.wave
silent err
check "lockstep fixes it" 0 "$wavec" --check --wave-order=lockstep next.wave
silent err
check "the compiler warns too" 0 "$wavec" --target=ptx --target=hip --target=msl next.wave
ok "once, not for every target" sh -c '[ "$(grep -c W_WAVE_ORDER err)" = 1 ]'
check "unless it inserts a fence" 0 "$wavec" --target=ptx --wave-order=lockstep next.wave -o next.ptx
silent err
ok "it does" grep -q 'bar.warp.sync' next.ptx
check "not where the word is the lane's own" 0 "$wavec" --target=ptx --wave-order=lockstep own.wave -o own.ptx
ok "it does not" sh -c '! grep -q bar.warp.sync own.ptx'
check "the description says that the workgroup must be a row" 0 "$wavec" --reflect --target=sycl --wave-order=lockstep own.wave
said out '"row": true, "shape": true'
check "and without the option that it need not be" 0 "$wavec" --reflect --target=sycl own.wave
said out '"row": false'
check "no such order" 2 "$wavec" --target=ptx --wave-order=weak next.wave
said err "--wave-order is fences or lockstep, not 'weak'"

finish wavec_check
