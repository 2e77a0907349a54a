"""Arithmetic, comparison and conversion of half, float and double; common, geometric and relational functions."""
import math

from kernels import BITS, TEXT, Random, bits32, clamp, f16, f32, from_bits32, limits, to_bits, wrap

COUNT = 64
ROUND = {"half": f16, "float": f32, "double": float}
KIND = {"half": "f16", "float": "f32", "double": "f64"}
PRAGMA = {"half": "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", "float": "", "double": "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"}


def samples(name, count, seed, scale=64.0):
    """Zeros, ones, thirds, and random numbers that are not subnormal and far from overflow."""
    random, rounded = Random(seed), ROUND[name]
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 1 / 3, -2 / 3, 7.0, -10.0, 0.1, 3.5, -2.5]
    while len(values) < count:
        values.append((random.bits(32) / 2**31 - 1) * scale)
    return [rounded(v) for v in values[:count]]


def quotient(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def arithmetic(files):
    for name in ("half", "float", "double"):
        rounded = ROUND[name]
        a = samples(name, COUNT, 1)
        b = samples(name, COUNT, 2)
        b = b[3:] + b[:3]
        functions = [("a + b", lambda x, y: x + y), ("a - b", lambda x, y: x - y), ("a * b", lambda x, y: x * y), ("a / b", quotient),
                     ("-a", lambda x, y: -x), ("a < b ? a : b", lambda x, y: x if x < y else y)]
        body = "\n".join(f"    out[{COUNT} * {k} + i] = {text};" for k, (text, _) in enumerate(functions))
        files.add(f"{name}/arithmetic.cl", f"sums, products and quotients of {name}, each rounded once", f"""
{PRAGMA[name]}
kernel void arithmetic(global const {name} *x, global const {name} *y, global {name} *out) {{
    size_t i = get_global_id(0);
    {name} a = x[i], b = y[i];
{body}
}}
""", [("x", KIND[name], a), ("y", KIND[name], b), ("out", KIND[name], COUNT * len(functions))], "x y out",
                  [("out", [rounded(f(p, q)) for _, f in functions for p, q in zip(a, b)])])
        special = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.0]
        x = [v for v in special for _ in special]
        y = special * 8
        files.add(f"{name}/compare.cl", f"comparisons of {name} with zeros, infinities and NaN", f"""
{PRAGMA[name]}
kernel void compare(global const {name} *x, global const {name} *y, global uint *out) {{
    size_t i = get_global_id(0);
    {name} a = x[i], b = y[i];
    out[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 |
             (a && b) << 7;
}}
""", [("x", KIND[name], x), ("y", KIND[name], y), ("out", "u32", 64)], "x y out",
                  [("out", [(a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | (not a < b) << 6 |
                            (a != 0 and b != 0) << 7 for a, b in zip(x, y)])])
        files.add(f"{name}/horner.cl", f"a polynomial of {name}: every step is rounded, nothing is fused", f"""
{PRAGMA[name]}
kernel void horner(global const {name} *x, global {name} *out) {{
    size_t i = get_global_id(0);
    {name} a = x[i], sum = 0;
    for (int k = 1; k <= 6; k++)
        sum = sum * a + ({name})k;
    out[i] = sum;
}}
""", [("x", KIND[name], samples(name, COUNT, 3, 1.5)), ("out", KIND[name], COUNT)], "x out",
                  [("out", [horner(v, rounded) for v in samples(name, COUNT, 3, 1.5)])])
    files.add("double/exact.cl", "fma, sqrt, floor, ceil, trunc, rint, fmin, fmax, fabs of double", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void exact(global const double *x, global double *out) {
    size_t i = get_global_id(0);
    double a = x[i];
    global double *o = out + 9 * i;
    o[0] = fma(a, a, -1.0);
    o[1] = sqrt(fabs(a));
    o[2] = floor(a);
    o[3] = ceil(a);
    o[4] = trunc(a);
    o[5] = rint(a);
    o[6] = fmin(a, 0.25);
    o[7] = fmax(a, 0.25);
    o[8] = copysign(3.0, a);
}
""", [("x", "f64", doubles()), ("out", "f64", 9 * COUNT)], "x out",
              [("out", [w for a in doubles() for w in (fused(a), math.sqrt(abs(a)), signed(math.floor(a), a), signed(math.ceil(a), a),
                                                       signed(math.trunc(a), a), signed(round(a), a), min(a, 0.25), max(a, 0.25),
                                                       math.copysign(3.0, a))])])


def doubles():
    return [v for v in samples("double", COUNT, 4, 1e4)]


def signed(value, like):
    return math.copysign(float(value), like) if value == 0 else float(value)


def fused(a):
    from fractions import Fraction
    return float(Fraction(a) * Fraction(a) - 1)


def horner(a, rounded):
    total = 0.0
    for k in range(1, 7):
        total = rounded(rounded(total * a) + k)
    return total


# --- Conversions --------------------------------------------------------------------------------------------------------

TO_INTEGER = {"": math.trunc, "_rtz": math.trunc, "_rte": round, "_rtp": math.ceil, "_rtn": math.floor}


def directed(value, mode):
    """An integer as float, rounded in a direction."""
    near = f32(float(value)) if abs(value) < 2**53 else nearest(value)
    below = near if near <= value else from_bits32(bits32(near) - 1) if near > 0 else from_bits32(bits32(near) + 1)
    above = near if near >= value else from_bits32(bits32(near) + 1) if near >= 0 else from_bits32(bits32(near) - 1)
    return {"_rtz": below if value >= 0 else above, "_rtp": above, "_rtn": below}.get(mode, near)


def nearest(value):
    """An integer of any size as float: nearest, ties to even."""
    sign, size = (-1 if value < 0 else 1), abs(value)
    shift = max(0, size.bit_length() - 24)
    low, half = size & ((1 << shift) - 1), 1 << shift >> 1
    kept = size >> shift
    kept += shift > 0 and (low > half or (low == half and kept & 1))
    return float(sign * (int(kept) << shift))


def conversions(files):
    values = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75, 126.5, -127.5, 100.25, 3.999, -3.999, 1.0]
    for name in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"):
        signless = name.startswith("u")
        x = [f32(abs(v) if signless else v) for v in values]
        calls = "\n".join(f"    out[{16 * k} + i] = convert_{name}{mode}(a);" for k, mode in enumerate(TO_INTEGER))
        wide = [f32(v) for v in (1e30, -1e30, math.inf, -math.inf, 65535.0, 300.7, -300.7, 70000.0, -70000.0, 5e9, -5e9, 128.0, 255.0, 256.0,
                                 2147483648.0, 1e19)]
        low, high = limits(name)
        files.add(f"conversions/float_to_{name}.cl", f"float to {name}: every rounding mode, and saturated", f"""
kernel void convert(global const float *x, global const float *wide, global {name} *out) {{
    size_t i = get_global_id(0);
    float a = x[i];
{calls}
    out[80 + i] = ({name})a;
    out[96 + i] = convert_{name}_sat(wide[i]);
    out[112 + i] = convert_{name}_sat_rte(wide[i]);
}}
""", [("x", "f32", x), ("wide", "f32", wide), ("out", TEXT[BITS[name]], 128)], "x wide out",
                  [("out", [f(v) for f in TO_INTEGER.values() for v in x] + [math.trunc(v) for v in x] +
                    [saturated(v, low, high, math.trunc) for v in wide] + [saturated(v, low, high, round) for v in wide])], group="16")
    for name in ("int", "uint", "long", "ulong"):
        random = Random(11)
        low, high = limits(name)
        x = [0, 1, high, low, high - 1, 16777217, 16777219, 33554431] + [wrap(random.bits(64) >> random.below(BITS[name]), name) for _ in range(24)]
        modes = ("", "_rte", "_rtz", "_rtp", "_rtn")
        calls = "\n".join(f"    out[{32 * k} + i] = convert_float{mode}(a);" for k, mode in enumerate(modes))
        files.add(f"conversions/{name}_to_float.cl", f"{name} to float in every rounding mode", f"""
kernel void convert(global const {name} *x, global float *out) {{
    size_t i = get_global_id(0);
    {name} a = x[i];
{calls}
    out[160 + i] = (float)a;
}}
""", [("x", TEXT[BITS[name]], x), ("out", "f32", 192)], "x out",
                  [("out", [directed(v, mode) for mode in modes + ("",) for v in x])], group="32")
    x = samples("double", 32, 12, 1e5)
    files.add("conversions/double.cl", "between double, float and integers", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void convert(global const double *x, global float *narrow, global int *whole, global long *wide, global double *back) {
    size_t i = get_global_id(0);
    double a = x[i];
    narrow[i] = (float)a;
    whole[i] = (int)a;
    whole[32 + i] = convert_int_rte(a);
    wide[i] = (long)(a * 1e10);
    back[i] = (double)whole[i];
    back[32 + i] = (double)wide[i];
    back[64 + i] = (double)narrow[i];
    back[96 + i] = convert_double((uint)whole[i]);
}
""", [("x", "f64", x), ("narrow", "f32", 32), ("whole", "i32", 64), ("wide", "u64", 32), ("back", "f64", 128)], "x narrow whole wide back",
              [("narrow", [f32(v) for v in x]), ("whole", [math.trunc(v) for v in x] + [round(v) for v in x]),
               ("wide", [math.trunc(v * 1e10) for v in x]),
               ("back", [float(math.trunc(v)) for v in x] + [float(math.trunc(v * 1e10)) for v in x] + [f32(v) for v in x] +
                [float(to_bits(math.trunc(v), 32)) for v in x])], group="32")
    h = samples("float", 32, 13, 3000.0)
    files.add("conversions/half.cl", "between half, float and integers", """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void convert(global const float *x, global half *narrow, global float *back, global int *whole) {
    size_t i = get_global_id(0);
    half a = (half)x[i];
    narrow[i] = a;
    narrow[32 + i] = convert_half((int)i * 3);
    back[i] = a;
    whole[i] = (int)a;
    whole[32 + i] = convert_int_rte(a);
}
""", [("x", "f32", h), ("narrow", "f16", 64), ("back", "f32", 32), ("whole", "i32", 64)], "x narrow back whole",
              [("narrow", [f16(v) for v in h] + [float(3 * k) for k in range(32)]), ("back", [f16(v) for v in h]),
               ("whole", [math.trunc(f16(v)) for v in h] + [round(f16(v)) for v in h])], group="32")
    y = samples("float", 32, 14)
    files.add("conversions/as_type.cl", "as_int, as_uint, as_float, as_uchar4, as_short2, as_int2: the bits are unchanged", """
kernel void reinterpret(global const float *x, global uint *out) {
    size_t i = get_global_id(0);
    uint b = as_uint(x[i]);
    out[i] = b;
    out[32 + i] = as_uint(as_float(b ^ 0x80000000u) + 1.0f);
    uchar4 c = as_uchar4(b);
    out[64 + i] = c.x | c.y << 8 | c.z << 16 | (uint)c.w << 24;
    out[96 + i] = (ushort)as_short2(b).y;
    ulong w = as_ulong((int2)((int)b, (int)i));
    out[128 + i] = (uint)(w >> 32);
    out[160 + i] = as_uint(as_char4(b).wzyx);
}
""", [("x", "f32", y), ("out", "u32", 192)], "x out",
              [("out", [bits32(v) for v in y] + [bits32(f32(1.0 - v)) for v in y] + [bits32(v) for v in y] + [bits32(v) >> 16 for v in y] +
                list(range(32)) + [int.from_bytes(bits32(v).to_bytes(4, "little"), "big") for v in y])], group="32")


def saturated(v, low, high, f):
    if math.isnan(v):
        return 0
    return (high if v > 0 else low) if math.isinf(v) else clamp(f(v), low, high)


# --- Common, geometric, relational --------------------------------------------------------------------------------------


def common(files):
    x = [f32(-2 + k / 8) for k in range(32)]
    files.add("common/scalar.cl", "clamp, max, min, mix, step, smoothstep, sign where the result is exact", """
kernel void common_functions(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float a = x[i];
    global float *o = out + 7 * i;
    o[0] = clamp(a, -1.0f, 0.75f);
    o[1] = max(a, 0.5f);
    o[2] = min(a, 0.5f);
    o[3] = mix(1.0f, 5.0f, a);
    o[4] = step(0.25f, a);
    o[5] = smoothstep(0.0f, 1.0f, a);
    o[6] = sign(a);
}
""", [("x", "f32", x), ("out", "f32", 7 * 32)], "x out",
              [("out", [w for a in x for w in (clamp(a, -1.0, 0.75), max(a, 0.5), min(a, 0.5), 1 + 4 * a, float(a >= 0.25), smooth(a),
                                               (a > 0) - (a < 0) + 0.0)])], group="32")
    files.add("common/vector.cl", "clamp, min, max, mix, step of vectors, with scalars as second operand", """
kernel void common_functions(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float4 a = vload4(i, x);
    vstore4(clamp(a, (float4)(-1.0f, -0.5f, 0.0f, 0.5f), (float4)(1.0f)), 5 * i, out);
    vstore4(min(a, 0.5f), 5 * i + 1, out);
    vstore4(max(a, a.wzyx), 5 * i + 2, out);
    vstore4(mix(a, (float4)(2.0f), 0.5f), 5 * i + 3, out);
    vstore4(step((float4)(0.25f), a) + sign(a), 5 * i + 4, out);
}
""", [("x", "f32", x), ("out", "f32", 5 * 32)], "x out",
              [("out", [w for k in range(8) for w in vector_common(x[4 * k:4 * k + 4])])], group="8")


def smooth(a):
    t = clamp(a, 0.0, 1.0)
    return t * t * (3 - 2 * t)


def vector_common(a):
    low = (-1.0, -0.5, 0.0, 0.5)
    return ([clamp(v, low[k], 1.0) for k, v in enumerate(a)] + [min(v, 0.5) for v in a] + [max(v, a[3 - k]) for k, v in enumerate(a)] +
            [v + (2 - v) * 0.5 for v in a] + [float(v >= 0.25) + ((v > 0) - (v < 0)) for v in a])


def geometric(files):
    triples = [(3, 4, 0), (1, 2, 2), (2, 3, 6), (1, 4, 8), (4, 4, 7), (2, 6, 9), (6, 6, 7), (0, 5, 12)]
    a = [float(v) for t in triples for v in t]
    b = [float((7 * k) % 11 - 5) for k in range(24)]
    def row(k):
        p, q = a[3 * k:3 * k + 3], b[3 * k:3 * k + 3]
        cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        size = math.isqrt(int(sum(v * v for v in p)))
        return [sum(v * w for v, w in zip(p, q)), float(size), float(size)] + [v + 0.0 for v in cross]
    files.add("geometric/exact.cl", "dot, length, distance and cross of Pythagorean quadruples", """
kernel void geometric(global const float *x, global const float *y, global float *out) {
    size_t i = get_global_id(0);
    float3 a = vload3(i, x), b = vload3(i, y);
    global float *o = out + 6 * i;
    o[0] = dot(a, b);
    o[1] = length(a);
    o[2] = distance(a + b, b);
    vstore3(cross(a, b) + 0.0f, 0, o + 3);
}
""", [("x", "f32", a), ("y", "f32", b), ("out", "f32", 48)], "x y out", [("out", [w for k in range(8) for w in row(k)])], group="8")
    files.add("geometric/normalize.cl", "normalize within 6 ulp for two, three and four components", """
bool near_to(float got, float want) {
    return fabs(got - want) <= 8e-7f * fabs(want);
}

kernel void normalized(global const float *x, global uint *out) {
    size_t i = get_global_id(0);
    float3 a = vload3(i, x);
    float size = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    float3 n = normalize(a), f = fast_normalize(a);
    float2 two = normalize((float2)(3.0f, 4.0f) * (float)(i + 1));
    float4 four = normalize((float4)(1.0f, -1.0f, 1.0f, -1.0f) * (float)(i + 1));
    bool good = near_to(n.x, a.x / size) && near_to(n.y, a.y / size) && near_to(n.z, a.z / size);
    good = good && near_to(two.x, 0.6f) && near_to(two.y, 0.8f) && near_to(four.x, 0.5f) && near_to(four.w, -0.5f);
    good = good && fabs(f.x - n.x) < 1e-3f && fabs(fast_length(a) - size) < 1e-2f &&
           fabs(fast_distance(a, (float3)(0.0f)) - size) < 1e-2f;
    out[i] = good;
}
""", [("x", "f32", a), ("out", "u32", 8)], "x out", [("out", "fill 1")], group="8")


def normalize_zero(files):
    files.add("geometric/normalize_zero.cl", "normalize of a zero vector is that vector", """
kernel void zero_vector(global const float *x, global float *out) {
    vstore4(normalize(vload4(0, x)), 0, out);
    vstore2(normalize(vload2(0, x)), 2, out);
    out[6] = normalize(x[0]);
}
""", [("x", "f32", (4, "zero")), ("out", "f32", (7, "fill 9"))], "x out", [("out", "zero")], group="1")


def relational(files):
    special = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-40]
    x = [f32(v) for v in special for _ in special]
    y = [f32(v) for v in special] * 8
    names = [("isequal", lambda a, b: a == b), ("isnotequal", lambda a, b: a != b), ("isgreater", lambda a, b: a > b),
             ("isgreaterequal", lambda a, b: a >= b), ("isless", lambda a, b: a < b), ("islessequal", lambda a, b: a <= b),
             ("islessgreater", lambda a, b: a < b or a > b), ("isordered", lambda a, b: not (math.isnan(a) or math.isnan(b))),
             ("isunordered", lambda a, b: math.isnan(a) or math.isnan(b))]
    ones = [("isfinite", math.isfinite), ("isinf", math.isinf), ("isnan", math.isnan),
            ("isnormal", lambda a: math.isfinite(a) and abs(a) >= 2.0**-126), ("signbit", lambda a: math.copysign(1, a) < 0)]
    text = " |\n             ".join([f"(uint){n}(a, b) << {k}" for k, (n, _) in enumerate(names)] +
                                      [f"(uint){n}(a) << {k + 9}" for k, (n, _) in enumerate(ones)])
    # The sign of a NaN is unspecified.
    def word(a, b):
        return sum(int(f(a, b)) << k for k, (_, f) in enumerate(names)) | sum(int(f(a)) << (k + 9) for k, (_, f) in enumerate(ones))
    files.add("relational/scalar.cl", "isequal to isunordered, isfinite to signbit on zeros, infinities, NaN and a subnormal", f"""
kernel void relational(global const float *x, global const float *y, global uint *out) {{
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[i] = {text};
}}
""", [("x", "f32", x), ("y", "f32", y), ("out", "u32", 64)], "x y out",
              [("out", [word(a, b) for a, b in zip(x, y)])], extra=["ftz-sensitive"])
    p = samples("float", 64, 16)
    q = samples("float", 64, 17)
    files.add("relational/vector.cl", "relational functions of vectors give -1; any, all and select look at the highest bit", """
kernel void relational(global const float *x, global const float *y, global int *out, global float *chosen) {
    size_t i = get_global_id(0);
    float4 a = vload4(i, x), b = vload4(i, y);
    int4 less = isless(a, b);
    vstore4(less, i, out);
    vstore4(isless(a, b) & (a > 0.0f), i + 16, out);
    out[128 + i] = any(less);
    out[144 + i] = all(less);
    out[160 + i] = any((int4)(1, 2, 4, 0x7FFFFFFF));
    vstore4(select(a, b, less), i, chosen);
    vstore4(select(a, b, (int4)(1, (int)0x80000000, -1, 0)), i + 16, chosen);
    vstore4(bitselect(a, b, as_float4((int4)(0, -1, 0, -1))), i + 32, chosen);
}
""", [("x", "f32", p), ("y", "f32", q), ("out", "i32", 176), ("chosen", "f32", 192)], "x y out chosen",
              [("out", [-int(a < b) for a, b in zip(p, q)] + [-int(a < b and a > 0) for a, b in zip(p, q)] +
                [int(any(p[4 * k + c] < q[4 * k + c] for c in range(4))) for k in range(16)] +
                [int(all(p[4 * k + c] < q[4 * k + c] for c in range(4))) for k in range(16)] + [0] * 16),
               ("chosen", [b if a < b else a for a, b in zip(p, q)] + [(b if k % 4 in (1, 2) else a) for k, (a, b) in enumerate(zip(p, q))] +
                [(b if k % 2 else a) for k, (a, b) in enumerate(zip(p, q))])], group="16", extra=["allow   W_SPIRV"])
    files.add("relational/scalar_select.cl", "select of scalars looks at the whole condition", """
kernel void choose(global const uint *x, global uint *out) {
    size_t i = get_global_id(0);
    uint a = x[i];
    out[i] = select(a, ~a, (uint)(a % 3));
    out[64 + i] = as_uint(select(1.0f, 2.0f, (int)(a & 2)));
    out[128 + i] = (uint)(select((long)a, -(long)a, (long)(a & 1)) >> 8);
}
""", [("x", "u32", (64, "expr i * 2654435761")), ("out", "u32", 192)], "x out",
              [("out", [(to_bits(~a, 32) if a % 3 else a) for a in knuth(64)] + [(0x40000000 if a & 2 else 0x3F800000) for a in knuth(64)] +
                [to_bits((-a if a & 1 else a) >> 8, 32) for a in knuth(64)])])


def knuth(count):
    return [to_bits(k * 2654435761, 32) for k in range(count)]


def add(files):
    arithmetic(files)
    conversions(files)
    common(files)
    geometric(files)
    normalize_zero(files)
    relational(files)
