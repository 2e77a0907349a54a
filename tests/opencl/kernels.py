"""Shared by the modules of generate.py: writing a test file, and arithmetic that rounds as C does."""
import math
import struct

SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
TEXT = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}


# --- Numbers ------------------------------------------------------------------------------------------------------------


def to_bits(value, bits):
    return value & ((1 << bits) - 1)


def wrap(value, name):
    """The value as the OpenCL type represents it."""
    bits = BITS[name]
    value = to_bits(value, bits)
    return value - (1 << bits) if name in SIGNED and value >> (bits - 1) else value


def limits(name):
    bits = BITS[name]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name in SIGNED else (0, (1 << bits) - 1)


def clamp(value, low, high):
    return max(low, min(high, value))


def divide(a, b):
    """C's quotient."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def f32(x):
    """Rounded once to float, nearest even."""
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def f16(x):
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def from_bits32(b):
    return struct.unpack("<f", struct.pack("<I", b))[0]


def bits64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


class Random:
    """Numbers that are the same everywhere: splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self, count=32):
        self.state = to_bits(self.state + 0x9E3779B97F4A7C15, 64)
        z = self.state
        z = to_bits((z ^ z >> 30) * 0xBF58476D1CE4E5B9, 64)
        z = to_bits((z ^ z >> 27) * 0x94D049BB133111EB, 64)
        return (z ^ z >> 31) >> (64 - count)

    def below(self, limit):
        return self.bits(32) % limit

    def list(self, count, limit):
        return [self.below(limit) for _ in range(count)]


def edges(name, count, seed):
    """Values of an integer type: its ends, values near 0, random ones."""
    low, high = limits(name)
    random = Random(seed)
    values = [low, high, 0, 1, wrap(-1, name), low + 1, high - 1, 2, wrap(-2, name), high // 2, 7, 85]
    while len(values) < count:
        values.append(wrap(random.bits(64) >> random.below(BITS[name]), name))
    return values[:count]


# --- Test files ---------------------------------------------------------------------------------------------------------


def number(kind, value):
    if kind in ("f16", "f32", "f64"):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        text = "%.*g" % ({"f16": 6, "f32": 9, "f64": 17}[kind], value)
        short = repr(value)
        return short if len(short) < len(text) else text
    bits = 32 if kind == "i32" else int(kind[1:])
    return str(value if kind == "i32" else to_bits(value, bits))


def lines_of(start, kind, values):
    """'start = 1 2 3', continued after 110 columns; a text is a generator."""
    if isinstance(values, str):
        return [f"//@ {start} = {values}"]
    lines = [f"//@ {start} ="]
    for value in values:
        word = number(kind, value)
        if len(lines[-1]) + len(word) > 110:
            lines.append("//@ +")
        lines[-1] += " " + word
    return lines


class Files:
    def __init__(self):
        self.programs = {}

    def add(self, path, title, source, buffers, args, expects, group="64", grid=None, cc=None, extra=()):
        """buffers: (name, type, values or count or (count, generator)); expects: (name, values[, mode])."""
        lines = [f"//@ test    {title}"]
        if group:
            lines.append(f"//@ group   {group}")
        if grid:
            lines.append(f"//@ grid    {grid}")
        if cc:
            lines.append(f"//@ cc: {cc}")
        lines += [f"//@ {line}" for line in extra]
        kinds = {}
        for name, kind, what in buffers:
            kinds[name] = kind
            if isinstance(what, int):
                lines.append(f"//@ buffer  {name} {kind} {what}")
            elif isinstance(what, tuple):
                lines += lines_of(f"buffer  {name} {kind} {what[0]}", kind, what[1])
            else:
                lines += lines_of(f"buffer  {name} {kind} {len(what)}", kind, what)
        lines.append(f"//@ args    {args}")
        for name, values in expects:
            if values is None:
                lines.append(f"//@ unchanged {name}")
                continue
            words = name.split()
            kind = words[1] if len(words) > 1 else kinds[words[0].split("[")[0]]
            lines += lines_of(f"expect  {name}", kind, values)
        assert path not in self.programs, path
        self.programs[path] = "\n".join(lines) + "\n\n" + source.strip("\n") + "\n"
