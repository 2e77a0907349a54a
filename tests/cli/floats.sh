#!/bin/sh
# The decimals that wave-emu prints for f32: each reads back as the number, no shorter decimal does, and no other decimal
# of that length is nearer, or equally near and larger. All numbers around powers of two, where the distance to the neighbours
# is uneven, are tried.
. "$(dirname "$0")/../support/cli.sh"

cat >k.wave <<'END'
.kernel k
halt
.end
END

cat >check.py <<'END'
import decimal, struct, sys
from fractions import Fraction

decimal.getcontext().prec = 200
BITS, MANTISSA = 32, 23
EXPONENTS = (1 << (BITS - 1 - MANTISSA)) - 1
BIAS = EXPONENTS >> 1


def value(bits):
    e, m = bits >> MANTISSA & EXPONENTS, bits & ((1 << MANTISSA) - 1)
    return Fraction(m if e == 0 else m | 1 << MANTISSA) * Fraction(2) ** (max(e, 1) - BIAS - MANTISSA)


def reads_as(text_value, bits):
    """Round to nearest, ties to even, by the midpoints to both neighbours."""
    low = (value(bits - 1) + value(bits)) / 2 if bits else Fraction(0)
    high = (value(bits) + value(bits + 1)) / 2
    if low < text_value < high:
        return True
    return bits % 2 == 0 and text_value in (low, high)


def patterns():
    for e in range(0, EXPONENTS - 1):
        for delta in (-1, 0, 1, 3):
            bits = (e << MANTISSA) + delta
            if bits > 0:
                yield bits
    for quarters in range(1, 40, 2):  # 2097152.25: .2 and .3 are equally near, and the larger is printed, as in Rust
        yield (BIAS + 21 << MANTISSA) + quarters
    state = 1
    for _ in range(300):
        state = state * 6364136223846793005 % (1 << 64) + 1442695040888963407
        yield 1 + (state >> 20) % ((EXPONENTS - 1 << MANTISSA) - 2)


def digits_of(text):
    plain = text.lower().split("e")[0].replace(".", "").lstrip("0")
    return len(plain.rstrip("0")) or 1


all_bits = list(patterns())
if sys.argv[1] == "make":
    with open("numbers.bin", "wb") as file:
        for bits in all_bits:
            file.write(struct.pack("<I", bits))
    print(len(all_bits))
    sys.exit(0)
lines = [line for line in open("out").read().split("\n") if line]
assert len(lines) == len(all_bits), (len(lines), len(all_bits))
for bits, text in zip(all_bits, lines):
    exact, shown = value(bits), Fraction(decimal.Decimal(text))
    assert reads_as(shown, bits), (hex(bits), text)
    count = digits_of(text)
    place = decimal.Decimal(exact.numerator) / decimal.Decimal(exact.denominator)
    for fewer in (count - 1, count):
        if fewer == 0:
            continue
        unit = Fraction(10) ** (place.adjusted() - fewer + 1)
        below = exact // unit * unit
        for other in (below, below + unit):
            if fewer < count:
                assert not reads_as(other, bits), (hex(bits), text, "fewer digits do")
            elif reads_as(other, bits):
                assert abs(shown - exact) <= abs(other - exact), (hex(bits), text, "not the nearest")
                assert shown >= other or shown - exact != exact - other, (hex(bits), text, "not the larger of two as near")
END

count=$(python3 check.py make)
check "printed" 0 "$bin/wave-emu" k.wave --arg 0:numbers.bin --dump-f32 "0:$count"
ok "$count numbers" python3 check.py judge
finish floats
