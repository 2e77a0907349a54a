#!/bin/sh
# The memory model in the tools: wave-emu --check=race, --wave-order and --memory, and wave-test's verdict on programs
# with and without a race. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
tools=$(dirname "$bin")/tests

# exchange FENCE LINE: every lane stores its number and loads its neighbour's.
exchange() {
    cat <<END
;@ test    lanes of a wave exchange words
;@ group   W
;@ buffer  out u32 W
;@ args    out
$2
;@ expect  out = expr i ^ 1
.kernel exchange
.registers 16
.local_memory 256
    mov_sr r1, sr_lane_id
    mov_imm r2, 2
    mov_imm r3, 4
    shl r2, r1, r2
    xor r3, r2, r3
    local_store_u32 r2, r1
    $1
    local_load_u32 r4, r3
    iadd r2, r2, r0
    device_store_u32 r2, r4
    halt
.end
END
}
exchange "" "" >bare.wave
exchange "fence_acq_rel .wave" "" >fenced.wave
exchange "" ";@ race" >race.wave
exchange "fence_acq_rel .wave" ";@ race" >norace.wave
exchange "" ";@ race hidden" >hidden.wave
exchange "" ";@ race sometimes" >word.wave

# ---- --check=race and --wave-order ----

check "a fence is missing" 1 "$bin/wave-emu" bare.wave --check=race
ok "both lanes are named" has err "wave 0, lane 0, thread (0,0,0): this load of local address 0x4 at PC"
ok "and the store" has err "(local_store_u32 r2, r1) by workgroup (0,0,0), wave 0, lane 1, thread (1,0,0)"
ok "the hint names the fence" has err "hint: put a fence of the wave between the two, such as fence_acq_rel .wave, or a barrier"
check "the same for programs" 1 "$bin/wave-emu" bare.wave --check=race --diagnostics=json
ok "with the hint" has err '"hint"'
check "a fence is there" 0 "$bin/wave-emu" fenced.wave --check=race
check "lockstep needs none" 0 "$bin/wave-emu" bare.wave --check=race --wave-order=lockstep
check "fences is the default" 1 "$bin/wave-emu" bare.wave --check=race --wave-order=fences
check "another order" 2 "$bin/wave-emu" bare.wave --wave-order=ascending
ok "the possible values" has err "expected fences or lockstep"

printf '.kernel k\n.registers 8\nmov_sr r1, sr_lane_id\nlocal_store_u32 r0, r1\nlocal_store_u32 r0, r0\nhalt\n.end\n' >collide.wave
check "stores that collide, and race with the next" 1 "$bin/wave-emu" collide.wave --check=race
ok "the collision is warned about" has err "W_STORE_COLLISION"
ok "once, and not where all store the same" test "$(grep -c W_STORE_COLLISION err)" -eq 1
check "without the check nothing is reported" 0 "$bin/wave-emu" collide.wave --set-reg 0:0
ok "nothing" test ! -s err

# ---- --memory ----

dump() { status 0 "$bin/wave-emu" "$@" --dump-u32 0:4 && tr '\n' ' ' <out; }
same() { got=$(dump "$@") && [ "$got" = "1 0 3 2 " ] || { echo "$got"; return 1; }; }
unlike() { got=$(dump "$@") && [ "$got" = "0 0 0 0 " ] || { echo "$got"; return 1; }; }
ok "plain memory hides the missing fence" same bare.wave
ok "scoped memory shows it" unlike bare.wave --memory=scoped
ok "with a seed" unlike bare.wave --memory=scoped:7
ok "sc is the default" same bare.wave --memory=sc
for seed in 0 1 2 3 18446744073709551615 0x10; do
    ok "seed $seed does not affect a correct program" same fenced.wave --memory=scoped:$seed
done
for value in weak scoped: scoped:x scoped:1:2 scoped:-1 sc:1 scoped:18446744073709551616; do
    check "--memory=$value" 2 "$bin/wave-emu" bare.wave "--memory=$value"
    ok "the possible values of --memory=$value" has err "expected sc, scoped, scoped:SEED or scoped:FIRST..LAST"
done

# ---- wave-test ----

check "a correct program" 0 "$bin/wave-test" fenced.wave
check "a race is found by default" 1 "$bin/wave-test" bare.wave
ok "and named" has out "E_RACE"
check "a program that declares a race" 0 "$bin/wave-test" race.wave
check "one that declares a race and has none" 1 "$bin/wave-test" norace.wave
ok "the expected code" has out "expected E_RACE, which was not reported"
check "a hidden one" 0 "$bin/wave-test" hidden.wave
check "race with another word" 1 "$bin/wave-test" word.wave
ok "the possible words" has out "expected nothing or hidden after"
sed 's/expect  out = .*/expect  out = expr 0 * i/' race.wave >wrong.wave
check "a wrong form must pass on plain memory" 1 "$bin/wave-test" wrong.wave
ok "the difference" has out "memory differs"
sed 's/^;@ expect.*//' race.wave >silent.wave
check "a race that no seed shows" 1 "$bin/wave-test" silent.wave
ok "is reported as hidden" has out "no seed of scoped memory shows the race"
check "seeds of scoped memory" 0 "$bin/wave-test" --memory=scoped:3-9 fenced.wave
ok "as many runs" has out "wave-test: 7 runs"
for value in scoped scoped: scoped:2-1 scoped:1- scoped:x scoped:-5 scoped:+5 'scoped: 5' scoped:1-18446744073709551615 sc; do
    check "wave-test --memory=$value" 2 "$bin/wave-test" "--memory=$value" fenced.wave
done

finish "cli/memory_model"
