#!/usr/bin/env python3
"""Writes the programs of tests/fast: one instruction each, with the true values (double precision, rounded to f32 by the test format)
and the tolerance that holds on every target with --fp=fast: the largest error of docs/reference/math.md, plus the rounding of the expected
value. Arguments stay in the range for which every vendor gives a bound. --check says whether the files are up to date."""

import math
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT = 192


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def spread(low, high, seed=25):
    """Numbers whose logarithms are spread evenly."""
    rng = random.Random(seed)
    return [f32(math.exp(rng.uniform(math.log(low), math.log(high)))) for _ in range(COUNT)]


def even(low, high):
    rng = random.Random(7)
    return [f32(rng.uniform(low, high)) for _ in range(COUNT)]


X, Y = spread(1e-6, 1e6), spread(1e-5, 1e7, 26)
SIGNED = [x if k % 3 else -x for k, x in enumerate(X)]
# name, title, lines from r8 (x) and r9 (y) to r10, the function, x, y, tolerance
PROGRAMS = (
    ("fdiv", "a quotient", ["fdiv r10, r8, r9"], lambda x, y: x / y, SIGNED, Y, "ulp 3"),
    ("fdiv_by_constant", "a quotient by a constant", ["mov_imm r11, 0x40400000", "fdiv r10, r8, r11"], lambda x, y: x / 3, SIGNED, Y, "ulp 3"),
    ("frcp", "a reciprocal", ["frcp r10, r8"], lambda x, y: 1 / x, SIGNED, Y, "ulp 3"),
    ("fsqrt", "a square root", ["fsqrt r10, r8"], lambda x, y: math.sqrt(x), X, Y, "ulp 4"),
    ("frsqrt", "the reciprocal of a square root", ["frsqrt r10, r8"], lambda x, y: 1 / math.sqrt(x), X, Y, "ulp 3"),
    ("fdiv_by_root", "a quotient by a square root, which becomes a product", ["fsqrt r11, r9", "fdiv r10, r8, r11"], lambda x, y: x / math.sqrt(y), SIGNED, Y, "ulp 7"),
    ("fexp2", "a power of two; Metal allows 2 + 2|x| ulp", ["fexp2 r10, r8"], lambda x, y: 2.0**x, even(-8, 8), Y, "ulp 19"),
    ("flog2", "a logarithm away from 1", ["flog2 r10, r8"], lambda x, y: math.log2(x), spread(2, 1e9), Y, "ulp 4"),
    ("flog2_near_1", "a logarithm around 1", ["flog2 r10, r8"], lambda x, y: math.log2(x), even(0.51, 1.99), Y, "abs 5e-7"),
    ("fsin", "a sine; Intel's CPU device is off by 2^-12.7", ["fsin r10, r8"], lambda x, y: math.sin(x), even(-3.14, 3.14), Y, "abs 0.0002443"),
    ("fcos", "a cosine; Intel's CPU device is off by 2^-12.7", ["fcos r10, r8"], lambda x, y: math.cos(x), even(-3.14, 3.14), Y, "abs 0.0002443"),
    ("ffract", "a fraction", ["ffract r10, r8"], lambda x, y: x - math.floor(x), [f32(k * 0.37 - 40) for k in range(COUNT)], Y, "ulp 1"),
    ("product_and_sum", "a product and a sum of one sign, fused or not", ["fmul r11, r8, r9", "fadd r10, r11, r9"], lambda x, y: x * y + y, X, Y, "ulp 2"),
    ("product_and_difference", "a difference of products, none of which vanishes", ["fmul r11, r8, r9", "fneg r12, r9", "fsub r10, r12, r11"], lambda x, y: -y - x * y, X, Y, "ulp 2"),
)


def values(words):
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line)
            line = ""
        line += " " + word
    return "\n;@ +".join([*lines, line])


def program(name, shows, code, function, x, y, tolerance):
    text = f""";@ test    --fp=fast: {shows}
;@ widths  4 8 16 32 64
;@ grid    {COUNT // 64}
;@ buffer  x f32 {COUNT} at 256 ={values([repr(v) for v in x])}
;@ buffer  y f32 {COUNT} ={values([repr(v) for v in y])}
;@ buffer  out f32 {COUNT}
;@ args    x y out
;@ unchanged x
;@ expect  out {tolerance} ={values([repr(f32(function(a, b))) for a, b in zip(x, y)])}
.kernel fast_{name}
.workgroup_size 64, 1, 1
.registers 16
    mov_sr r3, sr_thread_id_x
    mov_sr r4, sr_workgroup_id_x
    mov_imm r5, 64
    imad r3, r4, r5, r3
    mov_imm r5, 2
    shl r3, r3, r5
    iadd r4, r0, r3
    device_load_u32 r8, r4
    iadd r4, r1, r3
    device_load_u32 r9, r4
"""
    text += "".join(f"    {line}\n" for line in code)
    return text + "    iadd r4, r2, r3\n    device_store_u32 r4, r10\n    halt\n.end\n"


def main():
    stale = 0
    for row in PROGRAMS:
        path = os.path.join(HERE, f"{row[0]}.wave")
        text = program(*row)
        if "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    print(f"{path} is not what generate.py writes")
                    stale += 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
