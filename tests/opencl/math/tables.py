"""The data of the kernels of this folder: arguments, and results from the C library's double functions or by the rules of OpenCL C 7.5.1 and C99
F.9."""

import math

INF, NAN = math.inf, math.nan
LOW = 2.0 ** -149  # the smallest subnormal
MOST = float.fromhex("0x1.fffffep127")


def guarded(function):
    """C's results where Python raises: overflow is infinite."""
    def call(*arguments):
        try:
            return function(*arguments)
        except OverflowError:
            return INF
    return call


def sinpi(x):
    r = math.remainder(x, 2)
    r = math.copysign(1, r) - r if abs(r) > 0.5 else r
    return math.sin(math.pi * r)


def cospi(x):
    return sinpi(0.5 - abs(math.remainder(x, 2)))


def cube_root(x):
    return math.copysign(abs(x) ** (1 / 3), x)


def rootn(x, n):
    return math.copysign(abs(x) ** (1 / n), x) if n % 2 else x ** (1 / n)


def away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


ODD = [(0.0, 0.0), (-0.0, -0.0), (LOW, LOW), (-LOW, -LOW)]

# name: (reference, limit in ULP, lowest and highest random argument, edge cases)
ONE = {
    "exp": (math.exp, 3, -100, 88, [(0, 1), (INF, INF), (-INF, 0), (89, INF), (-104, 0), (NAN, NAN)]),
    "exp2": (lambda x: 2.0 ** x, 3, -148, 127, [(0, 1), (INF, INF), (-INF, 0), (128, INF), (-150, 0), (NAN, NAN), (-149, LOW)]),
    "exp10": (lambda x: 10.0 ** x, 3, -44, 38, [(0, 1), (INF, INF), (-INF, 0), (39, INF), (-46, 0), (NAN, NAN)]),
    "expm1": (math.expm1, 3, -3, 3, ODD + [(INF, INF), (-INF, -1), (90, INF), (NAN, NAN)]),
    "log": (math.log, 3, 0, 40, [(1, 0), (0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (NAN, NAN)]),
    "log2": (math.log2, 3, 0, 40, [(1, 0), (0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (NAN, NAN), (LOW, -149)]),
    "log10": (math.log10, 3, 0, 40, [(1, 0), (0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (NAN, NAN)]),
    "log1p": (math.log1p, 2, -1, 4, ODD + [(-1, -INF), (INF, INF), (-2, NAN), (NAN, NAN)]),
    "sin": (math.sin, 4, -50, 50, ODD + [(INF, NAN), (-INF, NAN), (NAN, NAN)]),
    "cos": (math.cos, 4, -50, 50, [(0, 1), (LOW, 1), (INF, NAN), (-INF, NAN), (NAN, NAN)]),
    "tan": (math.tan, 5, -50, 50, ODD + [(INF, NAN), (-INF, NAN), (NAN, NAN)]),
    "sinpi": (sinpi, 4, -6, 6, [(0, 0), (-0.0, -0.0), (1, 0), (-1, -0.0), (2, 0), (0.5, 1), (1.5, -1), (INF, NAN), (NAN, NAN)]),
    "cospi": (cospi, 4, -6, 6, [(0, 1), (1, -1), (0.5, 0), (-1.5, 0), (MOST, 1), (INF, NAN), (NAN, NAN)]),
    "tanpi": (lambda x: sinpi(x) / cospi(x), 6, -6, 6,
              [(0, 0), (-0.0, -0.0), (1, -0.0), (-1, 0), (2, 0), (0.5, INF), (1.5, -INF), (INF, NAN), (NAN, NAN)]),
    "asin": (math.asin, 4, -1, 1, ODD + [(1.5, NAN), (-INF, NAN), (NAN, NAN)]),
    "acos": (math.acos, 4, -1, 1, [(1, 0), (1.5, NAN), (-INF, NAN), (NAN, NAN)]),
    "atan": (math.atan, 5, -8, 8, ODD + [(INF, math.pi / 2), (-INF, -math.pi / 2), (NAN, NAN)]),
    "asinpi": (lambda x: math.asin(x) / math.pi, 5, -1, 1, [(0, 0), (-0.0, -0.0), (1, 0.5), (1.5, NAN), (NAN, NAN)]),
    "acospi": (lambda x: math.acos(x) / math.pi, 5, -1, 1, [(1, 0), (-1, 1), (1.5, NAN), (NAN, NAN)]),
    "atanpi": (lambda x: math.atan(x) / math.pi, 5, -8, 8, [(0, 0), (-0.0, -0.0), (INF, 0.5), (-INF, -0.5), (1, 0.25), (NAN, NAN)]),
    "sinh": (guarded(math.sinh), 4, -20, 20, ODD + [(INF, INF), (-INF, -INF), (90, INF), (NAN, NAN)]),
    "cosh": (guarded(math.cosh), 4, -20, 20, [(0, 1), (INF, INF), (-INF, INF), (90, INF), (NAN, NAN)]),
    "tanh": (math.tanh, 5, -6, 6, ODD + [(INF, 1), (-INF, -1), (NAN, NAN)]),
    "asinh": (math.asinh, 4, -9, 9, ODD + [(INF, INF), (-INF, -INF), (NAN, NAN)]),
    "acosh": (math.acosh, 4, 1, 9, [(1, 0), (INF, INF), (0.5, NAN), (-INF, NAN), (NAN, NAN)]),
    "atanh": (math.atanh, 5, -1, 1, ODD + [(1, INF), (-1, -INF), (1.5, NAN), (NAN, NAN)]),
    "erf": (math.erf, 16, -4, 4, [(0, 0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN)]),
    "erfc": (math.erfc, 16, -4, 9, [(INF, 0), (-INF, 2), (0, 1), (11, 0), (NAN, NAN)]),
    "tgamma": (math.gamma, 16, -6, 30, [(0, INF), (-0.0, -INF), (-1, NAN), (-INF, NAN), (INF, INF), (36, INF), (1, 1), (NAN, NAN)]),
    "lgamma": (math.lgamma, 16, 0, 30, [(1, 0), (2, 0), (0, INF), (-2, INF), (-INF, INF), (INF, INF), (NAN, NAN)]),
    "cbrt": (cube_root, 2, -9, 9, [(0, 0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (8, 2), (-27, -3), (NAN, NAN)]),
    "sqrt": (math.sqrt, 0, 0, 100, [(0, 0), (-0.0, -0.0), (INF, INF), (-1, NAN), (NAN, NAN), (9, 3)]),
    "rsqrt": (lambda x: 1 / math.sqrt(x), 2, 0, 100, [(0, INF), (-0.0, -INF), (INF, 0), (-1, NAN), (NAN, NAN)]),
    "fabs": (abs, 0, -5, 5, [(-0.0, 0), (-INF, INF), (NAN, NAN)]),
    "floor": (math.floor, 0, 0.5, 50, [(-0.5, -1), (-0.0, -0.0), (-INF, -INF), (NAN, NAN), (-2, -2)]),
    "ceil": (math.ceil, 0, 0.5, 50, [(-0.5, -0.0), (-0.0, -0.0), (INF, INF), (NAN, NAN), (0.25, 1)]),
    "trunc": (math.trunc, 0, 1, 50, [(-0.5, -0.0), (-1.5, -1), (INF, INF), (NAN, NAN)]),
    "rint": (round, 0, 1, 50, [(2.5, 2), (3.5, 4), (-0.5, -0.0), (0.5, 0), (-INF, -INF), (NAN, NAN)]),
    "round": (away, 0, 1, 50, [(2.5, 3), (-2.5, -3), (-0.25, -0.0), (0.5, 1), (float.fromhex("0x1.fffffep-2"), 0), (INF, INF), (NAN, NAN)]),
    "degrees": (math.degrees, 2, -7, 7, [(0, 0), (INF, INF), (NAN, NAN)]),
    "radians": (math.radians, 2, -400, 400, [(0, 0), (INF, INF), (NAN, NAN)]),
    "sign": (lambda x: math.copysign(1, x), 0, -5, 5, [(0, 0), (-0.0, -0.0), (INF, 1), (NAN, 0)]),
    "logb": (lambda x: math.frexp(x)[1] - 1, 0, 0.001, 900, [(0, -INF), (-INF, INF), (NAN, NAN), (LOW, -149), (-8, 3)]),
}
for _name in ("exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "sqrt", "rsqrt"):
    for _prefix in ("half_", "native_"):
        _reference, _, _lo, _hi, _ = ONE[_name]
        ONE[_prefix + _name] = (_reference, 8192, max(_lo, -80), min(_hi, 30), [])
ONE["half_recip"] = ONE["native_recip"] = (lambda x: 1 / x, 8192, 0.5, 30, [])

# name: (reference, limit, lowest and highest x, lowest and highest y, edge cases)
TWO = {
    "pow": (math.pow, 16, 0, 9, -20, 20,
            [(0, -3, INF), (-0.0, -3, -INF), (-0.0, 3, -0.0), (-0.0, 2.5, 0), (-1, INF, 1), (1, NAN, 1), (NAN, 0, 1), (-8, 1.5, NAN),
             (-2, 3, -8), (-INF, -3, -0.0), (INF, -1, 0), (2, -149, LOW), (2, NAN, NAN), (0.5, -INF, INF)]),
    "powr": (math.pow, 16, 0, 9, -20, 20,
             [(0, 0, NAN), (INF, 0, NAN), (1, INF, NAN), (-1, 2, NAN), (0, -2, INF), (0, 2, 0), (2, 3, 8), (NAN, 0, NAN), (2, 0, 1)]),
    "half_powr": (math.pow, 8192, 0.1, 9, -9, 9, []),
    "native_powr": (math.pow, 8192, 0.1, 9, -9, 9, []),
    "half_divide": (lambda x, y: x / y, 8192, -9, 9, 0.5, 9, []),
    "native_divide": (lambda x, y: x / y, 8192, -9, 9, 0.5, 9, []),
    "atan2": (math.atan2, 6, -9, 9, -9, 9, [(y, x, math.atan2(y, x)) for y in (0.0, -0.0, 1, INF, -INF) for x in (0.0, -0.0, -1, INF, -INF)]),
    "atan2pi": (lambda y, x: math.atan2(y, x) / math.pi, 6, -9, 9, -9, 9, [(0, -1, 1), (-0.0, -1, -1), (1, 0, 0.5), (INF, -INF, 0.75), (1, NAN, NAN)]),
    "hypot": (math.hypot, 4, -9, 9, -9, 9, [(3, -4, 5), (INF, NAN, INF), (NAN, 1, NAN), (MOST, 0, MOST), (3 * LOW, 4 * LOW, 5 * LOW)]),
    "fmod": (math.fmod, 0, -900, 900, 0.1, 9, [(1, 0, NAN), (INF, 1, NAN), (3, INF, 3), (-0.0, 2, -0.0), (MOST, 3, math.fmod(MOST, 3)), (1, LOW, 0)]),
    "remainder": (math.remainder, 0, -900, 900, 0.1, 9, [(1, 0, NAN), (INF, 1, NAN), (3, INF, 3), (5, 2, 1), (3, 2, -1), (MOST, 7, math.remainder(MOST, 7))]),
    "fdim": (lambda x, y: max(x - y, 0.0), 0.5, -9, 9, -9, 9, [(1, 3, 0), (INF, INF, 0), (NAN, 1, NAN), (1, NAN, NAN), (3, 1, 2)]),
    "fmin": (min, 0, -9, 9, -9, 9, [(NAN, 1, 1), (1, NAN, 1), (NAN, NAN, NAN), (-INF, 1, -INF)]),
    "fmax": (max, 0, -9, 9, -9, 9, [(NAN, 1, 1), (1, NAN, 1), (NAN, NAN, NAN), (-INF, 1, 1)]),
    "maxmag": (lambda x, y: max(x, y, key=abs), 0, -9, 9, -9, 9, [(-2, 2, 2), (NAN, 1, 1), (-3, 2, -3)]),
    "minmag": (lambda x, y: min(x, y, key=abs), 0, -9, 9, -9, 9, [(-2, 2, -2), (NAN, 1, 1), (-3, 2, 2)]),
    "copysign": (math.copysign, 0, -9, 9, -9, 9, [(0, -1, -0.0), (INF, -0.0, -INF)]),
    "nextafter": (None, 0, 0, 0, 0, 0, [(0, 1, LOW), (0, -1, -LOW), (-0.0, 0, 0), (LOW, 0, 0), (-LOW, 0, -0.0), (1, 2, 1 + 2.0 ** -23), (1, 0, 1 - 2.0 ** -24),
                                        (-1, 0, -1 + 2.0 ** -24), (MOST, INF, INF), (INF, 0, MOST), (NAN, 1, NAN), (1, NAN, NAN), (2.0 ** -126, 0, 2.0 ** -126 - LOW)]),
    "step": (lambda edge, x: 0.0 if x < edge else 1.0, 0, -9, 9, -9, 9, [(1, 1, 1)]),
}

# name: (reference, limit, lowest and highest x, ints, edge cases)
INT = {
    "pown": (math.pow, 16, 0.1, 9, (-12, 12), [(0, 0, 1), (NAN, 0, 1), (-0.0, -3, -INF), (-0.0, 2, 0), (-2, 3, -8), (-INF, 3, -INF), (NAN, 1, NAN), (2, -149, LOW)]),
    "rootn": (rootn, 16, 0.1, 900, (2, 9), [(-8, 3, -2), (-8, 2, NAN), (8, 0, NAN), (-0.0, -3, -INF), (-0.0, 2, 0), (INF, -2, 0), (NAN, 3, NAN)]),
    "ldexp": (math.ldexp, 0, -9, 9, (-40, 40), [(1, 128, INF), (1, -149, LOW), (1.5, -149, 2 * LOW), (1, -151, 0), (LOW, 149, 1), (-1, -2000000000, -0.0),
                                                (LOW, 2000000000, INF), (NAN, 3, NAN), (-0.0, 9, -0.0), (3 * LOW, -1, 2 * LOW)]),
}
