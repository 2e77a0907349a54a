"""Functions that the folder math does not cover: special values, several results at once, fma."""
import math

from fractions import Fraction

from floats import samples
from kernels import Random, f32, from_bits32

COUNT = 64


def spread(low, high, seed=21, count=COUNT):
    random = Random(seed)
    return [f32(low + (high - low) * random.bits(32) / 2**32) for _ in range(count)]


def special(files):
    files.add("math_cases/special_values.cl", "what exp, log, pow, sin, atan2 give at zeros, infinities and NaN", """
kernel void special(global uint *out) {
    float zero = (float)get_global_id(0), inf = INFINITY, none = nan(0u);
    float minus = -zero;
    out[0] = exp(zero) == 1.0f && exp(-inf) == 0.0f && exp(inf) == inf && exp(200.0f + zero) == inf;
    out[1] = log(zero) == -inf && log(1.0f + zero) == 0.0f && isnan(log(-1.0f + zero)) && log(inf) == inf;
    out[2] = pow(zero, 0.0f) == 1.0f && pow(none, zero) == 1.0f && pow(1.0f + zero, none) == 1.0f && pow(-2.0f + zero, 3.0f) == -8.0f;
    out[3] = pow(zero, -1.0f) == inf && isnan(pow(-1.5f + zero, 0.5f)) && pow(inf, -2.0f) == 0.0f && signbit(pow(minus, 3.0f));
    out[4] = isnan(sin(inf)) && sin(zero) == 0.0f && signbit(sin(minus)) && cos(zero) == 1.0f && isnan(tan(-inf));
    out[5] = atan2(zero, 1.0f) == 0.0f && signbit(atan2(minus, 1.0f)) && atan(inf) > 1.57f && isnan(acos(2.0f + zero));
    out[6] = isnan(powr(zero, zero)) && isnan(sqrt(-1.0f + zero)) && signbit(sqrt(minus)) && cbrt(minus) == 0.0f;
    out[7] = fmax(none, 2.0f) == 2.0f && fmin(1.0f, none + zero) == 1.0f && isnan(fmod(1.0f, zero)) && hypot(inf, none) == inf;
}
""", [("out", "u32", 8)], "out", [("out", "fill 1")], group="1")


def exact(files):
    y = [v or 0.375 for v in samples("float", COUNT, 52)]
    def fractional(v):
        return min(v - math.floor(v), from_bits32(0x3F7FFFFF))
    files.add("math_cases/through_pointers.cl", "frexp, modf, fract and remquo: second results through pointers to private and global memory", """
kernel void pointers(global const float *x, global float *out, global int *number) {
    size_t i = get_global_id(0);
    float a = x[i], whole, below;
    int exponent, quotient;
    out[i] = frexp(a, &exponent);
    number[i] = exponent;
    out[64 + i] = modf(a, &whole);
    out[128 + i] = whole;
    out[192 + i] = fract(a, &below);
    out[256 + i] = below;
    out[320 + i] = remquo(a, 0.75f, &quotient);
    number[64 + i] = quotient & 7;
    number[128 + i] = ilogb(a);
    out[384 + i] = logb(a);
    out[448 + i] = modf(a, out + 512 + i);
}
""", [("x", "f32", y), ("out", "f32", 576), ("number", "i32", 192)], "x out number",
              [("out", [math.frexp(v)[0] for v in y] + [math.copysign(math.modf(v)[0], v) for v in y] + [math.modf(v)[1] for v in y] +
                [f32(fractional(v)) for v in y] + [float(math.floor(v)) for v in y] + [math.copysign(math.remainder(v, 0.75), math.remainder(v, 0.75) or v) for v in y] +
                [float(math.frexp(v)[1] - 1) for v in y] + [math.copysign(math.modf(v)[0], v) for v in y] + [math.modf(v)[1] for v in y]),
               ("number", [math.frexp(v)[1] for v in y] + [round(v / 0.75) & 7 for v in y] + [math.frexp(v)[1] - 1 for v in y])])
    a, b, c = (spread(-9, 9, seed) for seed in (53, 54, 55))
    def fused(p, q, r):
        value = Fraction(p) * Fraction(q) + Fraction(r)
        # Through double: correct unless the value is close to half way between two floats.
        near = float(value)
        assert abs(Fraction(near) - value) == 0 or near != f32(near)
        return f32(near)
    files.add("math_cases/fma.cl", "fma rounds once; mad on integers of float is exact", """
kernel void fused(global const float *x, global const float *y, global const float *z, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fma(x[i], y[i], z[i]);
    out[64 + i] = mad((float)i, 3.0f, -5.0f);
    vstore2(fma((float2)(x[i], 2.0f), (float2)(y[i], 3.0f), (float2)(z[i], i)), 64 + i, out);
}
""", [("x", "f32", a), ("y", "f32", b), ("z", "f32", c), ("out", "f32", 256)], "x y z out",
              [("out", [fused(*t) for t in zip(a, b, c)] + [3.0 * k - 5 for k in range(64)] +
                [w for k, t in enumerate(zip(a, b, c)) for w in (fused(*t), 6.0 + k)])])


def add(files):
    special(files)
    exact(files)
