#!/usr/bin/env python3
"""Computes the expected values of the examples and writes them into the .wave files.

    expected.py            rewrite the expected values of all examples
    expected.py --check    change nothing; exit status 1 if a file is not up to date

Each calculation below is written from the definition of the problem, in plain Python, and shares
nothing with the kernels or the tools. Inputs are read from the `;@ buffer` and `;@ args` lines, so
a changed seed or size needs no change here. The values are between the two marker lines of a file;
examples whose result has a closed form (`expect ... = expr ...`) have no markers and are not
changed.

f32 values are Python floats that happen to be representable in f32. Sums, products, quotients and
square roots of f32 values may be computed in f64 and rounded again (53 >= 2 * 24 + 2 bits makes the
second rounding harmless); a fused multiply-add may not, and is computed with exact fractions where
it matters.
"""
import math
import os
import re
import struct
import sys
import zlib
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN = "; expected values, written by expected.py"
END = "; end of expected values"
MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF


# ---- rounding -----------------------------------------------------------------------------------

def f32(x):
    """The f32 nearest to a float, ties to even."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def round_exact(x, precision, min_exponent):
    """A fraction rounded to `precision` bits, ties to even, subnormals below 2^min_exponent."""
    if x == 0:
        return 0.0
    mantissa = abs(x)
    exponent = mantissa.numerator.bit_length() - mantissa.denominator.bit_length()
    if mantissa < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, min_exponent) - precision + 1)
    result = float(round(mantissa / unit) * unit)      # round() of a Fraction is ties-to-even
    return math.copysign(result, x)


def fma_exact(a, b, c, precision, min_exponent):
    return round_exact(Fraction(a) * Fraction(b) + Fraction(c), precision, min_exponent)


def fma32(a, b, c):
    """a * b + c with one rounding to f32."""
    product = a * b                                     # 48 bits: exact in f64
    total = product + c
    shadow = total - product                            # two-sum: what the f64 addition lost
    lost = (product - (total - shadow)) + (c - shadow)
    if lost == 0.0:
        return f32(total)
    low_bits = struct.unpack("<Q", struct.pack("<d", total))[0] & 0x1FFFFFFF
    if low_bits == 0x10000000 or abs(total) < 2.0 ** -120:
        return fma_exact(a, b, c, 24, -126)             # a tie that the first rounding caused
    return f32(total)


def fma64(a, b, c):
    return fma_exact(a, b, c, 53, -1022)


def rsqrt32(x):
    return f32(1.0 / f32(math.sqrt(x)))


def f16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def f16_fma(a, b, c):
    return fma_exact(a, b, c, 11, -14)


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def bf16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def bf16_truncate(x):
    """The bits of an f32 cut to bf16."""
    return bits32(x) >> 16


def bf16_nearest(x):
    """The bf16 bits nearest to a float, the way test data are rounded."""
    return bits32(round_exact(Fraction(x), 8, -126)) >> 16


# ---- test data ----------------------------------------------------------------------------------

def random_words(seed):
    """The generator `random` of the test format: upper half of splitmix64."""
    state = seed & MASK64
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        yield (z ^ (z >> 31)) >> 32


INTEGER_BITS = {"u8": 8, "u16": 16, "u32": 32, "i32": 32}
ROUND = {"f32": f32, "f64": float, "f16": f16, "bf16": bf16_nearest}


def generate(kind, count, words):
    """The elements a generator describes; bf16 elements are their bits."""
    if not words or words[0] == "zero":
        return [0] * count
    if kind in INTEGER_BITS:
        mask = (1 << INTEGER_BITS[kind]) - 1
        if words[0] == "random":
            source = random_words(int(words[1], 0))
            low, high = (int(words[2], 0), int(words[3], 0)) if len(words) > 2 else (0, MASK32)
            return [(low + next(source) % (high - low + 1)) & mask for _ in range(count)]
        if words[0] == "iota":
            start, step = int(words[1], 0), int(words[2], 0) if len(words) > 2 else 1
            return [(start + i * step) & mask for i in range(count)]
        if words[0] == "fill":
            return [int(words[1], 0) & mask] * count
        return [int(word, 0) & mask for word in words]
    if words[0] == "random":
        source = random_words(int(words[1], 0))
        low, high = (float(words[2]), float(words[3])) if len(words) > 2 else (0.0, 1.0)
        scale = high - low
        return [ROUND[kind](low + scale * (next(source) / 2.0 ** 32)) for _ in range(count)]
    if words[0] == "expr":  # of i alone, in doubles, exact here
        text = " ".join(words[1:])
        return [float(eval(text, {"i": float(i), "floor": math.floor})) for i in range(count)]
    raise ValueError("generator not used by a calculation: " + words[0])


class Launch:
    """Buffers and arguments of an example, by the names the `;@` lines give them."""

    def __init__(self, text):
        self.buffers, self.arguments = {}, []
        lines = []
        for line in re.findall(r"^\s*;@\s*(.*?)\s*$", text, re.M):
            if line.startswith("+"):
                lines[-1] += " " + line[1:]
            else:
                lines.append(line)
        for line in lines:
            words = line.split()
            if words[0] == "buffer":
                data = words[words.index("=") + 1:] if "=" in words else []
                self.buffers[words[1]] = generate(words[2], int(words[3]), data)
            elif words[0] == "args":
                self.arguments = [self.argument(word) for word in words[1:]]

    def argument(self, word):
        if word.startswith("f32:"):
            return f32(float(word[4:]))
        return word if word in self.buffers else int(word, 0)

    def __getattr__(self, name):
        return self.buffers[name]


# ---- the examples: each returns (buffer, first element, mode, values) ---------------------------

def block_reduction(launch):
    n = launch.arguments[3]
    sums = [0] * 4
    for i in range(n):
        # Element i belongs to the thread with index i / 4 mod 1024, the rest to threads 0 ..
        thread = (i // 4) % 1024 if i < n // 4 * 4 else i - n // 4 * 4
        sums[thread // 256] += getattr(launch, "in")[i]
    yield "partial", 0, "", [s & MASK32 for s in sums]
    yield "total", 0, "", [sum(getattr(launch, "in")[:n]) & MASK32]


def histogram(launch):
    bins = [0] * 256
    for byte in launch.data[:launch.arguments[2]]:
        bins[byte] += 1
    yield "bins", 0, "", bins


def matrix_element(a, b, row, column, columns, depth, base=0):
    total = 0.0
    for k in range(depth):
        total = fma32(a[base + row * depth + k], b[base + k * columns + column], total)
    return total


def gemm_register_blocked(launch):
    columns, depth = launch.arguments[3:]
    # 16 windows of 16 neighbours, spread over the four tiles and over the rows within a tile
    for window in range(16):
        row, column = (window * 41 + 3) % 128, (window % 8) * 16
        yield "C", row * columns + column, "", [
            matrix_element(launch.A, launch.B, row, column + i, columns, depth) for i in range(16)]


def gemm_mma(launch):
    columns, depth = launch.arguments[4:]
    # small integers: every sum is exact, on matrix units too
    for window in range(16):
        row, column = (window * 41 + 3) % 128, (window % 8) * 16
        yield "C", row * columns + column, "", [
            max(0.0, matrix_element(launch.A, launch.B, row, column + i, columns, depth) + launch.bias[column + i])
            for i in range(16)]


def softmax(launch):
    columns = launch.arguments[2]
    rows = getattr(launch, "in") + launch.steep
    for row in range(4):
        x = rows[row * columns:(row + 1) * columns]
        largest = max(x)
        terms = [math.exp(v - largest) for v in x]
        total = math.fsum(terms)
        mode = "ulp 64" if row < 2 else "abs 0.00001"
        # In the steep rows, the surroundings of the largest value
        for first in (0, 128, 256, 284) if row < 2 else (0, x.index(largest) // 8 * 8, 250):
            yield ("out", row * columns + first, mode,
                   [f32(t / total) for t in terms[first:first + 16]])


def tree_sum(values):
    while len(values) > 1:
        values = [f32(values[i] + values[i + 1]) for i in range(0, len(values), 2)]
    return values[0]


def layer_norm(launch):
    columns, eps = launch.arguments[4:]
    threads = 128
    for row in range(3):
        x = launch.x[row * columns:(row + 1) * columns]
        sums = [0.0] * threads
        for i, v in enumerate(x):
            sums[i % threads] = f32(sums[i % threads] + v)
        mean = f32(tree_sum(sums) / columns)
        squares = [0.0] * threads
        for i, v in enumerate(x):
            d = f32(v - mean)
            squares[i % threads] = fma32(d, d, squares[i % threads])
        scale = rsqrt32(f32(f32(tree_sum(squares) / columns) + eps))
        y = [fma32(f32(f32(v - mean) * scale), launch.gamma[i], launch.beta[i])
             for i, v in enumerate(x)]
        for first, count in ((0, 36), (110, 36), (190, 10)):
            yield "y", row * columns + first, "", y[first:first + count]


def nbody(launch):
    n, eps2 = launch.arguments[2:]
    bodies = [launch.bodies[4 * i:4 * i + 4] for i in range(n)]

    def body(i):
        ax = ay = az = potential = 0.0
        for x, y, z, mass in bodies:
            dx, dy, dz = f32(x - bodies[i][0]), f32(y - bodies[i][1]), f32(z - bodies[i][2])
            squared = fma32(dx, dx, fma32(dy, dy, fma32(dz, dz, eps2)))
            inverse = rsqrt32(squared)
            term = f32(mass * inverse)
            potential = f32(potential - term)
            term = f32(term * f32(inverse * inverse))
            ax, ay, az = fma32(dx, term, ax), fma32(dy, term, ay), fma32(dz, term, az)
        return [ax, ay, az, potential]

    for first in (0, 32, 64, 112):
        yield "out", 4 * first, "", [v for i in range(first, first + 16) for v in body(i)]


def mandelbrot(launch):
    width, _, limit, left, top, distance = launch.arguments[1:]

    def pixel(x, y):
        cx, cy = fma32(x, distance, left), fma32(y, distance, top)
        zx = zy = 0.0
        for step in range(limit):
            xx, yy = f32(zx * zx), f32(zy * zy)
            if f32(xx + yy) > 4.0:
                return step
            zx, zy = f32(f32(xx - yy) + cx), fma32(f32(zx + zx), zy, cy)
        return limit

    for y in (2, 13, 20, 29):
        yield "out", y * width, "", [pixel(x, y) for x in range(width)]


def collatz(launch):
    def steps(n):
        count = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n // 2
            count += 1
        return count

    yield "steps", 0, "", [steps(i + 1) for i in range(len(launch.steps))]


def crc32(launch):
    assert zlib.crc32(b"123456789") == 0xCBF43926
    stride = launch.arguments[3]
    yield "crc", 0, "hex", [zlib.crc32(bytes(launch.data[i * stride:i * stride + length]))
                            for i, length in enumerate(launch.length)]


def xorshift(launch):
    states, uniform = [], []
    for i in range(128):
        x, y, z, w = launch.states[4 * i:4 * i + 4]
        for _ in range(launch.arguments[2]):
            t = (x ^ (x << 11)) & MASK32
            x, y, z, w = y, z, w, w ^ (w >> 19) ^ t ^ (t >> 8)
        states += [x, y, z, w]
        uniform.append((w >> 8) / 2.0 ** 24)
    yield "uniform", 0, "", uniform
    yield "states", 0, "hex", states[:64]
    yield "states", 448, "hex", states[448:]


# The ciphertext printed in RFC 8439, section 2.4.2
RFC_8439_CIPHERTEXT = bytes.fromhex("""
    6e2e359a2568f98041ba0728dd0d6981 e97e7aec1d4360c20a27afccfd9fae0b
    f91b65c5524733ab8f593dabcd62b357 1639d624e65152ab8f530c359f0861d8
    07ca0dbf500d6a6156a38e088a22b65e 52bc514d16ccf806818ce91ab7793736
    5af90bbf74a35be6b40b8eedf2785e42 874d""")


def chacha20_block(key, counter, nonce):
    def rotate(v, n):
        return ((v << n) | (v >> (32 - n))) & MASK32

    def quarter(s, a, b, c, d):
        for target, source, other, distance in ((a, b, d, 16), (c, d, b, 12),
                                                (a, b, d, 8), (c, d, b, 7)):
            s[target] = (s[target] + s[source]) & MASK32
            s[other] = rotate(s[other] ^ s[target], distance)

    row3 = struct.pack("<I", counter) + nonce
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + row3))
    state = list(start)
    for _ in range(10):
        for i in range(4):
            quarter(state, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & MASK32 for a, b in zip(state, start)))


def chacha20(launch):
    counter, blocks = launch.arguments[2], launch.arguments[5]
    text = bytes(launch.text + launch.zeros)
    stream = b"".join(chacha20_block(bytes(launch.key), counter + i, bytes(launch.nonce))
                      for i in range(blocks))
    cipher = bytes(a ^ b for a, b in zip(text, stream))
    assert text.startswith(b"Ladies and Gentlemen of the class of '99: If I could offer you only")
    assert cipher.startswith(RFC_8439_CIPHERTEXT) and len(RFC_8439_CIPHERTEXT) == 114
    yield "out", 0, "hex", list(RFC_8439_CIPHERTEXT)
    yield "out", 114, "hex", list(cipher[114:192])
    yield "out", 1856, "hex", list(cipher[1856:1920])


def f16_dot(launch):
    dots = []
    for group in range(8):
        total = 0.0
        for first in range(group * 512, group * 512 + 512, 8):
            for lane in (0, 1):                         # even elements, odd elements
                i = first + lane
                part = f16(launch.x[i] * launch.y[i])
                for j in (i + 2, i + 4, i + 6):
                    part = f16_fma(launch.x[j], launch.y[j], part)
                assert (part * 4096).is_integer() and part < 4
                total += part                           # exact, see the kernel's comment
        assert total == f32(total)
        dots.append(total)
    yield "dot", 0, "", dots
    yield "dot16", 0, "", [f16(v) for v in dots]


def bf16_axpy(launch):
    n = launch.arguments[2]
    a = bf16_value(bf16_truncate(launch.arguments[3]))
    y = list(launch.y)
    for i in range(n):
        y[i] = bf16_truncate(fma32(a, bf16_value(launch.x[i]), bf16_value(launch.y[i])))
    for first, count in ((0, 104), (504, 64), (936, 88)):
        yield "y", first, "hex", y[first:first + count]


def f64_dot(launch):
    columns, threads = launch.arguments[3], 128
    results = []
    for row in range(3):
        xy, xx = [0.0] * threads, [0.0] * threads
        for i in range(columns):
            x, y = launch.x[row * columns + i], launch.y[row * columns + i]
            xy[i % threads] = fma64(x, y, xy[i % threads])
            xx[i % threads] = fma64(x, x, xx[i % threads])
        half = threads // 2
        while half:
            xy = [xy[i] + xy[i + half] for i in range(half)]
            xx = [xx[i] + xx[i + half] for i in range(half)]
            half //= 2
        results += [xy[0], xy[0] / math.sqrt(xx[0])]
    yield "out", 0, "", results


def stream_compaction(launch):
    values, threshold = getattr(launch, "in"), launch.arguments[4]
    counts = []
    for group in range(4):
        kept = [v for v in values[group * 256:group * 256 + 256] if v > threshold]
        counts.append(len(kept))
        yield "out", group * 256, "", kept
        yield "out", group * 256 + len(kept), "fill 0xFFFFFFFF", [0] * (256 - len(kept))
    yield "count", 0, "", counts
    yield "total", 0, "", [sum(counts)]


def mma_tile(launch):
    # Eight rows of 32: every fragment row of C, alternating between the two products
    for window in range(8):
        product, row = window % 2, (window * 4 + window % 4)
        yield "C", product * 1024 + row * 32, "", [
            matrix_element(launch.A, launch.B, row, column, 32, 32, product * 1024)
            for column in range(32)]


def calls(launch):
    def prime(n):
        return int(n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1)))

    yield "lcm", 0, "", [(i + 1) * 360 // math.gcd(i + 1, 360) for i in range(128)]
    yield "prime", 0, "", [prime(i * i + i - 1) for i in range(128)]


EXAMPLES = [block_reduction, histogram, gemm_register_blocked, gemm_mma, softmax, layer_norm, nbody,
            mandelbrot, collatz, crc32, xorshift, chacha20, f16_dot, bf16_axpy, f64_dot,
            stream_compaction, mma_tile, calls]


# ---- writing ------------------------------------------------------------------------------------

def shortest_f32(x):
    """The shortest decimal that rounds to the f32 x."""
    for digits in range(6, 10):
        text = "%.*g" % (digits, x)
        if f32(float(text)) == x:
            return text
    raise AssertionError("nine digits always suffice")


def literal(value, kind, mode):
    if mode == "hex":
        return "0x%0*X" % ({"u8": 2, "bf16": 4}.get(kind, 8), value)
    if kind == "f32":
        return shortest_f32(value)
    return repr(value) if isinstance(value, float) else str(value)


def expect_lines(buffer, first, kind, mode, values):
    where = "%s[%d..%d]" % (buffer, first, first + len(values))
    if mode.startswith("fill"):
        return [";@ expect  %s = %s" % (where, mode)] if values else []
    comparison = " " + mode if mode and mode != "hex" else ""
    lines, line = [], ";@ expect  %s%s =" % (where, comparison)
    for value in values:
        text = " " + literal(value, kind, mode)
        if len(line) + len(text) > 100:
            lines.append(line)
            line = ";@ +"
        line += text
    return lines + [line]


def update(text, calculation):
    types = dict(re.findall(r"^\s*;@\s*buffer\s+(\w+)\s+(\w+)", text, re.M))
    lines, listed = [], 0
    for buffer, first, mode, values in calculation(Launch(text)):
        lines += expect_lines(buffer, first, types[buffer], mode, values)
        listed += 0 if mode.startswith("fill") else len(values)
    assert 0 < listed <= 256, "%s: %d values" % (calculation.__name__, listed)
    head, rest = text.split(BEGIN + "\n")
    return head + "\n".join([BEGIN] + lines + [END]) + "\n" + rest.split(END + "\n", 1)[1]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.stderr.write(__doc__)
        return 2
    status, known = 0, {e.__name__ for e in EXAMPLES}
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        index = file.read()
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".wave"):
            continue
        if "(%s)" % name not in index:
            print("%s: not in README.md" % name)
            status = 1
        path = os.path.join(HERE, name)
        with open(path, encoding="utf-8") as file:
            old = file.read()
        if (BEGIN in old) != (name[:-5] in known):
            print("%s: markers without a calculation, or a calculation without markers" % name)
            status = 1
            continue
        if BEGIN not in old:
            continue
        new = update(old, globals()[name[:-5]])
        if new == old:
            continue
        if sys.argv[1:]:
            print("%s: expected values are not up to date" % name)
            status = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            print("%s: expected values written" % name)
    return status


if __name__ == "__main__":
    sys.exit(main())
