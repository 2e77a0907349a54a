#!/usr/bin/env python3
"""Writes the kernels of this folder: the features of OpenCL C besides its functions, one each.

usage: generate.py [--check]     --check: fails if a file is out of date

Expected values are computed here from the definition of the feature, in Python's integers and floats rounded by
struct.
"""

import functools
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from form import f32, listed, main

KERNELS = []
N = 64
X = [(i * 2654435761 + 12345) & 0xFFFFFFFF for i in range(N)]
M = 0xFFFFFFFF


def f16(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def half_bits(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def signed(value, width=32):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def add(name, title, source, out, kind="u32", inputs=(), args=None, group=N, grid=1, cc="", count=None, extra=()):
    """`source` is the whole text, or the body of a kernel k(out, x, …). `inputs`: (name, type, values). `out`: values."""
    lines = ["//@ test    " + title, "// Written by generate.py."]
    if cc:
        lines.append("//@ cc: " + cc)
    lines += ["//@ grid    %s" % grid, "//@ group   %s" % group] + ["//@ " + line for line in extra]
    # No buffer is at 0, so that NULL is not a valid address.
    lines.append("//@ buffer  out %s %d at 256" % (kind, count or len(out)))
    for label, kind_of, values in inputs:
        lines += listed("//@ buffer  %s %s %d = " % (label, kind_of, len(values)), values)
    lines.append("//@ args    " + (args if args is not None else " ".join(["out"] + [i[0] for i in inputs])))
    lines += listed("//@ expect  out[0..%d] = " % len(out) if count else "//@ expect  out = ", out)
    KERNELS.append((name, "\n".join(lines) + "\n\n" + source.strip() + "\n"))


def on_x(name, title, body, function, before="", **more):
    """out[i] from x[i], both uint."""
    source = before + "kernel void k(global uint *out, global const uint *x) {\n    uint i = get_global_id(0);\n%s\n}" % (
        "\n".join("    " + line for line in body.strip().split("\n")))
    add(name, title, source, [function(i, X[i]) & M for i in range(N)], inputs=[("x", "u32", X)], **more)


# ---- Control flow ----

def collatz(v):
    steps = 0
    v = v % 1000 + 1
    while v != 1 and steps < 50:
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        steps += 1
    return steps


on_x("loop_while", "a while loop with two conditions", """uint v = x[i] % 1000 + 1, n = 0;
while (v != 1 && n < 50) {
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    n++;
}
out[i] = n;""", lambda i, v: collatz(v))
on_x("loop_do", "a do loop runs at least once", """uint n = 0, v = x[i] & 3;
do { n += 5; } while (v-- > 1 && v < 100);
out[i] = n;""", lambda i, v: 5 * max(1, v & 3))


def first_pair(v):
    for a in range(12):
        for b in range(12):
            if (a * a + b * 7 + v) % 13 == 0:
                return a * 100 + b
    return 9999


on_x("loop_exits", "leaving two loops at once", """uint r = 9999, v = x[i] % 13;
for (uint a = 0; a < 12; a++)
    for (uint b = 0; b < 12; b++)
        if ((a * a + b * 7 + v) % 13 == 0) {
            r = a * 100 + b;
            goto done;
        }
done:
out[i] = r;""", lambda i, v: first_pair(v % 13))


def skipping(v):
    s = 0
    for k in range(20):
        if (k + v) % 3 == 0:
            continue
        if k > v % 17:
            break
        s += k
    return s


on_x("loop_continue", "continue and break in one loop", """uint s = 0, v = x[i] % 1000;
for (uint k = 0; k < 20; k++) {
    if ((k + v) % 3 == 0) continue;
    if (k > v % 17) break;
    s += k;
}
out[i] = s;""", lambda i, v: skipping(v % 1000))
on_x("switch_fall", "a switch with falling through and a default", """uint r = 0;
switch (x[i] % 7) {
case 0: r = 10; break;
case 1: r = 1; /* falls through */
case 2: r += 2; break;
case 5: r = x[i]; break;
default: r = 77;
}
out[i] = r;""", lambda i, v: {0: 10, 1: 3, 2: 2, 5: v}.get(v % 7, 77))
on_x("switch_large", "a switch on negative values and values far apart", """int r;
int v = (int)(x[i] % 5);
switch (v == 0 ? -1000000 : v == 1 ? 2000000000 : v == 2 ? -7 : v) {
case -1000000: r = 1; break;
case 2000000000: r = 2; break;
case -7: r = 3; break;
case 3: r = 4; break;
default: r = 5;
}
out[i] = r;""", lambda i, v: v % 5 + 1)
on_x("switch_64", "a switch on a 64-bit value", """ulong v = ((ulong)(x[i] % 3) << 33) + 1;
uint r;
switch (v) {
case 1: r = 11; break;
case (1ul << 33) + 1: r = 22; break;
default: r = 33;
}
out[i] = r;""", lambda i, v: (v % 3 + 1) * 11)
on_x("return_early", "work-items that return early", """if (x[i] % 4 == 1) {
    out[i] = 5;
    return;
}
if (x[i] % 4 == 2) return;
out[i] = x[i] ^ 0xFF;""", lambda i, v: 5 if v % 4 == 1 else 0 if v % 4 == 2 else v ^ 0xFF)
on_x("ternary_chain", "nested conditions", "uint v = x[i] % 100;\nout[i] = v < 10 ? 1 : v < 20 ? 2 : v < 50 ? (v & 1 ? 3 : 4) : 5;",
     lambda i, v: 1 if v % 100 < 10 else 2 if v % 100 < 20 else (3 if v & 1 and v % 100 % 2 else 4 if v % 100 % 2 == 0 else 3) if v % 100 < 50 else 5)
on_x("short_circuit", "the second operand is not evaluated", """uint n = 0;
if (x[i] % 2 == 0 && (n++, x[i] % 3 == 0)) n += 10;
if (x[i] % 5 == 0 || (n += 100, false)) n += 1000;
out[i] = n;""", lambda i, v: (1 + (10 if v % 3 == 0 else 0) if v % 2 == 0 else 0) + (1000 if v % 5 == 0 else 100))

# ---- Functions ----

on_x("function_inlined", "a function that calls a function", "out[i] = twice(x[i]) + 1;", lambda i, v: 2 * (v + 3) + 1,
     before="uint plus(uint v) { return v + 3; }\nuint twice(uint v) { return plus(v) * 2; }\n")
on_x("function_not_inlined", "functions that clang does not inline", "out[i] = f(x[i], 3) + f(i, 5);",
     lambda i, v: ((v * 3) & M) // 2 + i * 5 // 2,
     before="__attribute__((noinline)) uint f(uint a, uint b) { return a * b / 2; }\n")
on_x("function_pointer_argument", "a function that writes through pointers", "uint a, b;\nsplit(x[i], &a, &b);\nout[i] = a * 3 + b;",
     lambda i, v: (v >> 16) * 3 + (v & 0xFFFF),
     before="__attribute__((noinline)) void split(uint v, uint *high, uint *low) {\n    *high = v >> 16;\n    *low = v & 0xFFFF;\n}\n")
on_x("function_structure", "structures as arguments and results", "pair p = swap((pair){x[i], i});\nout[i] = p.a * 7 + p.b;",
     lambda i, v: i * 7 + v,
     before="typedef struct { uint a, b; } pair;\n__attribute__((noinline)) pair swap(pair p) { return (pair){p.b, p.a}; }\n")

# ---- Integers of all widths ----

on_x("char_signed", "signed 8-bit arithmetic", "char c = (char)x[i];\nout[i] = (uint)(int)(char)(c * 3 - 7) + (uint)(c >> 2);",
     lambda i, v: signed(signed(v, 8) * 3 - 7, 8) + (signed(v, 8) >> 2))
on_x("short_signed", "signed 16-bit arithmetic", "short c = (short)x[i];\nout[i] = (uint)(short)(c * 5) + (uint)(c / 7) + (uint)(c % 7);",
     lambda i, v: signed(signed(v, 16) * 5, 16) + int(signed(v, 16) / 7) + (signed(v, 16) - 7 * int(signed(v, 16) / 7)))
on_x("ushort_shift", "unsigned 16-bit shifts", "ushort c = (ushort)x[i];\nout[i] = (ushort)(c << 3) | (uint)(c >> 5) << 16;",
     lambda i, v: ((v & 0xFFFF) << 3 & 0xFFFF) | ((v & 0xFFFF) >> 5) << 16)
on_x("divide_signed", "signed division and remainder", "int a = (int)x[i], b = (int)(x[i] % 29) - 14;\nb = b == 0 ? 3 : b;\nout[i] = (uint)(a / b) * 31 + (uint)(a % b);",
     lambda i, v: (lambda a, b: (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)) * 31 + (abs(a) % abs(b)) * (-1 if a < 0 else 1))(
         signed(v), (v % 29 - 14) or 3))
on_x("divide_unsigned", "unsigned division and remainder", "uint b = x[i] % 1000 + 1;\nout[i] = x[i] / b + x[i] % b;",
     lambda i, v: v // (v % 1000 + 1) + v % (v % 1000 + 1))
W = [(X[i] << 32 | X[(i * 7 + 3) % N]) & ((1 << 64) - 1) for i in range(N)]


def on_w(name, title, expression, function):
    source = "kernel void k(global ulong *out, global const ulong *w) {\n    uint i = get_global_id(0);\n    out[i] = %s;\n}" % expression
    add(name, title, source, [function(v) & ((1 << 64) - 1) for v in W], kind="u64", inputs=[("w", "u64", W)])


on_w("long_multiply", "64-bit multiplication", "w[i] * (w[i] ^ 0x123456789ul)", lambda v: v * (v ^ 0x123456789))
on_w("long_divide", "64-bit division", "w[i] / (w[i] % 100003 + 1)", lambda v: v // (v % 100003 + 1))
on_w("long_divide_signed", "signed 64-bit division", "(ulong)((long)w[i] / 12345l)",
     lambda v: (lambda s: abs(s) // 12345 * (-1 if s < 0 else 1))(signed(v, 64)))
on_w("long_shift", "64-bit shifts by a variable", "(w[i] << (w[i] & 63)) ^ (w[i] >> (w[i] >> 58)) ^ (ulong)((long)w[i] >> (w[i] & 31))",
     lambda v: (v << (v & 63)) ^ (v >> (v >> 58)) ^ (signed(v, 64) >> (v & 31)))
on_w("long_compare", "64-bit comparisons", "(w[i] < 0x8000000000000000ul) + 2 * ((long)w[i] > -5l) + 4 * (w[i] >= w[i] - 1)",
     lambda v: (v < 1 << 63) + 2 * (signed(v, 64) > -5) + 4 * (v >= 1))
on_w("long_mul_hi", "the upper half of a 64-bit product", "mul_hi(w[i], w[i] + 3)", lambda v: (v * ((v + 3) & ((1 << 64) - 1))) >> 64)
on_w("long_bits", "counts of 64-bit values", "popcount(w[i]) + 100 * clz(w[i]) + 10000 * ctz(w[i])",
     lambda v: bin(v).count("1") + 100 * (64 - v.bit_length()) + 10000 * ((v & -v).bit_length() - 1))

# ---- Conversions ----

INTS = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True), "uint": (32, False)}
FLOATS = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 127.5, 128.0, -128.5, -129.0, 255.5, 256.0, 32767.5, -32769.0, 65535.5,
          1e6, -1e6, 2147483648.0, -2147483904.0, 4294967296.0, 1e20, -1e20, 3.999, -3.999, 100.25, -100.75, 7.0, 1e-30, -1e-30]


def clamp(value, width, sign):
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if sign else (0, (1 << width) - 1)
    return max(low, min(high, value))


def rounded(value, mode):
    whole = int(value)  # towards zero
    if mode == "rtz" or whole == value:
        return whole
    below = whole if value > 0 else whole - 1
    if mode == "rtn":
        return below
    if mode == "rtp":
        return below + 1
    if value - below == 0.5:
        return below + (below & 1)
    return below + (value - below > 0.5)


for to, (width, sign) in INTS.items():
    source = "kernel void k(global uint *out, global const uint *x, global const float *f) {\n    uint i = get_global_id(0);\n"
    results = []
    terms = [("convert_%s_sat((int)x[i])" % to, lambda v, f: clamp(signed(v), width, sign)),
             ("convert_%s_sat(x[i])" % to, lambda v, f: clamp(v, width, sign)),
             ("convert_%s((short)x[i])" % to, lambda v, f: signed(v, 16)),
             ("convert_%s_sat((uchar)x[i])" % to, lambda v, f: clamp(v & 255, width, sign)),
             ("convert_%s_sat((char)x[i])" % to, lambda v, f: clamp(signed(v, 8), width, sign)),
             ("convert_%s_sat_rte(f[i])" % to, lambda v, f: clamp(rounded(f, "rte"), width, sign)),
             ("convert_%s_sat_rtp(f[i])" % to, lambda v, f: clamp(rounded(f, "rtp"), width, sign)),
             ("convert_%s_sat_rtn(f[i])" % to, lambda v, f: clamp(rounded(f, "rtn"), width, sign)),
             ("convert_%s_sat(f[i])" % to, lambda v, f: clamp(rounded(f, "rtz"), width, sign)),
             ("convert_%s_sat_rtz(as_int(x[i]))" % to, lambda v, f: clamp(signed(v), width, sign))]
    for k, (text, _) in enumerate(terms):
        source += "    out[i * %d + %d] = (uint)%s;\n" % (len(terms), k, text)
    for i in range(32):
        for _, function in terms:
            value = function(X[i], f32(FLOATS[i])) & ((1 << width) - 1)
            results.append((signed(value, width) if sign else value) & M)
    add("convert_" + to, "conversions to %s, saturated and rounded" % to, source + "}", results, group=32,
        inputs=[("x", "u32", X[:32]), ("f", "f32", [f32(f) for f in FLOATS])])
add("convert_vector", "conversions of whole vectors", """
kernel void k(global uchar4 *out, global const int4 *x) {
    uint i = get_global_id(0);
    out[2 * i] = convert_uchar4_sat(x[i] >> 20);
    out[2 * i + 1] = convert_uchar4(convert_short4(x[i]) >> (short4)(3));
}""", [b for i in range(16) for b in
       [clamp(signed(v) >> 20, 8, False) for v in X[4 * i:4 * i + 4]] + [(signed(v, 16) >> 3) & 255 for v in X[4 * i:4 * i + 4]]],
    kind="u8", inputs=[("x", "u32", X)], group=16)
add("convert_to_float", "integers to float, rounded to nearest and towards zero", """
kernel void k(global float *out, global const uint *x) {
    uint i = get_global_id(0);
    out[4 * i] = convert_float(x[i]);
    out[4 * i + 1] = convert_float((int)x[i]);
    out[4 * i + 2] = convert_float_rtz(x[i]);
    out[4 * i + 3] = convert_float((uchar)x[i]);
}""", [w for v in X for w in (f32(v), f32(signed(v)), float(v if v.bit_length() <= 24 else v >> (v.bit_length() - 24) << (v.bit_length() - 24)),
                              float(v & 255))], kind="f32", inputs=[("x", "u32", X)])
add("as_types", "the same bits as another type", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_global_id(0);
    float f = as_float(0x3F800000 | (x[i] & 0x7FFFFF));
    uchar4 b = as_uchar4(x[i]);
    out[i] = as_uint(f) ^ as_uint(b.wzyx);
}""", [(0x3F800000 | v & 0x7FFFFF) ^ int.from_bytes(v.to_bytes(4, "little"), "big") for v in X], inputs=[("x", "u32", X)])

# ---- Floats ----

F = [f32((signed(v) / 2.0 ** 28)) for v in X]


def on_f(name, title, body, function, kind="f32", count=1):
    source = "kernel void k(global %s *out, global const float *f) {\n    uint i = get_global_id(0);\n    %s\n}" % (
        {"f32": "float", "u32": "uint"}[kind], body)
    results = [w for i in range(N) for w in ([function(F[i], F[(i + 1) % N])] if count == 1 else function(F[i], F[(i + 1) % N]))]
    add(name, title, source, results, kind=kind, inputs=[("f", "f32", F)])


on_f("float_unfused", "a product and a sum are rounded separately", "out[i] = f[i] * f[(i + 1) % 64] + 0.1f;",
     lambda a, b: f32(f32(a * b) + f32(0.1)))
on_f("float_divide", "division is correctly rounded", "out[i] = f[i] / (f[(i + 1) % 64] + 100.0f);", lambda a, b: f32(a / f32(b + 100)))
add("float_compare", "comparisons with NaN among them", """
kernel void k(global uint *out, global const float *f) {
    uint i = get_global_id(0);
    float a = i % 8 == 3 ? NAN : f[i], b = f[(i + 1) % 64];
    out[i] = (a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3 | (a <= b) << 4 | !(a >= b) << 5 | isnan(a) << 6 | isunordered(a, b) << 7;
}""", [0x08 | 0x20 | 0xC0 if i % 8 == 3 else (lambda a, b: (a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3 | (a <= b) << 4 | (not a >= b) << 5)(
    F[i], F[(i + 1) % N]) for i in range(N)], inputs=[("f", "f32", F)])
on_f("float_to_int", "the C cast truncates", "out[i] = (uint)(int)(f[i] * 1000.0f);", lambda a, b: int(f32(a * 1000)) & M, kind="u32")
H = [half_bits(f16(x / 4)) for x in F]
add("half_storage", "halves in memory, computed in float", """
kernel void k(global half *out, global const half *h) {
    uint i = get_global_id(0);
    vstore_half(vload_half(i, h) * 3.0f + 1.0f, i, out);
}""", [half_bits(f32(f32(struct.unpack("<e", struct.pack("<H", h))[0] * 3) + 1)) for h in H], kind="u16", inputs=[("h", "u16", H)])
add("half_arithmetic", "arithmetic of type half", """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *out, global const half *h) {
    uint i = get_global_id(0);
    out[i] = h[i] * h[i] + (half)0.25f;
}""", [half_bits(f16(f16(v * v) + 0.25)) for v in [struct.unpack("<e", struct.pack("<H", h))[0] for h in H]], kind="u16",
    inputs=[("h", "u16", H)])
D = [signed(w, 64) / 2.0 ** 40 for w in W]
add("double_arithmetic", "arithmetic of type double", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double *out, global const double *d) {
    uint i = get_global_id(0);
    out[i] = (d[i] * 1.25 - 3.0) / (d[i] + 0.5);
}""", [struct.unpack("<Q", struct.pack("<d", (d * 1.25 - 3.0) / (d + 0.5)))[0] for d in D], kind="u64",
    inputs=[("d", "u64", [struct.unpack("<Q", struct.pack("<d", d))[0] for d in D])], extra=["targets -msl"])

# ---- Vectors and structures ----

on_x("vector_swizzle", "components in any order", "uint4 v = (uint4)(x[i], i, x[i] >> 8, 7);\nv.xz = v.wy;\nv.s3 += 1;\nout[i] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;",
     lambda i, v: 7 + 10 * i + 100 * i + 8000)
on_x("vector_dynamic", "a component by a variable index", "uint v[4] = {x[i], i, 3, 4};\nuint4 w = vload4(0, v);\nw[x[i] & 3] += 5;\nout[i] = w[(x[i] >> 2) & 3];",
     lambda i, v: [a + (5 if k == (v & 3) else 0) for k, a in enumerate([v, i, 3, 4])][(v >> 2) & 3])
on_x("vector_compare", "comparisons of vectors give masks", "int4 m = (int4)(x[i] & 255, x[i] >> 8 & 255, x[i] >> 16 & 255, x[i] >> 24) > (int4)(100);\nout[i] = (uint)(-(m.x + m.y + m.z + m.w)) + 10 * any(m) + 20 * all(m);",
     lambda i, v: (lambda n: n + 10 * (n > 0) + 20 * (n == 4))(sum((v >> s & 255) > 100 for s in (0, 8, 16, 24))))
on_x("vector_16", "sixteen components", "uint16 v = (uint16)(x[i]) + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\nuint8 h = v.hi ^ v.lo;\nuint4 q = h.even + h.odd;\nout[i] = q.x + q.y + q.z + q.w;",
     lambda i, v: sum(((v + 8 + k) & M) ^ ((v + k) & M) for k in range(8)))
on_x("vector_3", "three components occupy the space of four", "uint3 a[2];\na[0] = (uint3)(x[i], 1, 2);\na[1] = (uint3)(3, 4, i);\nout[i] = a[i & 1].x + a[i & 1].z + (uint)sizeof(a);",
     lambda i, v: (3 + i if i & 1 else v + 2) + 32)
on_x("vector_select", "select takes the sign of the condition", "uint2 r = select((uint2)(1, 2), (uint2)(10, 20), (uint2)(x[i], ~x[i]));\nout[i] = r.x + r.y;",
     lambda i, v: (10 if v >> 31 else 1) + (2 if v >> 31 else 20))
on_x("structure_layout", "members have the offsets that C gives them", "cell c = {(char)x[i], x[i], (short)i, {x[i], i}, 5};\nprivate uchar *p = (private uchar *)&c;\nout[i] = sizeof(cell) + 100 * p[0] + p[4] * 1000 + p[8] * 100000;",
     lambda i, v: 32 + 100 * (v & 255) + (v & 255) * 1000 + (i & 255) * 100000,
     before="typedef struct { char a; uint b; short c; uint2 d; uchar e; } cell;\n")
on_x("structure_packed", "packed structures have no holes", "cell c = {(char)x[i], x[i], (short)i};\nprivate uchar *p = (private uchar *)&c;\nout[i] = sizeof(cell) + 100 * p[1] + p[5] * 100000;",
     lambda i, v: 7 + 100 * (v & 255) + (i & 255) * 100000,
     before="typedef struct __attribute__((packed)) { char a; uint b; short c; } cell;\n")
on_x("union_bits", "a union shows the bytes of a number", "union { uint u; uchar b[4]; } v;\nv.u = x[i];\nout[i] = v.b[x[i] & 3] + 256 * v.b[3];",
     lambda i, v: (v >> 8 * (v & 3) & 255) + 256 * (v >> 24))
add("argument_structure", "a structure by value", """
typedef struct { uint a; float b; uint c[3]; } values;
kernel void k(global uint *out, values v) {
    uint i = get_global_id(0);
    out[i] = v.a + (uint)v.b * 10 + v.c[i % 3];
}""", [1000 + 20 + [7, 8, 9][i % 3] for i in range(N)], args="out 1000 f32:2.5 7 8 9")
add("argument_scalars", "scalars of all widths", """
kernel void k(global uint *out, uchar a, short b, ulong c, float d, char e) {
    uint i = get_global_id(0);
    out[i] = a + (uint)(int)b + (uint)(c >> 32) + (uint)d + (uint)(int)e + i;
}""", [(200 - 5 + 3 + 6 - 1 + i) & M for i in range(N)], args="out 200 0xFFFB 0 3 f32:6.5 0xFF")

# ---- Memory ----

on_x("private_array", "an array that is indexed by a variable", "uint a[16];\nfor (uint k = 0; k < 16; k++) a[k] = k * k + i;\nfor (uint k = 0; k < 16; k++) a[(k * 5 + x[i]) & 15] += k;\nout[i] = a[x[i] >> 4 & 15];",
     lambda i, v: (lambda a: a[v >> 4 & 15])([k * k + i + [j for j in range(16) if (j * 5 + v) & 15 == k][0] for k in range(16)]))
on_x("constant_table", "a table in constant memory", "out[i] = table[x[i] & 7] + sums[i & 3].y;", lambda i, v: [1, 1, 2, 3, 5, 8, 13, 21][v & 7] + [20, 40, 60, 80][i & 3],
     before="constant uint table[8] = {1, 1, 2, 3, 5, 8, 13, 21};\ntypedef struct { uint x, y; } two;\nconstant two sums[4] = {{1, 20}, {3, 40}, {5, 60}, {7, 80}};\n")
on_x("constant_string", "characters of a string", "constant char *s = \"wavefront\";\nout[i] = s[x[i] % 9];", lambda i, v: ord("wavefront"[v % 9]))
add("local_array", "an array of the workgroup, and a barrier", """
kernel void k(global uint *out, global const uint *x) {
    local uint l[64];
    uint i = get_local_id(0);
    l[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[63 - i] + l[(i * 7) & 63];
}""", [(X[63 - i] + X[i * 7 & 63]) & M for i in range(N)], inputs=[("x", "u32", X)])
add("local_argument", "local memory as an argument", """
kernel void k(global uint *out, local uint *l, global const uint *x) {
    uint i = get_local_id(0);
    l[i ^ 5] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[i];
}""", [X[i ^ 5] for i in range(N)], inputs=[("x", "u32", X)], cc="--local=l=256")
add("pointer_arithmetic", "differences and comparisons of pointers", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_global_id(0);
    global const uint *p = x + i, *end = x + 64;
    uint n = 0;
    while (p < end && (*p & 15) != 0) { p += 2; n++; }
    out[i] = n * 1000 + (uint)(p - x);
}""", [(lambda path: path[0] * 1000 + path[1])((lambda i: next((n, i + 2 * n) for n in range(65) if i + 2 * n >= N or X[i + 2 * n] & 15 == 0))(i))
       for i in range(N)], inputs=[("x", "u32", X)])
on_x("pointer_generic", "a pointer to one of two address spaces, inlined", "uint own[2] = {i, x[i]};\nout[i] = second(own) + second(x);",
     lambda i, v: v + X[1], before="uint second(const uint *p) { return p[1]; }\n")
on_x("pointer_null", "NULL is the address of no object", "global const uint *p = x[i] & 1 ? x + i : (global const uint *)0;\nout[i] = p ? *p : 42;",
     lambda i, v: v if v & 1 else 42)
add("memory_copy", "structures copied as a whole, overlapping too", """
typedef struct { uint v[8]; } block;
kernel void k(global block *out, global const block *x) {
    uint i = get_global_id(0);
    block b = x[i];
    b.v[3] = 9;
    out[i] = b;
}""", [9 if i % 8 == 3 else X[i] for i in range(N)], inputs=[("x", "u32", X)], group=8)
add("bytes", "stores of single bytes side by side", """
kernel void k(global uchar *out, global const uint *x) {
    uint i = get_global_id(0);
    out[i] = (uchar)(x[i] >> 3);
}""", [v >> 3 & 255 for v in X], kind="u8", inputs=[("x", "u32", X)])
add("vload_vstore", "vectors at any element", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_global_id(0);
    uint3 v = vload3(i, x + 1);
    vstore3(v.zxy, i, out);
}""", [w for i in range(16) for w in (X[3 * i + 3], X[3 * i + 1], X[3 * i + 2])], inputs=[("x", "u32", X)], group=16)
add("volatile_global", "volatile memory is read each time", """
kernel void k(volatile global uint *out, volatile global const uint *x) {
    uint i = get_global_id(0);
    out[i] = x[i] - x[i] + x[i];
}""", X, inputs=[("x", "u32", X)])
add("async_copy", "asynchronous copies to local memory and back, strided too", """
kernel void k(global uint *out, global const uint *x) {
    local uint l[64];
    event_t e = async_work_group_copy(l, x, 64, 0);
    wait_group_events(1, &e);
    uint i = get_local_id(0), v = l[63 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i] = v + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out, l, 32, 2, 0);
    wait_group_events(1, &e);
}""", [(X[63 - i // 2] + 1) & M if i % 2 == 0 else 0 for i in range(N)], inputs=[("x", "u32", X)])

# ---- Work-items ----

for axis, letter in enumerate("xyz"):
    shape, groups = (4, 3, 2), (2, 3, 2)
    total = [shape[d] * groups[d] for d in range(3)]
    results = []
    for z in range(total[2]):
        for y in range(total[1]):
            for x in range(total[0]):
                p = (x, y, z)[axis]
                results.append(p + 100 * (p % shape[axis]) + 10000 * (p // shape[axis]) + 1000000 * total[axis] + 100000000 * groups[axis] % 4294967296)
    add("ids_" + letter, "positions along %s in three dimensions" % letter, """
kernel void k(global uint *out) {
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    out[i] = get_global_id(%d) + 100 * get_local_id(%d) + 10000 * get_group_id(%d) + 1000000 * get_global_size(%d) + 100000000 * get_num_groups(%d);
}""" % ((axis,) * 5), results, grid="2 3 2", group="4 3 2")
add("ids_linear", "linear positions", """
kernel void k(global uint *out) {
    out[get_global_linear_id()] = get_local_linear_id() + 100 * get_local_size(0) + 10000 * get_local_size(1) + get_global_offset(0);
}""", [(i % 8 % 4) + 4 * (i // 8 % 2) + 100 * 4 + 10000 * 2 for i in range(32)], grid="2 2", group="4 2")
add("required_size", "a required size of the workgroup", """
__attribute__((reqd_work_group_size(16, 2, 1)))
kernel void k(global uint *out) {
    out[get_global_id(0) + 16 * get_global_id(1)] = get_local_size(0) * 100 + get_local_size(1);
}""", [1602] * 32, group="16 2")

# ---- Atomics and order ----

add("atomic_sum", "sums and counts of all work-items", """
kernel void k(global uint *out, global const uint *x) {
    atomic_add(&out[0], x[get_global_id(0)]);
    atomic_inc(&out[1]);
    atomic_max(&out[2], x[get_global_id(0)]);
    atomic_min((volatile global int *)&out[3], (int)x[get_global_id(0)]);
    atomic_or(&out[4], x[get_global_id(0)] & 0xF0F0);
    atomic_xor(&out[5], x[get_global_id(0)]);
    atomic_sub(&out[6], 3);
    atomic_dec(&out[7]);
}""", [sum(X) & M, 64, max(X), min(0, min(signed(v) for v in X)) & M, functools.reduce(lambda a, b: a | b & 0xF0F0, X, 0),
       functools.reduce(lambda a, b: a ^ b, X), -192 & M, -64 & M], inputs=[("x", "u32", X)], group=16, grid=4)
add("atomic_local", "a count in local memory", """
kernel void k(global uint *out, global const uint *x) {
    local uint n, m;
    if (get_local_id(0) == 0) n = m = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x[get_global_id(0)] % 3 == 0) atomic_inc(&n);
    atomic_max(&m, x[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) { out[2 * get_group_id(0)] = n; out[2 * get_group_id(0) + 1] = m; }
}""", [w for g in range(4) for w in (sum(v % 3 == 0 for v in X[16 * g:16 * g + 16]), max(X[16 * g:16 * g + 16]))],
    inputs=[("x", "u32", X)], group=16, grid=4)
add("atomic_exchange", "compare and exchange in a loop", """
kernel void k(global uint *out, global const uint *x) {
    uint old = 0, seen;
    while ((seen = atomic_cmpxchg(out, old, old * 1 + x[get_global_id(0)] % 10)) != old) old = seen;
}""", [sum(v % 10 for v in X)], inputs=[("x", "u32", X)], group=16, grid=4)
add("atomic_c11", "atomics of OpenCL 2.0", """
kernel void k(global atomic_uint *out, global const uint *x) {
    atomic_fetch_add(&out[0], x[get_global_id(0)] & 255);
    atomic_fetch_max_explicit(&out[1], x[get_global_id(0)], memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(&out[2], 1u << (get_global_id(0) & 31), memory_order_relaxed);
    uint e = 0;
    atomic_compare_exchange_strong(&out[3], &e, 7u);
}""", [sum(v & 255 for v in X), max(X), M, 7], inputs=[("x", "u32", X)], group=16, grid=4)
add("atomic_message", "a message by release and acquire", """
kernel void k(global uint *out, global atomic_uint *flag) {
    if (get_group_id(0) == 0) {
        if (get_local_id(0) == 0) {
            out[0] = 42;
            atomic_store_explicit(flag, 1u, memory_order_release, memory_scope_device);
        }
    } else if (get_local_id(0) == 0) {
        uint seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
        out[1] = seen == 0 || out[0] == 42;
    }
}""", [42, 1], inputs=[("flag", "u32", [0])], group=4, grid=2)
add("fence_local", "fences and barriers of local memory", """
kernel void k(global uint *out, global const uint *x) {
    local uint l[64];
    uint i = get_local_id(0);
    l[i] = x[i];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint n = 32; n > 0; n /= 2) {
        if (i < n) l[i] += l[i + n];
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) out[0] = l[0];
}""", [sum(X) & M], inputs=[("x", "u32", X)])

# ---- Groups ----

add("group_reduce", "reductions and scans of a workgroup", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0), v = x[i] & 0xFFFF;
    out[4 * i] = work_group_reduce_add(v);
    out[4 * i + 1] = work_group_scan_inclusive_add(v);
    out[4 * i + 2] = work_group_scan_exclusive_max(v);
    out[4 * i + 3] = work_group_broadcast(v, 5);
}""", [w for i in range(N) for w in (sum(v & 0xFFFF for v in X), sum(v & 0xFFFF for v in X[:i + 1]), max([0] + [v & 0xFFFF for v in X[:i]]), X[5] & 0xFFFF)],
    inputs=[("x", "u32", X)])
add("group_vote", "any and all of a workgroup", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0);
    out[i] = (work_group_any(x[i] == x[9]) != 0) + 2 * (work_group_all(x[i] != 1) != 0) + 4 * (work_group_all(x[i] & 1) != 0);
}""", [1 + 2 * all(v != 1 for v in X) + 4 * all(v & 1 for v in X)] * N, inputs=[("x", "u32", X)])
WIDTHS = ["widths  4 8 16 32 64"]
add("sub_group_ids", "positions in sub-groups, whatever their size", """
kernel void k(global uint *out) {
    uint i = get_local_id(0);
    out[i] = get_sub_group_id() * get_sub_group_size() + get_sub_group_local_id() == i && get_num_sub_groups() * get_sub_group_size() == 64;
}""", [1] * N, extra=WIDTHS)
add("sub_group_reduce", "sums of sub-groups add up to that of the workgroup", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0), s = sub_group_reduce_add(x[i]);
    uint scan = sub_group_scan_inclusive_add(x[i]);
    if (get_sub_group_local_id() == 0) atomic_add(&out[0], s);
    if (get_sub_group_local_id() == get_sub_group_size() - 1) atomic_add(&out[1], scan);
    atomic_max(&out[2], sub_group_reduce_max(x[i]));
}""", [sum(X) & M, sum(X) & M, max(X)], inputs=[("x", "u32", X)], extra=WIDTHS)
add("sub_group_shuffle", "values of other lanes", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0);
    out[i] = sub_group_shuffle_xor(x[i], 1u) + sub_group_shuffle(x[i], get_sub_group_local_id() ^ 2);
}""", [(X[i ^ 1] + X[i ^ 2]) & M for i in range(N)], inputs=[("x", "u32", X)], extra=WIDTHS)
add("sub_group_ballot", "a mask of lanes", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0);
    uint4 m = sub_group_ballot(x[i] & 1);
    atomic_add(&out[0], get_sub_group_local_id() == 0 ? sub_group_ballot_bit_count(m) : 0);
    out[1 + i] = sub_group_ballot_bit_extract(m, get_sub_group_local_id());
}""", [sum(v & 1 for v in X)] + [v & 1 for v in X], inputs=[("x", "u32", X)], extra=WIDTHS)
add("sub_group_vote", "any and all of a sub-group", """
kernel void k(global uint *out, global const uint *x) {
    uint i = get_local_id(0);
    out[i] = (sub_group_any(i < 64) != 0) + 2 * (sub_group_all(i < 64) != 0) + 4 * (sub_group_any(x[i] == 1) != 0);
}""", [3 + 4 * (1 in X)] * N, inputs=[("x", "u32", X)], extra=WIDTHS)

# ---- Options ----

add("macro", "macros of the command line", "kernel void k(global uint *out) { out[get_global_id(0)] = SCALE * get_global_id(0) + PLUS; }",
    [3 * i + 1 for i in range(N)], cc="-DSCALE=3 -D PLUS=1")
add("unoptimised", "clang's code without optimisation", """
uint square(uint v) { return v * v; }
kernel void k(global uint *out, global const uint *x) {
    uint i = get_global_id(0), a[4];
    for (uint n = 0; n < 4; n++) a[n] = square(x[i] + n);
    out[i] = a[0] ^ a[1] ^ a[2] ^ a[3];
}""", [((v * v) ^ (v + 1) ** 2 ^ (v + 2) ** 2 ^ (v + 3) ** 2) & M for v in X], inputs=[("x", "u32", X)], cc="-O0")
add("standard_12", "OpenCL C 1.2", "__kernel void k(__global uint *out) { out[get_global_id(0)] = __OPENCL_C_VERSION__; }", [120] * N, cc="-cl-std=CL1.2")
add("second_kernel", "one kernel of several", """
kernel void first(global uint *out) { out[get_global_id(0)] = 1; }
kernel void second(global uint *out) { out[get_global_id(0)] = 2; }""", [2] * N, extra=["kernel second"])

if __name__ == "__main__":
    main(HERE, KERNELS)
