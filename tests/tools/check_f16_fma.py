#!/usr/bin/env python3
"""Checks fused f16 multiply-add results against exact rational arithmetic.

Reads lines "a b c result" of four-digit hexadecimal f16 bit patterns and compares each result with
a * b + c rounded once, to nearest even, using Python's fractions. Exit status 1 on the first
difference, or if there was nothing to check.
"""

import sys
from fractions import Fraction

NAN = 0x7E00
INF = 0x7C00


def value(bits):
    """The exact value of a finite f16."""
    exponent, fraction = bits >> 10 & 31, bits & 1023
    if exponent == 0:
        magnitude = Fraction(fraction, 1 << 24)
    else:
        magnitude = Fraction(1024 + fraction) * Fraction(2) ** (exponent - 25)
    return -magnitude if bits & 0x8000 else magnitude


# All non-negative finite values in order; their index is their bit pattern. The last entry represents
# infinity and has the value that the next finite number would have, as rounding to nearest requires.
LADDER = [value(bits) for bits in range(INF)] + [Fraction(65536)]


def nearest(exact):
    """Bits of the f16 nearest to a non-zero rational, ties to even."""
    magnitude, low, high = abs(exact), 0, INF
    if magnitude >= LADDER[INF]:
        bits = INF
    else:
        while high - low > 1:
            middle = (low + high) // 2
            if LADDER[middle] <= magnitude:
                low = middle
            else:
                high = middle
        twice = 2 * magnitude
        middle = LADDER[low] + LADDER[high]
        bits = low if twice < middle else high if twice > middle else low + low % 2
    return bits | (0x8000 if exact < 0 else 0)


def fma(a, b, c):
    mag_a, mag_b, mag_c = a & 0x7FFF, b & 0x7FFF, c & 0x7FFF
    sign = (a ^ b) & 0x8000
    if max(mag_a, mag_b, mag_c) > INF:
        return NAN
    if INF in (mag_a, mag_b):
        if 0 in (mag_a, mag_b) or (mag_c == INF and c & 0x8000 != sign):
            return NAN
        return INF | sign
    if mag_c == INF:
        return c
    exact = value(a) * value(b) + value(c)
    if exact == 0:
        # an exact zero is negative only if both terms are negative zeros
        product_zero = 0 in (mag_a, mag_b)
        return 0x8000 if product_zero and mag_c == 0 and sign and c & 0x8000 else 0
    return nearest(exact)


def main():
    count = 0
    for line in sys.stdin:
        a, b, c, result = (int(word, 16) for word in line.split())
        want = fma(a, b, c)
        if want != result:
            print("fma(%04x, %04x, %04x) = %04x, exactly rounded it is %04x"
                  % (a, b, c, result, want))
            return 1
        count += 1
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
