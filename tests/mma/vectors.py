#!/usr/bin/env python3
"""Writes vectors.inc next to this file: dot products as the matrix units of wave-emu --mma compute them; `--check` only
reports whether the file is stale.

The models are those of docs/reference/tiles.md, written here with exact fractions instead of shifted integers: this file and
src/base/mma_model.c share no code and no representation.
"""
import os
import random
import sys
from fractions import Fraction
from math import floor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs", "generators"))
from exact import BF16, F16, F32, convert  # noqa: E402

K = 16
LEAST = -126
NVIDIA_NAN = 0x7FFFFFFF


def exponent(fmt, bits):
    return max(bits >> fmt.fb & fmt.exp_mask, 1) - fmt.bias


def cut(x, unit):
    """Toward zero, to a multiple of the unit."""
    n = floor(abs(x) / unit)
    return (-n if x < 0 else n) * unit


def power(e):
    return Fraction(2)**e


def to_f32(x, toward_zero):
    if abs(x) >= power(128):
        return F32.inf | (F32.sign_bit if x < 0 else 0)
    return F32.round(x, 0, toward_zero)


def specials(fmt, a, b, c, nan, overflow):
    """The sum of the infinite terms; None when all are finite."""
    terms = [c] if F32.is_inf(c) or F32.is_nan(c) else []
    for x, y in zip(a, b):
        p = F32.mul(convert(fmt, F32, x), convert(fmt, F32, y))
        odd = fmt.is_inf(x) or fmt.is_nan(x) or fmt.is_inf(y) or fmt.is_nan(y)
        if odd or (overflow and F32.is_inf(p)):
            terms.append(p)
    if not terms:
        return None
    total = terms[0]
    for t in terms[1:]:
        total = F32.add(total, t)
    return nan if F32.is_nan(total) else total


def all_negative_zeros(fmt, a, b, c):
    return c == F32.sign_bit and all(
        fmt.value(x) * fmt.value(y) == 0 and fmt.sign(x) != fmt.sign(y) for x, y in zip(a, b))


def products(fmt, a, b):
    """Exact values, and the largest sum of exponents among those that are not 0."""
    values = [fmt.value(x) * fmt.value(y) for x, y in zip(a, b)]
    weights = [exponent(fmt, x) + exponent(fmt, y) for (x, y), v in zip(zip(a, b), values) if v]
    return values, max(weights + [LEAST])


def nvidia(fmt, a, b, c, group, fraction):
    for at in range(0, K, group):
        x, y = a[at:at + group], b[at:at + group]
        odd = specials(fmt, x, y, c, NVIDIA_NAN, False)
        if odd is not None:
            c = odd
            continue
        values, largest = products(fmt, x, y)
        addend = F32.value(c)
        if addend:
            largest = max(largest, exponent(F32, c))
        total = sum(cut(v, power(largest - fraction)) for v in values + [addend])
        c = F32.sign_bit if all_negative_zeros(fmt, x, y, c) else to_f32(total, True)
    return c


def cdna2(fmt, a, b, c):
    def flush(bits):
        return bits & F32.sign_bit if F32.is_subnormal(bits) else bits

    def add(x, y):
        return flush(F32.add(x, y))

    a, b = ([0 if fmt.is_subnormal(v) or fmt.is_zero(v) else v for v in m] for m in (a, b))
    c = 0 if F32.is_subnormal(c) or F32.is_zero(c) else c
    p = [flush(F32.mul(convert(fmt, F32, x), convert(fmt, F32, y))) for x, y in zip(a, b)]
    for k in range(0, K, 4):
        c = add(c, add(add(p[k], p[k + 1]), add(p[k + 2], p[k + 3])))
    return c


def cdna3(fmt, a, b, c):
    for at in range(0, K, 8):
        x, y = a[at:at + 8], b[at:at + 8]
        odd = specials(fmt, x, y, c, F32.nan, True)
        if odd is not None:
            c = odd
            continue
        values, largest = products(fmt, x, y)
        total = sum(cut(v, power(largest - 24)) for v in values)
        addend = F32.value(c)
        if addend:
            largest = max(largest, exponent(F32, c))
        fine, coarse = power(largest - 31), power(largest - 24)
        total = floor(total / fine) * fine + floor(addend / coarse) * coarse
        c = F32.sign_bit if all_negative_zeros(fmt, x, y, c) else to_f32(total, False)
    return c


UNITS = {
    "SM_75": lambda f, a, b, c: nvidia(f, a, b, c, 8, 24),
    "SM_80": lambda f, a, b, c: nvidia(f, a, b, c, 8, 24),
    "SM_90": lambda f, a, b, c: nvidia(f, a, b, c, 16, 25),
    "GFX90A": cdna2,
    "GFX942": cdna3,
}

# -- inputs ----------------------------------------------------------------------------------------


def number(choose, fmt, low, high):
    e = choose.randint(max(low, fmt.emin) + fmt.bias, min(high, fmt.bias) + fmt.bias)
    return choose.getrandbits(1) << fmt.bits - 1 | e << fmt.fb | choose.getrandbits(fmt.fb)


def any_finite(choose, fmt):
    bits = choose.getrandbits(fmt.bits)
    return bits if bits & fmt.inf != fmt.inf else bits & ~fmt.inf


def cases(fmt, choose):
    """(a, b, c) of every kind."""
    def row(low, high):
        return [number(choose, fmt, low, high) for _ in range(K)]

    for spread in (0, 2, 6, 12, 20, 60):
        yield row(-spread, spread), row(-spread, spread), number(choose, F32, -spread, spread)
    for _ in range(2):
        yield ([any_finite(choose, fmt) for _ in range(K)], [any_finite(choose, fmt) for _ in range(K)],
               any_finite(choose, F32))
    a, b = row(-3, 3), row(-3, 3)
    exact = sum(fmt.value(x) * fmt.value(y) for x, y in zip(a, b))
    yield a, b, F32.round(-exact)  # cancels except for a remainder
    a = [v ^ (fmt.sign_bit if k & 1 else 0) for k, v in enumerate([number(choose, fmt, 5, 5)] * K)]
    yield a, [b[0]] * K, number(choose, F32, -20, -15)  # pairs cancel; C is below
    one = fmt.round(1)
    tiny = [choose.randint(1, (1 << fmt.fb) - 1) for _ in range(K)]
    yield tiny, row(-1, 1), 0
    yield tiny, tiny, 0x00012345
    yield [0] * K, [fmt.inf - 1] * K, 0x35812345  # zeros do not take part in the alignment: all bits of C are kept
    yield [fmt.sign_bit] * K, [one] * K, F32.sign_bit
    yield [fmt.inf - 1] * K, [fmt.inf - 1] * K, F32.inf - 1
    yield [fmt.inf] + [one] * 15, [one] * K, F32.round(3)
    yield [fmt.inf] + [one] * 15, [0] + [one] * 15, F32.round(3)
    yield [one] * 12 + [fmt.inf] * 4, [one] * 13 + [one | fmt.sign_bit] * 3, 0
    yield [one] * K, [one] * K, F32.inf | F32.sign_bit
    yield [one] * K, [fmt.nan] + [one] * 15, 0


def rows():
    for name, unit in UNITS.items():
        for fmt in (F16, BF16):
            for a, b, c in cases(fmt, random.Random(f"{name} {fmt.name}")):
                yield name, fmt, a, b, c, unit(fmt, a, b, c)


def text():
    lines = ["/* Written by vectors.py. */"]
    for name, fmt, a, b, c, d in rows():
        words = [", ".join(f"0x{v:04X}" for v in m) for m in (a, b)]
        lines.append(f"{{WAVE_MMA_{name}, {str(fmt is BF16).lower()}, {{{words[0]}}},")
        lines.append(f" {{{words[1]}}}, 0x{c:08X}, 0x{d:08X}}},")
    return "\n".join(lines) + "\n"


def main(arguments):
    path, made = os.path.join(HERE, "vectors.inc"), text()
    if arguments == ["--check"]:
        with open(path, encoding="utf-8") as f:
            stale = f.read() != made
        print("tests/mma/vectors.inc is " + ("stale" if stale else "up to date"))
        return 1 if stale else 0
    with open(path, "w", encoding="utf-8") as f:
        f.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
