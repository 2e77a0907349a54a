#!/usr/bin/env python3
"""Derives the polynomials of src/opencl (needs the mpmath package).

usage: fit_opencl.py [NAME...]      the names are those of the comments in the .cl files

The fits are minimax fits by Lawson's algorithm (least squares with weights that grow where the error is large). Coefficients are rounded
to f32 one at a time, lowest order first, and the rest is fitted again around the rounded ones. Each entry gives the target, the weight
that turns its error into the relative error of the function's result, the degree and the interval. The coefficients are printed from the
highest power down, as Horner's rule uses them.
"""

import sys

from mpmath import asin, atan, cos, erf, erfc, exp, gamma, log, loggamma, lu_solve, matrix, mp, mpf, pi, sin, sinh, sqrt

from fit_math import f32, grid_of

mp.prec = 140
TINY = mpf(2) ** -36


def away(x):
    """Keeps away from 0 the argument of a quotient that cancels there; the targets are smooth."""
    return x if abs(x) > TINY else TINY


def around(function):
    return lambda x: function(away(x))


def root(function):
    """A function of z = x*x, given as one of x."""
    return lambda z: function(sqrt(away(z)))


SMALL_Z = mpf(2) ** -50
FITS = {
    # e^r = 1 + r P(r), and the same for 10^r and 2^r
    "exp": (around(lambda r: mp.expm1(r) / r), around(lambda r: abs(r) / exp(r)), 5, mpf("-0.347"), mpf("0.347")),
    "exp10": (around(lambda r: mp.expm1(r * log(10)) / r), around(lambda r: abs(r) / mpf(10) ** r), 5, mpf("-0.151"), mpf("0.151")),
    "exp2": (around(lambda r: mp.expm1(r * log(2)) / r), around(lambda r: abs(r) / mpf(2) ** r), 5, mpf("-0.5003"), mpf("0.5003")),
    # e^r - 1 = r + r r Q(r)
    "expm1": (around(lambda r: (mp.expm1(r) - r) / r ** 2), around(lambda r: abs(r ** 2 / mp.expm1(r))), 5, mpf("-0.347"), mpf("0.347")),
    # log(1 + f) = f + f f L(f)
    "log": (around(lambda f: (mp.log1p(f) - f) / f ** 2), around(lambda f: abs(f ** 2 / mp.log1p(f))), 8, mpf(-1) / 3 - mpf("1e-6"), mpf(1) / 3 + mpf("1e-6")),
    # log2((1 + s) / (1 - s)) = 2/ln(2) s + s z P(z)
    "pow_log": (root(lambda s: (mp.log1p(2 * s / (1 - s)) / log(2) - 2 * s / log(2)) / s ** 3),
                root(lambda s: s ** 3 / (2 * s / log(2))), 3, SMALL_Z, mpf("0.0295")),
    # atan(t) = t + t z P(z); with this end of the interval, atan(1) rounds to the f32 next to pi/4
    "atan": (root(lambda t: (atan(t) - t) / t ** 3), root(lambda t: t ** 3 / atan(t)), 8, SMALL_Z, mpf("1.02")),
    # asin(x) = x + x z P(z)
    "asin": (root(lambda x: (asin(x) - x) / x ** 3), root(lambda x: x ** 3 / asin(x)), 4, SMALL_Z, mpf("0.2501")),
    # sin(pi r) = pi r + r z S(z), cos(pi r) = 1 + z C(z)
    "sinpi": (root(lambda r: (sin(pi * r) - pi * r) / r ** 3), root(lambda r: r ** 3 / sin(pi * r)), 3, SMALL_Z, mpf("0.0626")),
    "cospi": (root(lambda r: (cos(pi * r) - 1) / r ** 2), root(lambda r: r ** 2 / cos(pi * r)), 3, SMALL_Z, mpf("0.0626")),
    # sinh(x) = x + x z P(z)
    "sinh": (root(lambda x: (sinh(x) - x) / x ** 3), root(lambda x: x ** 3 / sinh(x)), 3, SMALL_Z, mpf("1.0001")),
    # erf(x) = x + x P(z); erf(x) = 1 - e^Q(x) further out
    "erf_small": (root(lambda x: erf(x) / x - 1), root(lambda x: x / erf(x)), 6, SMALL_Z, mpf("1.0001")),
    "erf_large": (lambda x: log(erfc(x)), lambda x: erfc(x) / erf(x), 6, mpf("0.999"), mpf("4.02")),
    # erfc(x) = e^(-x x) P(q) / (1 + 2 x), q = (x - 4) / (x + 4)
    "erfc": (lambda q: erfcx(4 * (1 + q) / (1 - q)) * (1 + 8 * (1 + q) / (1 - q)), lambda q: mpf(1), 10, mpf(-1), mpf("0.449")),
    # Gamma(1 + t) = 1 + t P(t)
    "gamma": (around(lambda t: (gamma(1 + t) - 1) / t), around(lambda t: abs(t) / gamma(1 + t)), 9, TINY, mpf(1)),
    # log Gamma(1 + t) = t P(t) and log Gamma(2 + t) = t Q(t)
    "lgamma1": (around(lambda t: loggamma(1 + t) / t), around(lambda t: abs(t / loggamma(1 + t))), 10, mpf("-0.3001"), mpf("0.7001")),
    "lgamma2": (around(lambda t: loggamma(2 + t) / t), around(lambda t: abs(t / loggamma(2 + t))), 9, mpf("-0.5"), mpf(1)),
    # Stirling: log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + u C(u u), Gamma likewise with sqrt(2 pi) S(u), u = 1/x
    "lgamma_tail": (root(lambda u: (loggamma(1 / u) - (1 / u - mpf(1) / 2) * log(1 / u) + 1 / u - log(2 * pi) / 2) / u), root(lambda u: u), 2,
                    mpf(2) ** -20, mpf("0.1112")),
    "gamma_tail": (around(lambda u: gamma(1 / u) / (exp(-1 / u) * (1 / u) ** (1 / u - mpf(1) / 2)) / sqrt(2 * pi)), lambda u: mpf(1), 5,
                   mpf("0.026"), mpf("0.334")),
}


def erfcx(x):
    return exp(x * x) * erfc(x)


def hexfloat(value):
    """A C literal without trailing zeros."""
    mantissa, exponent = float(value).hex().split("p")
    return "%sp%sf" % (mantissa.rstrip("0").rstrip("."), exponent)


def value_of(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def lawson(points, values, weights, count, rounds=60):
    """count coefficients that nearly minimise max |weight (value - polynomial)| over the points."""
    share = [mpf(1)] * len(points)
    best, best_error = None, None
    for _ in range(rounds):
        a, b = matrix(count, count), matrix(count, 1)
        row = [s * w * w for s, w in zip(share, weights)]
        for power in range(2 * count - 1):
            total = sum(row)
            for i in range(max(0, power - count + 1), min(count, power + 1)):
                a[i, power - i] = total
            if power < count:
                b[power] = sum(r * v for r, v in zip(row, values))
            row = [r * x for r, x in zip(row, points)]
        solution = lu_solve(a, b)
        coefficients = [solution[i] for i in range(count)]
        errors = [abs(w * (v - value_of(coefficients, x))) for x, v, w in zip(points, values, weights)]
        if best is None or max(errors) < best_error:
            best, best_error = coefficients, max(errors)
        total = sum(s * e for s, e in zip(share, errors))
        share = [s * e / total * len(points) + mpf(10) ** -12 for s, e in zip(share, errors)]
    return best


def fit(target, weight, degree, lo, hi):
    points = grid_of(lo, hi, 100)
    values, weights = [target(x) for x in points], [weight(x) for x in points]
    fixed = []
    for order in range(degree + 1):
        first = lawson(points, values, weights, degree + 1 - order)[0]
        fixed.append(f32(first))
        values = [(v - fixed[-1]) / x for v, x in zip(values, points)]
        weights = [w * abs(x) for w, x in zip(weights, points)]
    worst = max(abs(weight(x) * (target(x) - value_of(fixed, x))) for x in grid_of(lo, hi, 400))
    return fixed, worst


def main():
    for name in sys.argv[1:] or FITS:
        target, weight, degree, lo, hi = FITS[name]
        fixed, worst = fit(target, weight, degree, lo, hi)
        print("%s  (error 2^%.2f)" % (name, float(log(worst, 2))))
        print("    " + ", ".join(hexfloat(c) for c in reversed(fixed)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
