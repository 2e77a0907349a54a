"""Exact arithmetic for the expected values of the test programs.

Integers, IEEE formats and conversions by rational numbers with one rounding at the end; fsin,
fcos, fexp2 and flog2 by fixed-point series with 400 bits. Nothing here runs, or was derived
from, our tools.
"""
from fractions import Fraction
from math import isqrt

MASK32 = 0xFFFFFFFF


class Format:
    """An IEEE binary interchange format (or bfloat16) given by its field widths."""

    def __init__(self, name, exponent_bits, fraction_bits):
        self.name = name
        self.eb, self.fb = exponent_bits, fraction_bits
        self.bits = 1 + exponent_bits + fraction_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.emin = 1 - self.bias
        self.exp_mask = (1 << exponent_bits) - 1
        self.sign_bit = 1 << (self.bits - 1)
        self.inf = self.exp_mask << fraction_bits
        self.nan = self.inf | 1 << (fraction_bits - 1)

    def is_nan(self, b):
        return (b & ~self.sign_bit) > self.inf

    def is_inf(self, b):
        return (b & ~self.sign_bit) == self.inf

    def is_zero(self, b):
        return (b & ~self.sign_bit) == 0

    def is_subnormal(self, b):
        return 0 < (b & ~self.sign_bit) < 1 << self.fb

    def sign(self, b):
        return 1 if b & self.sign_bit else 0

    def value(self, b):
        """The exact value of a finite encoding."""
        e = b >> self.fb & self.exp_mask
        f = b & ((1 << self.fb) - 1)
        m = f | 1 << self.fb if e else f
        v = Fraction(m) * Fraction(2)**(max(e, 1) - self.bias - self.fb)
        return -v if self.sign(b) else v

    def round(self, x, zero_sign=0, toward_zero=False):
        """Encode the rational x: nearest, ties to even, or toward zero; zero_sign if x is 0."""
        if x == 0:
            return self.sign_bit if zero_sign else 0
        s = self.sign_bit if x < 0 else 0
        x = abs(x)
        e = x.numerator.bit_length() - x.denominator.bit_length()
        if x < Fraction(2)**e:
            e -= 1
        e = max(e, self.emin)
        scaled = x / Fraction(2)**(e - self.fb)
        n, rest = divmod(scaled.numerator, scaled.denominator)
        if not toward_zero:
            twice = 2 * rest
            if twice > scaled.denominator or (twice == scaled.denominator and n & 1):
                n += 1
        if n >= 1 << (self.fb + 1):
            n >>= 1
            e += 1
        if n < 1 << self.fb:
            return s | n
        if e > self.bias:
            return s | (self.inf - 1 if toward_zero else self.inf)
        return s | ((e + self.bias) << self.fb) + (n - (1 << self.fb))

    # -- arithmetic ----------------------------------------------------------------------------

    def add(self, a, b):
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        if self.is_inf(a):
            return self.nan if self.is_inf(b) and a != b else a
        if self.is_inf(b):
            return b
        return self.round(self.value(a) + self.value(b), self.sign(a) & self.sign(b))

    def sub(self, a, b):
        return self.nan if self.is_nan(b) else self.add(a, b ^ self.sign_bit)

    def mul(self, a, b):
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        s = (a ^ b) & self.sign_bit
        if self.is_inf(a) or self.is_inf(b):
            return self.nan if self.is_zero(a) or self.is_zero(b) else s | self.inf
        return self.round(self.value(a) * self.value(b), s)

    def fma(self, a, b, c):
        if self.is_nan(a) or self.is_nan(b) or self.is_nan(c):
            return self.nan
        s = (a ^ b) & self.sign_bit
        if self.is_inf(a) or self.is_inf(b):
            if self.is_zero(a) or self.is_zero(b):
                return self.nan
            return self.nan if self.is_inf(c) and c != s | self.inf else s | self.inf
        if self.is_inf(c):
            return c
        exact = self.value(a) * self.value(b) + self.value(c)
        return self.round(exact, s and c & self.sign_bit)

    def div(self, a, b):
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        s = (a ^ b) & self.sign_bit
        if self.is_inf(a):
            return self.nan if self.is_inf(b) else s | self.inf
        if self.is_inf(b):
            return s
        if self.is_zero(b):
            return self.nan if self.is_zero(a) else s | self.inf
        return self.round(self.value(a) / self.value(b), s)

    def sqrt(self, a):
        if self.is_nan(a) or self.is_zero(a):
            return self.nan if self.is_nan(a) else a
        if self.sign(a):
            return self.nan
        if self.is_inf(a):
            return a
        # A root truncated far below the last bit, its lost tail kept as one sticky bit.
        scaled = self.value(a) * Fraction(4)**1200
        root = isqrt(scaled.numerator // scaled.denominator)
        exact = Fraction(root * root) == scaled
        return self.round(Fraction(2 * root + (0 if exact else 1)) / Fraction(2)**1201)

    def min(self, a, b):
        if self.is_nan(a):
            return self.nan if self.is_nan(b) else b
        if self.is_nan(b):
            return a
        return a if self._order(a) <= self._order(b) else b

    def max(self, a, b):
        if self.is_nan(a):
            return self.nan if self.is_nan(b) else b
        if self.is_nan(b):
            return a
        return a if self._order(a) >= self._order(b) else b

    def _order(self, b):
        """A total order of encodings that are not NaN, in which -0 is below +0."""
        return -(b & ~self.sign_bit) - 1 if self.sign(b) else b

    def less(self, a, b):
        return self._order(a) < self._order(b) and not (self.is_zero(a) and self.is_zero(b))

    def equal(self, a, b):
        return a == b or (self.is_zero(a) and self.is_zero(b))

    # -- to an integral value ------------------------------------------------------------------

    def integral(self, a, mode):
        if self.is_nan(a):
            return self.nan
        if self.is_inf(a) or self.is_zero(a):
            return a
        v = self.value(a)
        floor = v.numerator // v.denominator
        if mode == "floor":
            n = floor
        elif mode == "ceil":
            n = -(-v.numerator // v.denominator)
        elif mode == "trunc":
            n = floor if v > 0 else -(-v.numerator // v.denominator)
        else:
            n = round(v)  # Python rounds rationals to nearest, ties to even
        return self.round(Fraction(n), self.sign(a))


F16 = Format("f16", 5, 10)
BF16 = Format("bf16", 8, 7)
F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52)


def convert(src, dst, bits, toward_zero=False):
    if src.is_nan(bits):
        return dst.nan
    s = dst.sign_bit if src.sign(bits) else 0
    if src.is_inf(bits):
        return s | dst.inf
    return dst.round(src.value(bits), s, toward_zero)


def s32(u):
    u &= MASK32
    return u - (1 << 32) if u >> 31 else u


def f32(text):
    """The bits of the f32 nearest to a decimal or a rational."""
    return F32.round(Fraction(text))


def f16(text):
    return F16.round(Fraction(text))


def f64(text):
    return F64.round(Fraction(text))


# -- scalar instructions that are more than one call of the above ------------------------------


def idiv(a, b):
    a, b = s32(a), s32(b)
    if b == 0:
        return 0
    q = abs(a) // abs(b)
    return (-q if (a < 0) != (b < 0) else q) & MASK32


def imod(a, b):
    a, b = s32(a), s32(b)
    if b == 0:
        return 0
    r = abs(a) % abs(b)
    return (-r if a < 0 else r) & MASK32


def bfe(src, offset, width):
    o, w = offset & 31, width & 31
    return src >> o & ((1 << w) - 1)


def bfi(base, insert, offset, width):
    o, w = offset & 31, width & 31
    m = ((1 << w) - 1) << o & MASK32
    return (base & ~m | insert << o & m) & MASK32


def ffract(a):
    if F32.is_nan(a) or F32.is_inf(a):
        return F32.nan
    v = F32.value(a)
    r = F32.round(v - (v.numerator // v.denominator))
    return 0x3F7FFFFF if r == 0x3F800000 else r


def fsat(a):
    if F32.is_nan(a) or F32.sign(a):
        return 0
    return min(a, 0x3F800000)


def f32_to_int(a, low, high):
    if F32.is_nan(a):
        return 0
    if F32.is_inf(a):
        return (low if F32.sign(a) else high) & MASK32
    v = F32.value(a)
    n = abs(v.numerator) // v.denominator
    return max(low, min(high, -n if v < 0 else n)) & MASK32


def bf16_of_f32(bits):
    """Truncation of an f32 result; a NaN never becomes an infinity."""
    return 0x7FC0 if F32.is_nan(bits) else bits >> 16


# -- transcendental functions: fixed point with PREC fraction bits -----------------------------

PREC = 400
ONE = 1 << PREC


def _arctan_inverse(n):
    total, term, k, sign = 0, ONE // n, 1, 1
    while term:
        total += sign * (term // k)
        term //= n * n
        k += 2
        sign = -sign
    return total


PI = 4 * (4 * _arctan_inverse(5) - _arctan_inverse(239))


def _ln_fixed(x):
    """ln of a fixed-point number in [1, 2] by the series of artanh((x-1)/(x+1))."""
    y = ((x - ONE) << PREC) // (x + ONE)
    y2 = y * y >> PREC
    total, term, k = 0, y, 1
    while term:
        total += term // k
        term = term * y2 >> PREC
        k += 2
    return 2 * total


LN2 = _ln_fixed(2 * ONE)


def _sin_cos_fixed(x):
    """(sin x, cos x) as fixed point for the rational x."""
    fixed = (x.numerator << PREC) // x.denominator
    r = fixed % (2 * PI)
    if r > PI:
        r -= 2 * PI
    sine, cosine, term, k = 0, 0, ONE, 0
    while term or k < 4:
        if k & 1:
            sine += -term if k & 2 else term
        else:
            cosine += -term if k & 2 else term
        k += 1
        term = (term * r >> PREC) // k
        if term == -1:
            term = 0
    return sine, cosine


def fsin(a):
    if F32.is_nan(a) or F32.is_inf(a):
        return F32.nan
    if F32.is_zero(a):
        return a
    v = F32.value(a)
    if abs(v) < Fraction(1, 1 << 40):  # x - x^3/6 rounds like a value just inside x
        return F32.round(v * (1 - Fraction(1, 1 << 80)))
    return F32.round(Fraction(_sin_cos_fixed(v)[0], ONE))


def fcos(a):
    if F32.is_nan(a) or F32.is_inf(a):
        return F32.nan
    v = F32.value(a)
    if abs(v) < Fraction(1, 1 << 40):
        return 0x3F800000
    return F32.round(Fraction(_sin_cos_fixed(v)[1], ONE))


def fexp2(a):
    if F32.is_nan(a):
        return F32.nan
    if F32.is_inf(a):
        return 0 if F32.sign(a) else a
    v = F32.value(a)
    if v >= 128:
        return F32.inf
    if v < -200:
        return 0
    n = v.numerator // v.denominator
    frac = v - n
    if frac == 0:
        return F32.round(Fraction(2)**n)
    x = (frac.numerator << PREC) // frac.denominator * LN2 >> PREC
    total, term, k = 0, ONE, 0
    while term:
        total += term
        k += 1
        term = (term * x >> PREC) // k
    return F32.round(Fraction(total, ONE) * Fraction(2)**n)


def flog2(a):
    if F32.is_nan(a):
        return F32.nan
    if F32.is_zero(a):
        return F32.inf | F32.sign_bit
    if F32.sign(a):
        return F32.nan
    if F32.is_inf(a):
        return a
    v = F32.value(a)
    e = v.numerator.bit_length() - v.denominator.bit_length()
    if v < Fraction(2)**e:
        e -= 1
    m = v / Fraction(2)**e
    if m == 1:
        return F32.round(Fraction(e))
    ln = _ln_fixed((m.numerator << PREC) // m.denominator)
    return F32.round(e + Fraction(ln, LN2))
