"""Conversions from double and half, in every rounding mode and saturated; conversions of whole vectors of floats; as_ of vectors."""
import math
import struct

from floats import TO_INTEGER, samples, saturated
from kernels import BITS, TEXT, Random, bits32, f16, f32, from_bits32, limits
from vectors import half_bits

MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")
FP64 = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
FP16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
LARGEST = from_bits32(0x7F7FFFFF)
WIDE = (1e30, -1e30, math.inf, -math.inf, 1e-30, -1e-30, 300.5, -300.5, 70000.5, -70000.5, 5e9, -5e9, 128.0, 255.5, 2147483648.0, 1e19)


def narrowed(x, mode):
    """A double as float, rounded in a direction."""
    near = f32(x)
    if near == x or mode in ("", "_rte"):
        return near
    toward = {"_rtz": abs(near) > abs(x), "_rtp": near < x, "_rtn": near > x}[mode]
    if not toward:
        return near
    if math.isinf(near):
        return math.copysign(LARGEST, x)
    away = mode != "_rtz" and (x > 0) == (mode == "_rtp")
    return from_bits32(bits32(near) + (1 if away else -1))


def from_double(files):
    x = [0.0, -0.0, 0.5, 1.5, 2.5, 0.75, 126.5, 100.25, 3.999, 1.0, 2.0**31 - 1.5, 2.0**30 + 0.5, 7.5, 8.5, 12345678.5, 0.25]
    for name in ("int", "uint", "long", "ulong", "short", "uchar"):
        low, high = limits(name)
        values = [min(v, float(high - 1)) if BITS[name] < 32 else v for v in x]
        values = values if name.startswith("u") else [-v if k % 3 == 0 else v for k, v in enumerate(values)]
        calls = "\n".join(f"    out[{16 * k} + i] = convert_{name}{mode}(a);" for k, mode in enumerate(TO_INTEGER))
        files.add(f"conversions/double_to_{name}.cl", f"double to {name}: every rounding mode, and saturated", f"""
{FP64}
kernel void convert(global const double *x, global const double *wide, global {name} *out) {{
    size_t i = get_global_id(0);
    double a = x[i];
{calls}
    out[80 + i] = convert_{name}_sat(wide[i]);
    out[96 + i] = convert_{name}_sat_rtp(wide[i]);
}}
""", [("x", "f64", values), ("wide", "f64", list(WIDE)), ("out", TEXT[BITS[name]], 112)], "x wide out",
                  [("out", [f(v) for f in TO_INTEGER.values() for v in values] + [saturated(v, low, high, math.trunc) for v in WIDE] +
                    [saturated(v, low, high, math.ceil) for v in WIDE])], group="16")
    x = samples("double", 32, 21, 1e6)
    x[4:12] = [1 + 2.0**-30, -1 - 2.0**-30, 1e39, -1e39, 3.4028235677973366e38, 16777217.0, -16777217.0, 0.1]
    calls = "\n".join(f"    out[{32 * k} + i] = convert_float{mode}(x[i]);" for k, mode in enumerate(MODES))
    files.add("conversions/double_to_float.cl", "double to float in every rounding mode", f"""
{FP64}
kernel void convert(global const double *x, global float *out) {{
    size_t i = get_global_id(0);
{calls}
}}
""", [("x", "f64", x), ("out", "f32", 160)], "x out", [("out", [narrowed(v, mode) for mode in MODES for v in x])], group="32")


def to_half(files):
    x = samples("float", 16, 22, 3000.0)
    x[4:12] = [f32(v) for v in (1.0004, -1.0004, 2049.0, -2049.0, 1e-8, -1e-8, 70000.0, -70000.0)]
    calls = "\n".join(f"    out[{16 * k} + i] = convert_half{mode}(x[i]);" for k, mode in enumerate(MODES))
    files.add("conversions/float_to_half.cl", "float to half in every rounding mode; half to integers, saturated", f"""
{FP16}
kernel void convert(global const float *x, global half *out, global uchar *small, global long *wide) {{
    size_t i = get_global_id(0);
{calls}
    half h = convert_half(x[i]);
    small[i] = convert_uchar_sat_rte(h);
    wide[i] = convert_long_sat_rtn(h);
    wide[16 + i] = convert_long_sat(convert_double(h));
}}
""", [("x", "f32", x), ("out", "f16", 80), ("small", "u8", 16), ("wide", "u64", 32)], "x out small wide",
              [("out u16", [half_bits(v, mode[1:] or "rte") for mode in MODES for v in x]),
               ("small", [saturated(f16(v), 0, 255, round) for v in x]),
               ("wide", [saturated(f16(v), *limits("long"), math.floor) for v in x] + [saturated(f16(v), *limits("long"), math.trunc) for v in x])],
              group="16")


def of_vectors(files):
    """Each component is converted as a scalar."""
    random = Random(23)
    x = [f32((random.bits(32) / 2**31 - 1) * 400) for _ in range(64)]
    n = [random.bits(32) - 2**31 for _ in range(64)]
    files.add("conversions/vector_floats.cl", "vectors of floats to integers and back, every size, rounded and saturated", """
kernel void convert(global const float *x, global const int *n, global int *whole, global uchar *small, global float *back) {
    size_t i = get_global_id(0);
    vstore2(convert_int2_rtp(vload2(i, x)), i, whole);
    vstore3(convert_int3_rtn(vload3(i, x)), i, whole + 8);
    vstore4(convert_int4(vload4(i, x)), i, whole + 20);
    vstore8(convert_uchar8_sat_rte(vload8(i, x)), i, small);
    vstore16(convert_uchar16_sat(vload16(i, x)), i, small + 32);
    vstore4(convert_float4_rtz(vload4(i, n)), i, back);
    vstore16(convert_float16(vload16(i, n)), i, back + 16);
}
""", [("x", "f32", x), ("n", "i32", n), ("whole", "i32", 36), ("small", "u8", 96), ("back", "f32", 80)], "x n whole small back",
              [("whole", [math.ceil(v) for v in x[:8]] + [math.floor(v) for v in x[:12]] + [math.trunc(v) for v in x[:16]]),
               ("small", [saturated(v, 0, 255, round) for v in x[:32]] + [saturated(v, 0, 255, math.trunc) for v in x]),
               ("back", [narrowed(float(v), "_rtz") for v in n[:16]] + [f32(float(v)) for v in n])], group="4")


def as_vectors(files):
    random = Random(24)
    words = [random.bits(32) for _ in range(16)]
    data = struct.pack("<16I", *words)

    def at(k, size):
        return data[16 * k : 16 * k + size]

    three = [w for k in range(4) for w in (*words[4 * k : 4 * k + 3],)]
    # as_short8(v).s76543210, as_uchar16(v) with its bytes reversed, as_ulong2(v).yx, as_float4(v) times minus
    # one
    shorts = [struct.unpack("<8H", at(k, 16))[7 - c] for k in range(4) for c in range(8)]
    turned = [at(k, 16)[15 - c] for k in range(4) for c in range(16)]
    longs = [struct.unpack("<2Q", at(k, 16))[1 - c] for k in range(4) for c in range(2)]
    files.add("conversions/as_vectors.cl", "as_ between vectors of one size: all 16 bytes are unchanged, and three of four components", f"""
{FP64}{FP16}
kernel void reinterpret(global const uint *x, global uint *three, global short *shorts, global uchar *bytes, global ulong *longs, global uint *same) {{
    size_t i = get_global_id(0);
    uint4 v = vload4(i, x);
    vstore3(as_uint3(as_float3(v.xyz)), i, three);
    vstore8(as_short8(v).s76543210, i, shorts);
    vstore16(as_uchar16(v).sfedcba9876543210, i, bytes);
    vstore2(as_ulong2(v).yx, i, longs);
    vstore4(as_uint4(as_double2(as_char16(v))), i, same);
    vstore4(as_uint4(as_half8(as_int4(v))), i, same + 16);
    same[32 + i] = as_uint(as_half2(v.y));
    same[36 + i] = as_ushort(as_half((ushort)v.z));
    vstore2(as_uint2(as_double(as_ulong(v.zw))), i, same + 40);
    vstore3(as_int4(as_float4(v)).xyz, i, (global int *)same + 48);
}}
""", [("x", "u32", words), ("three", "u32", 12), ("shorts", "u16", 32), ("bytes", "u8", 64), ("longs", "u64", 8), ("same", "u32", 60)],
              "x three shorts bytes longs same",
              [("three", three), ("shorts", shorts), ("bytes", turned), ("longs", longs),
               ("same", words + words + words[1::4] + [w & 0xFFFF for w in words[2::4]] + [w for k in range(4) for w in words[4 * k + 2 : 4 * k + 4]] + three)],
              group="4")


def add(files):
    from_double(files)
    to_half(files)
    of_vectors(files)
    as_vectors(files)
