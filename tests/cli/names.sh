#!/bin/sh
# Names of registers in emitted code: variables have the names that the file contains, whatever these are. A file without names
# yields the same code with numbered variables. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

cat >k.wave <<'END'
.kernel sums
.workgroup_size 64, 1, 1
.arg x buffer f32 in
.arg y buffer f32 out
.arg n u32
.reg i, running, value
.pred inside
    mov     i, 0
    mov     running, 0
    loop
        icmp_ge inside, i, n
        break   inside
        device_load_u32 value, [x + i*4]
        fadd    running, running, value
        device_store_u32 [y + i*4], running
        iadd    i, i, 1
    endloop
    device_load_u32 value, [x]
    fmul    value, value, value
    fmul    running, running, value
    device_store_u32 [y + 4], running
    device_store_u32 [y + 8], value
    halt
.end
END
"$bin/wave-asm" -g k.wave -o g.wbin
"$bin/wave-asm" k.wave -o plain.wbin
"$bin/wavec" --strip g.wbin -o stripped.wbin
for target in hip sycl msl; do
    for file in k.wave g.wbin; do
        check "$target, $file" 0 "$bin/wavec" --target=$target $file -o text.$target
        ok "$target, $file: a loop's variable" has text.$target "i += 1u;"
        ok "$target, $file: a sum" grep -q "running += value\(_[0-9]*\)\{0,1\};" text.$target
        ok "$target, $file: a number for another value of the name" has text.$target "value_2 "
    done
    check "$target without names" 0 "$bin/wavec" --target=$target plain.wbin -o plain.$target
    ok "$target without names: none" lacks plain.$target "running"
    check "$target of a stripped file" 0 "$bin/wavec" --target=$target stripped.wbin -o stripped.$target
    ok "$target of a stripped file: none" lacks stripped.$target "running"
    # All words other than variable names are the same, in the same order.
    ok "$target: only names differ" sh -c "for f in text plain; do grep -v '^//' \$f.$target | tr -cs 'A-Za-z0-9_' '\n' | grep -Ev '^([ufb][0-9]+|i|running|value)(_[0-9]+)?\$' >\$f.words; done; cmp text.words plain.words"
done
check "ptx" 0 "$bin/wavec" --target=ptx k.wave -o text.ptx
ok "ptx: the name in a comment" grep -Eq 'add(\.rn)?\.f32 .*; // running$' text.ptx
check "ptx without names" 0 "$bin/wavec" --target=ptx plain.wbin -o plain.ptx
ok "ptx: only comments differ" sh -c "for f in text plain; do sed 's, *//.*,,' \$f.ptx >\$f.code; done; cmp text.code plain.code"

# Words of the languages and of vendors, names that emitted code uses itself, names with numbers, names that clash after a _ is appended to
# one of them: all variables stay distinct, and the installed compilers accept the text.
cat >hard.py <<'END'
names = """int float class template typename thread lane args mem s item u0 f1 b2 x_2 x_3 x x_ i_ operator constant kernel threadgroup half sycl queue
group uint vec fmaf fmax min max printf warpSize threadIdx blockIdx blockDim clock abs exp log __x _x _X N NULL EOF true false new delete this bitand
memcpy size_t uint32_t uint8_t hipMalloc atomicAdd metal stdin errno main std a_t long_name_of_a_register exit exit1 hard hard_args hard_state x0 q1 d2
g3 h4 asm register restrict inline volatile typeof nullptr auto bool char own hard_part1 ta_f16 memory_order_relaxed
atomic_store_explicit""".split()
regs = {n: f"r{10 + k}" for k, n in enumerate(names)}
print(".kernel hard\n.registers 256\n.workgroup_size 64, 1, 1\n.arg x_4 buffer u32 inout contained\n.arg y buffer u32 out\n.arg z u32")
for n, r in regs.items(): print(f'.reg "{n}" = {r}')
print("    mov r5, z")
for k, r in enumerate(regs.values()):
    print(f"    device_load_u32 {r}, [x_4 + sr_thread_id_x*4 + {4 * k}]")
for again in range(2):
    for r in regs.values():
        print(f"    device_store_u32 [y + r5], {r}\n    iadd {r}, {r}, r5\n    iadd r5, r5, {r}")
for r in regs.values():
    print(f"    device_store_u32 [y + r5], {r}\n    iadd r5, r5, 4")
print("    halt\n.end")
END
cat >declared.py <<'END'
import re, sys
seen = set()
for line in open(sys.argv[1]):
    m = re.match(r"    (?:uint32_t|uint) (\w+) =", line)
    if m:
        assert m[1] not in seen, m[1]
        seen.add(m[1])
assert {"long_name_of_a_register", "int_", "int_2", "x_2_", "u0_", "thread_"} <= seen, seen
assert not seen & {"int", "typeof", "thread", "x_4", "lane", "threadIdx", "min", "own", "hard_part1", "ta_f16", "memory_order_relaxed"}, seen
END
python3 hard.py >hard.wave
check "hard names assemble" 0 "$bin/wave-asm" -g hard.wave -o hard.wbin
for target in hip sycl msl; do
    check "hard names, $target" 0 "$bin/wavec" --target=$target hard.wave -o hard.$target
    ok "hard names, $target: every variable has its own name" python3 declared.py hard.$target
done
ptxas=$(sh "$tests/../scripts/find-ptxas.sh" 2>/dev/null) || ptxas=
check "hard names, ptx" 0 "$bin/wavec" --target=ptx hard.wave -o hard.ptx
if [ -n "$ptxas" ]; then
    ok "ptxas accepts them" "$ptxas" -arch=sm_75 hard.ptx -o hard.cubin
else
    skipped "hard names through ptxas: it is not installed"
fi

# A buffer with the name of a function that the kernel calls is not a variable, which would hide the function.
cat >part.py <<'END'
print(""".kernel sum
.arg sum_part1 buffer f32 out contained
.arg x f32
.arg y f32
.reg q, r
.macro step at
    fdiv q, x, 3.0
    fdiv r, y, q
    fadd r, q, r
    fdiv q, q, r
    fadd x, x, 1.0
    device_store_u32 [sum_part1 + at], q
.endm""")
for k in range(40): print(f"    step {4 * k}")
print("    halt\n.end")
END
python3 part.py >part.wave
for target in hip sycl msl; do
    check "a buffer named like a function, $target" 0 "$bin/wavec" --target=$target part.wave -o part.$target
    ok "a buffer named like a function, $target: it is called" has part.$target " = sum_part1("
    ok "a buffer named like a function, $target: there is no such variable" lacks part.$target "*sum_part1 ="
done

# A name that is not an identifier, or one of ten thousand bytes, does not appear in the text.
long=$(printf '%010000d' 0 | tr 0 a)
cat >odd.wave <<END
.kernel k
.arg y buffer u32 out
.reg "q z" = r5, "\\xC3\\xA4" = r6, "$long" = r7
    device_load_u32 r5, r0
    device_load_u32 r6, r5
    device_load_u32 r7, r6
    iadd r6, r6, r7
    iadd r5, r5, r6
    device_store_u32 r0, r5
    device_store_u32 r5, r6
    device_store_u32 r6, r7
    halt
.end
END
for target in hip sycl msl ptx; do
    check "odd names, $target" 0 "$bin/wavec" --target=$target odd.wave -o odd.$target
    ok "odd names, $target, are not used" sh -c "! grep -q 'aaaa\|q z' odd.$target && ! LC_ALL=C grep -q '[^ -~]' odd.$target"
done

finish names
