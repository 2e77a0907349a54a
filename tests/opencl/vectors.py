"""Vectors: components, literals, comparisons, loads and stores of every width, half in memory."""
from kernels import Random, f16, f32, to_bits, wrap

RAMP = [3 * k - 20 for k in range(64)]


def components(files):
    files.add("vector_components/swizzle.cl", "swizzles read and write components, hi lo even odd", """
kernel void swizzle(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    int4 v = vload4(i, x);
    int8 w = (int8)(v, v.wzyx);
    vstore4(v.yxwz, 6 * i, out);
    vstore4((int4)(v.hi, v.lo), 6 * i + 1, out);
    vstore4(w.even, 6 * i + 2, out);
    vstore4(w.odd, 6 * i + 3, out);
    v.xz = v.zx;
    v.w += v.s1;
    vstore4(v, 6 * i + 4, out);
    w.lo.y = 77;
    w.s7 = w.s0;
    vstore4(w.s1357, 6 * i + 5, out);
}
""", [("x", "i32", RAMP), ("out", "i32", 384)], "x out", [("out", [n for k in range(16) for n in swizzled(RAMP[4 * k:4 * k + 4])])], group="16")
    files.add("vector_components/dynamic_index.cl", "a component chosen at run time, read and written", """
kernel void dynamic(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    int8 v = vload8(i, x);
    int n = x[i] & 7;
    out[9 * i] = v[n];
    v[(n + 3) & 7] = 1000 + n;
    vstore8(v, 0, out + 9 * i + 1);
}
""", [("x", "i32", RAMP), ("out", "i32", 72)], "x out",
              [("out", [n for k in range(8) for n in [RAMP[8 * k + (RAMP[k] & 7)]] +
                        [1000 + (RAMP[k] & 7) if c == ((RAMP[k] & 7) + 3 & 7) else RAMP[8 * k + c] for c in range(8)]])], group="8")
    files.add("vector_components/compare_masks.cl", "comparisons of vectors give -1, of narrow ones in their width; logical operators and ?:", """
kernel void masks(global const int *x, global int *out, global uchar *bytes) {
    size_t i = get_global_id(0);
    int4 a = vload4(i, x), b = a.wxyz;
    vstore4(a > b, i, out);
    vstore4(!(a > 0) || (b != 4), i + 16, out);
    vstore4(a < b ? a : b * 2, i + 32, out);
    uchar4 c = convert_uchar4(a);
    vstore4(as_uchar4(c >= (uchar)100), i, bytes);
}
""", [("x", "i32", RAMP), ("out", "i32", 192), ("bytes", "u8", 64)], "x out bytes",
              [("out", [-int(a > b) for a, b in turned()] + [-int(not a > 0 or b != 4) for a, b in turned()] + [(a if a < b else b * 2) for a, b in turned()]),
               ("bytes", [255 * (to_bits(a, 8) >= 100) for a in RAMP])], group="16")
    files.add("vector_components/scalar_operands.cl", "a scalar operand applies to every component of a vector", """
kernel void widen(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float4 v = vload4(i, x);
    v = 2.0f * v + 1.0f;
    v -= (float4)(i);
    v.lo *= -1.0f;
    vstore4(v, i, out);
}
""", [("x", "f32", (64, "iota 0 0.25")), ("out", "f32", 64)], "x out",
              [("out", [(0.5 * k + 1 - k // 4) * (-1 if k % 4 < 2 else 1) + 0.0 for k in range(64)])], group="16")
    masks = [k * 7 % 16 for k in range(16)]
    files.add("vector_components/shuffle.cl", "shuffle and shuffle2 with masks from memory", """
kernel void shuffled(global const int *x, global const uint *mask, global int *out) {
    size_t i = get_global_id(0);
    int8 a = vload8(0, x), b = vload8(1, x);
    uint4 m = vload4(i, mask);
    vstore4(shuffle(a, m), i, out);
    vstore4(shuffle2(a, b, m), i + 4, out);
}
""", [("x", "i32", RAMP[:16]), ("mask", "u32", masks), ("out", "i32", 32)], "x mask out",
              [("out", [RAMP[m & 7] for m in masks] + [RAMP[m] for m in masks])], group="4")
    files.add("vector_components/sixteen.cl", "vectors of sixteen: sums of halves, a dot product by hand", """
kernel void sixteen(global const short *x, global int *out) {
    size_t i = get_global_id(0);
    short16 v = vload16(i, x);
    int16 w = convert_int16(v) * convert_int16(v.s0123456789abcdef);
    int8 e = w.lo + w.hi;
    int4 f = e.lo + e.hi;
    int2 g = f.lo + f.hi;
    out[i] = g.x + g.y;
}
""", [("x", "u16", (256, "iota -100 3")), ("out", "i32", 16)], "x out",
              [("out", [sum((3 * (16 * k + c) - 100) ** 2 for c in range(16)) for k in range(16)])], group="16")
    files.add("vector_components/three_in_memory.cl", "an array of float3 has elements of 16 bytes, vload3 of 12", """
kernel void three(global const float3 *padded, global const float *dense, global float3 *out, global float *tight) {
    size_t i = get_global_id(0);
    float3 a = padded[i], b = vload3(i, dense);
    out[i] = a + b;
    vstore3(a * b, i, tight);
}
""", [("padded", "f32", (64, "iota 0")), ("dense", "f32", (48, "iota 1")), ("out", "f32", 64), ("tight", "f32", 48)], "padded dense out tight",
              [(f"out[{4 * k}..{4 * k + 3}]", [float(4 * k + c + 3 * k + c + 1) for c in range(3)]) for k in range(16)] +
              [("tight", [float((4 * k + c) * (3 * k + c + 1)) for k in range(16) for c in range(3)])], group="16")


def swizzled(v):
    x, y, z, w = v
    eight = [x, y, z, w, w, z, y, x]
    second = list(eight)
    second[1] = 77
    second[7] = second[0]
    return [y, x, w, z] + [z, w, x, y] + eight[0::2] + eight[1::2] + [z, y, x, w + y] + second[1::2]


def turned():
    return [(RAMP[k], RAMP[4 * (k // 4) + (k + 3) % 4]) for k in range(64)]


def memory(files):
    for name, kind in (("char", "u8"), ("ushort", "u16"), ("int", "u32"), ("ulong", "u64"), ("float", "f32")):
        total = 64
        values = [float(k) for k in range(total)] if kind == "f32" else [k * 5 - 9 for k in range(total)]
        body = "\n".join(f"    vstore{n}(vload{n}(i, x + 1) + ({name})i, i, out + {at});" for n, at in ((2, 0), (3, 8), (4, 20), (8, 36), (16, 68)))
        want = []
        for n in (2, 3, 4, 8, 16):
            top = [((values[1 + k * n + c] if 1 + k * n + c < total else None), k) for k in range(3) for c in range(n)]
            assert all(v is not None for v, _ in top)
            block = [v + k for v, k in top]
            want.append(block)
        ranges = [(0, 6), (8, 17), (20, 32), (36, 60), (68, 116)]
        files.add(f"vload_vstore/{name}.cl", f"vload and vstore of {name}, 2 to 16 components, from odd elements", f"""
kernel void moved(global const {name} *x, global {name} *out) {{
    size_t i = get_global_id(0);
{body}
}}
""", [("x", kind, values), ("out", kind, 120)], "x out", [(f"out[{lo}..{hi}]", block) for (lo, hi), block in zip(ranges, want)], group="3")
    random = Random(61)
    x = [f32((random.bits(32) / 2**31 - 1) * 1000) for _ in range(32)]
    files.add("vload_vstore/half.cl", "half in memory through vload_half and vstore_half, scalars and vectors, no half arithmetic", """
kernel void through(global const float *x, global half *narrow, global float *back) {
    size_t i = get_global_id(0);
    vstore_half(x[i], i, narrow);
    back[i] = vload_half(i, narrow);
    if (i < 8)
        vstore_half4(vload4(i, x), i + 8, narrow);
    if (i < 8)
        vstore4(vload_half4(i + 8, narrow), i + 8, back);
}
""", [("x", "f32", x), ("narrow", "f16", 64), ("back", "f32", 64)], "x narrow back", [("narrow", [f16(v) for v in x] * 2), ("back", [f16(v) for v in x] * 2)], group="32")
    y = [1.0004, -1.0004, 2049.0, -2049.0, 0.1, -0.1, 1e-8, 70000.0]
    files.add("vload_vstore/half_rounding.cl", "vstore_half in every rounding mode", """
kernel void rounded(global const float *x, global half *out) {
    size_t i = get_global_id(0);
    vstore_half_rte(x[i], i, out);
    vstore_half_rtz(x[i], i + 8, out);
    vstore_half_rtp(x[i], i + 16, out);
    vstore_half_rtn(x[i], i + 24, out);
}
""", [("x", "f32", [f32(v) for v in y]), ("out", "f16", 32)], "x out", [("out u16", [half_bits(f32(v), mode) for mode in ("rte", "rtz", "rtp", "rtn") for v in y])], group="8")
    half_aligned(files)
    files.add("vload_vstore/local_and_private.cl", "vload and vstore on local and private memory and on constant tables", """
constant int table[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

kernel void moved(global int *out) {
    local int shared[64];
    int own[8];
    size_t i = get_local_id(0);
    vstore4((int4)(i) + (int4)(0, 1, 2, 3), i, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4(vload4(15 - i, shared), 0, own);
    vstore4(vload4(i % 3, table), 1, own);
    int3 v = vload3(1, own);
    vstore3(v, i, out);
}
""", [("out", "i32", 48)], "out",
              [("out", [(own := [15 - k + c for c in range(4)] + [4 * (k % 3) + 1 + c for c in range(4)])[3 + c] for k in range(16) for c in range(3)])], group="16")
    assert wrap(255, "char") == -1


def half_aligned(files):
    """Vectors of three are four elements apart; the other sizes are as without a."""
    x = [f32(k * 0.37 - 5.0) for k in range(32)]
    halves = [f16(v) for v in x]
    three = [halves[4 * k + c] for k in range(8) for c in range(3)]
    # The fourth element after a store is unspecified.
    stored = [(f"out[{4 * k}..{4 * k + 3}]", three[3 * k : 3 * k + 3]) for k in range(8)]
    cut = [(f"cut[{4 * k}..{4 * k + 3}] u16", [half_bits(x[4 * k + c], "rtz") for c in range(3)]) for k in range(8)]
    files.add("vload_vstore/half_aligned.cl", "vloada_half and vstorea_half: three components occupy the space of four", """
kernel void aligned(global const float *x, global const half *h, global float *back, global half *out, global half *cut, global float *four) {
    local half shared[32];
    uint i = get_global_id(0), next = i;
    float3 v = vloada_half3(next++, h);
    vstore3(v, i, back);
    vstorea_half3(v, i, out);
    vstorea_half3_rtz(vload4(i, x).xyz, i, cut);
    back[24 + i] = next;
    vstorea_half3(v, i, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(vloada_half3(7 - i, shared), i, back + 32);
    vstore4(vloada_half4(i, h), i, four);
    vstore2(vloada_half2(i, h), i, four + 32);
}
""", [("x", "f32", x), ("h", "f16", halves), ("back", "f32", 56), ("out", "f16", 32), ("cut", "f16", 32), ("four", "f32", 48)],
              "x h back out cut four",
              [("back", three + [float(k + 1) for k in range(8)] + [three[3 * (7 - k) + c] for k in range(8) for c in range(3)]),
               *stored, *cut, ("four", halves + halves[:16])], group="8")


def half_bits(x, mode):
    """The bits of x as half, rounded in a direction."""
    import math
    import struct
    near = f16(x)
    bits = struct.unpack("<H", struct.pack("<e", near))[0]
    if near == x or mode == "rte":
        return bits
    outward = abs(near) > abs(x)
    want_outward = {"rtz": False, "rtp": x > 0, "rtn": x < 0}[mode]
    if math.isinf(near) and not want_outward:
        return (bits & 0x8000) | 0x7BFF
    return bits + (want_outward - outward)


def add(files):
    components(files)
    memory(files)
