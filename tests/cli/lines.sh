#!/bin/sh
# #line in the C family with -g: every printed line has the line number of an instruction of its kernel. In the source, comments surround
# every instruction: a line number that is off by one points to a comment. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

cat >spread.py <<'PY'
import re, sys
# Two kernels with loops, ifs, wide expressions that are wrapped, wave operations and fences.
text = """.kernel one
.workgroup_size 64, 1, 1
.local_memory 256
.arg x buffer f32 in contained
.arg y buffer f32 out
.arg n u32
.reg i, a, b, t
.pred p, q
mov i, sr_thread_id_x
mov a, 0.0
loop
icmp_ge p, i, n
break p
device_load_u32 t, [x + i*4]
fexp2 t, t
fma a, t, t, a
icmp_lt q, i, 7
if q
fadd a, a, 1.0
else
fmul a, a, 0.5
endif
iadd i, i, 64
endloop
local_store_u32 [sr_thread_id_x*4], a
barrier
wave_reduce_add b, i
fence_acq_rel .workgroup
device_store_u32 [y + sr_thread_id_x*4], a
device_store_u32 [y], b
halt
.end
.kernel two
.arg y buffer u32 out
.reg i, j
mov i, sr_thread_id_x
fsin j, i
imad j, j, i, i
bfe i, j, i, j
device_store_u32 [y + i*4], j
halt
.end""".split("\n")
for line in text:
    print("; before" + ("" if line.startswith(".") else "\n; again") + "\n" + line + "\n; after\n")
PY
python3 spread.py >k.wave
cat >check.py <<'PY'
import re, sys
source = open("k.wave").read().split("\n")
path = sys.argv[1]
code = {n + 1 for n, line in enumerate(source) if line and line[0] not in ".;"}
second = next(n + 1 for n, line in enumerate(source) if line == ".kernel two")
number, lines, seen, kernel = None, 0, set(), 1
for text in open(path):
    text = text.rstrip("\n")
    m = re.match(r'#line (\d+) "k\.wave"$', text)
    if m:
        number = int(m[1])
        continue
    if number is None:
        continue
    if re.search(r"struct two_args|\btwo\(", text):
        kernel = 2
    if text.strip() and not text.lstrip().startswith("//") and not text.startswith("#"):
        assert number in code, f"{path}: '{text}' is on line {number}, '{source[number - 1]}'"
        assert (number > second) == (kernel == 2), f"{path}: '{text}' is on line {number}, of another kernel"
        seen.add(number)
        lines += 1
    number += 1
assert lines > 30 and len(seen) > 12, (lines, seen)
PY
for target in hip sycl msl; do
    for level in -O0 -O2; do
        check "$target $level" 0 "$bin/wavec" -g $level --target=$target k.wave -o k.$target
        ok "$target $level: every line number is an instruction's" python3 check.py k.$target
    done
done

# The same for the parts of a kernel that nests too deeply for one function.
python3 -c '
deep = 120
print(".kernel deep\n.arg y buffer u32 inout\n.reg i, a\n.pred p")
print("; before\nmov a, 0\n; after\n")
for k in range(deep): print(f"; before\nicmp_ne p, a, {k + 5}\n; after\n\n; before\nif p\n; after\n")
print("; before\ndevice_load_u32 a, [y]\n; after\n")
for k in range(deep): print(f"; before\niadd a, a, 3\n; after\n\n; before\nendif\n; after\n")
print("; before\ndevice_store_u32 [y], a\n; after\n\n; before\nhalt\n; after\n.end\n.kernel two\nhalt\n.end")' >k.wave
check "parts" 0 "$bin/wavec" -g -O0 --target=hip --kernel=deep k.wave -o deep.hip
ok "parts: there are some" has deep.hip "_part1("
ok "parts: every line number is an instruction's" python3 check.py deep.hip

finish lines
