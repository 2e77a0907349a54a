#!/usr/bin/env python3
"""Derives the constants of src/base/exact_math.c (needs the mpmath package).

Every polynomial is a weighted minimax fit (Remez exchange). Its coefficients are rounded to f32 one
at a time, lowest order first, and the rest is fitted again around the rounded ones, so that the
higher coefficients compensate for the rounding of the lower ones. The program prints hexadecimal
floats with the remaining error; the constants in the C file were taken from that output.
"""

import struct
import sys

from mpmath import mp, mpf, cos, floor, log, lu_solve, matrix, pi, sin, sqrt

mp.prec = 320


def f32(value):
    """Nearest f32 of an mpmath number, as an exact mpmath number."""
    if value == 0:
        return mpf(0)
    magnitude = abs(value)
    exponent = int(floor(log(magnitude, 2)))
    scale = mpf(2) ** (exponent - 23)
    rounded = mp.nint(magnitude / scale) * scale
    return rounded if value > 0 else -rounded


def hexfloat(value):
    bits = struct.unpack("<I", struct.pack("<f", float(value)))[0]
    return "%sf /* %08X */" % (float(value).hex(), bits)


def grid_of(lo, hi, count):
    """Chebyshev-spaced sample points: dense at the ends, where the extrema are close together."""
    mid, half = (lo + hi) / 2, (hi - lo) / 2
    return [mid - half * cos(pi * i / (count - 1)) for i in range(count)]


def remez(target, weight, powers, lo, hi, samples=700):
    """Minimises max |weight(x) (target(x) - sum c_i x^powers_i)| on [lo, hi]."""
    n = len(powers)
    grid = grid_of(lo, hi, samples)
    g = [target(x) for x in grid]
    w = [weight(x) for x in grid]
    ref = [int(round(i * (samples - 1) / n)) for i in range(n + 1)]
    coeffs = []
    for _ in range(60):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for row, k in enumerate(ref):
            for col, p in enumerate(powers):
                a[row, col] = grid[k] ** p
            a[row, n] = (-1) ** row / w[k]
            b[row] = g[k]
        solution = lu_solve(a, b)
        coeffs = [solution[i] for i in range(n)]
        err = [w[k] * (g[k] - sum(c * x ** p for c, p in zip(coeffs, powers)))
               for k, x in enumerate(grid)]
        runs, start = [], 0
        for k in range(1, samples + 1):
            if k == samples or (err[k] > 0) != (err[start] > 0):
                runs.append(max(range(start, k), key=lambda i: abs(err[i])))
                start = k
        while len(runs) > n + 1:
            runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
        if len(runs) < n + 1 or runs == ref:
            break
        ref = runs
    return coeffs, max(abs(e) for e in err)


def fit_f32(target, weight, powers, lo, hi):
    """Minimax fit whose coefficients are all f32."""
    fixed = []
    for first in powers:
        # Powers that start at 1 or above all vanish at 0 and no longer alternate across it: divide
        # by the lowest one and move it into the weight.
        def remaining(x):
            return (target(x) - sum(c * x ** p for c, p in zip(fixed, powers))) / x ** first

        def scaled_weight(x):
            return weight(x) * abs(x) ** first

        rest = [p - first for p in powers if p >= first]
        coeffs, _ = remez(remaining, scaled_weight, rest, lo, hi)
        fixed.append(f32(coeffs[0]))
    grid = grid_of(lo, hi, 4000)
    worst = max(abs(weight(x) * (target(x) - sum(c * x ** p for c, p in zip(fixed, powers))))
                for x in grid)
    return fixed, worst


def report(name, fixed, worst):
    print("%s  (error 2^%.2f)" % (name, float(log(worst, 2))))
    for i, c in enumerate(fixed):
        print("    c%d = %s" % (i, hexfloat(c)))


def split(name, value, parts):
    print(name)
    for i in range(parts):
        piece = f32(value)
        print("    part %d = %s" % (i, hexfloat(piece)))
        value -= piece
    print("    left over 2^%.1f" % float(log(abs(value), 2)))


def main():
    # Reduced arguments slightly exceed pi/4, because the quotient itself is rounded.
    rmax = mpf("0.789")
    tiny = mpf(2) ** -40

    split("pi/2", pi / 2, 3)
    split("2/pi", 2 / pi, 1)
    split("log2(e)", 1 / log(2), 2)
    split("ln(2)", log(2), 2)

    print("2/pi in 32-bit words after the binary point:")
    rest = 2 / pi
    for i in range(7):
        rest *= mpf(2) ** 32
        word = int(floor(rest))
        rest -= word
        print("    word %d = 0x%08X" % (i, word))

    def root(z):
        return sqrt(z)

    # sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2; the weights yield the relative
    # error.
    report("S", *fit_f32(lambda z: (sin(root(z)) / root(z) - 1) / z,
                         lambda z: z * root(z) / sin(root(z)), [0, 1, 2, 3], tiny, rmax ** 2))
    report("C", *fit_f32(lambda z: (cos(root(z)) - 1 + z / 2) / z ** 2,
                         lambda z: z ** 2 / cos(root(z)), [0, 1, 2], mpf(2) ** -30, rmax ** 2))

    # 2^f = 1 + f (ln 2 + f E(f))
    def exp2_tail(f):
        if abs(f) < mpf(2) ** -50:
            return log(2) ** 2 / 2
        return ((mpf(2) ** f - 1) / f - log(2)) / f

    degree = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    report("E", *fit_f32(exp2_tail, lambda f: f * f / mpf(2) ** f,
                         list(range(degree + 1)), mpf("-0.5001"), mpf("0.5001")))

    # log2(1 + f) = f (log2(e) + f L(f))
    def log2_tail(f):
        if abs(f) < mpf(2) ** -50:
            return -1 / (2 * log(2))
        return (log(1 + f, 2) / f - 1 / log(2)) / f

    def log2_weight(f):
        if abs(f) < mpf(2) ** -50:
            return abs(f) * log(2)
        return abs(f * f / log(1 + f, 2))

    degree = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    report("L", *fit_f32(log2_tail, log2_weight, list(range(degree + 1)),
                         sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1))


if __name__ == "__main__":
    main()
