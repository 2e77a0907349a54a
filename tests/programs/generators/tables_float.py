"""Edge-value tables of the float instructions: f32, f16, bf16, f64, compares and conversions.

Rows whose operands or results are f32 subnormals go to separate programs, because Metal hardware
may flush them. Integer tables and the program around a table are in tables.py.
"""
from exact import (BF16, F16, F32, F64, MASK32, bf16_of_f32, convert, f32, f32_to_int, f64, fcos,
                   fexp2, ffract, flog2, fsat, fsin, s32)
from tables import INTS, Random, cross, packed_program, table_program

# -- f32 ---------------------------------------------------------------------------------------

MIN_NORMAL, MAX = 0x00800000, 0x7F7FFFFF
NEG = 0x80000000
FLOATS = [
    0, NEG,
    f32(1),
    f32(-1),
    f32("1.5"), 0x3F7FFFFF,
    f32(-3), MAX, NEG | MAX, F32.inf, NEG | F32.inf, F32.nan
]
SUBS = [1, NEG | 1, 0x007FFFFF, 0x807FFFFF, 0x00400000]
NANS = [0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFBFFFFF]
WIDE = FLOATS + [
    MIN_NORMAL, NEG | MIN_NORMAL, 0x3F800001,
    f32("1/3"),
    f32(2), 0x4B800000, 0x4B800001,
    f32("0.5"), 0x40490FDB,
    f32("1e30"),
    f32("-1e-30")
]
UNARY = WIDE + SUBS + NANS + [
    f32(t) for t in ("-0.5", "2.5", "-2.5", "3.5", "0.49999997", "-0.49999997", "8388607.5",
                     "-8388607.5", "8388608.5", "0.75", "-1.25", "1e-10", "-1e-10", "2", "4", "100",
                     "0.01", "16777217", "-7.999", "0.99999994", "1.0000001")
]


def random_floats(seed, count, lo=-20, hi=20):
    r = Random(seed)
    return [(r.word(1) << 31) | (127 + lo + r.word() % (hi - lo + 1)) << 23 | r.word(23)
            for _ in range(count)]


def float_rows(seed, arity):
    if arity == 1:
        return cross(UNARY + random_floats(seed, 16, -40, 40))
    near = [(f32("1.5"), 0x33800000), (f32(1), 0x33800000), (0x3F800001, 0x33800000),
            (0x3F800001, 0xB3800001), (0x4B800000, f32(1)), (0x4B800001, f32(1)), (MAX, 0x73000000),
            (MAX, 0x72FFFFFF), (MAX, 0x3F800001), (0x3F800001, 0x3F800001),
            (0x3F7FFFFF, 0x3F800001), (f32("1e20"), f32("1e20")), (f32("1e-30"), f32("1e-30"))]
    r = random_floats(seed, 64)
    subs = cross(SUBS, [0, f32(1), NEG | MAX, SUBS[0], SUBS[3], MIN_NORMAL, 0x34000000, F32.nan])
    subs += [(b, a) for a, b in cross(SUBS, [NEG, f32("-0.5"), MIN_NORMAL, MAX, F32.inf])]
    subs += [(MIN_NORMAL, NEG | 0x00800001), (MIN_NORMAL, f32("0.5")), (0x00FFFFFF, f32("0.5")),
             (0x1F800001, 0x1F800001), (0x00800001, f32(2)), (0x20000000, 0x5FFFFFFF),
             (f32(1), 0x7F000001), (0x1A000001, 0x1A000001)]
    if arity == 2:
        return cross(FLOATS, FLOATS) + near + list(zip(r[:32], r[32:])) + subs
    special = [0, NEG, f32(1), F32.inf, NEG | F32.inf, F32.nan]
    rows = cross([0, NEG, f32(-1), MAX, F32.inf], [0, NEG, f32("1.5"), NEG | F32.inf], special)
    # The first of these shows the single rounding: the product's low bit decides.
    rows += [(0x3F800001, 0x3F800001, 0xBF800002), (0x3F800001, 0x3F7FFFFE, f32(-1)),
             (0x4B800001, 0x4B800001, 0xD6800002), (f32(3), f32("1/3"), f32(-1)),
             (MAX, f32(2), NEG | MAX), (MAX, MAX, NEG | F32.inf), (MAX, f32(2), 0xFF000000)]
    third = random_floats(seed + 1, 32)
    rows += list(zip(r[:32], r[32:], third))
    rows += [(a, b, c)
             for (a, b), c in zip(subs, [0, SUBS[1], f32(1), MIN_NORMAL, SUBS[2]] * len(subs))]
    return rows


def flush_matters(operands, result):
    """Whether flushing f32 subnormals, of operands or of the result, would be visible."""
    return any(F32.is_subnormal(o) for o in operands) or 0 < (result & ~NEG) <= MIN_NORMAL


def flush(bits):
    """A zero with the same sign for a subnormal f32."""
    return bits & NEG if F32.is_subnormal(bits) else bits


def flushing(fn):
    """The function on hardware that flushes f32 subnormals, of operands and of the result."""
    return lambda *operands: flush(fn(*map(flush, operands)))


def flushing_bf16(fn):
    """The same for bf16, which has the range of f32."""

    def narrow(bits):
        return bits if bits & 0x7F80 else bits & 0x8000

    return lambda *operands: narrow(fn(*(narrow(x & 0xFFFF) for x in operands)))


def clamp(x, lo, hi):
    return F32.min(F32.max(x, lo), hi)


def rsqrt(a):
    return F32.div(f32(1), F32.sqrt(a))


FLOAT = [
    ("fadd", 2, F32.add, "IEEE, to nearest even."),
    ("fsub", 2, F32.sub, "IEEE, to nearest even."),
    ("fmul", 2, F32.mul, "IEEE, to nearest even."),
    ("fdiv", 2, F32.div, "IEEE: x/0 is an infinity with the product of the signs, 0/0 is NaN."),
    ("fmin", 2, F32.min, "A NaN gives the other operand; -0 is below +0."),
    ("fmax", 2, F32.max, "A NaN gives the other operand; -0 is below +0."),
    ("fma", 3, F32.fma, "One rounding of a*b + c."),
    ("fclamp", 3, clamp, "fmin(fmax(x, lo), hi); NaN x gives lo."),
    ("fsqrt", 1, F32.sqrt, "Correctly rounded; a negative operand gives NaN, -0 stays -0."),
    ("frsqrt", 1, rsqrt, "The rounded reciprocal of the rounded root."),
    ("frcp", 1, lambda a: F32.div(f32(1), a), "Correctly rounded 1/x."),
    ("ffloor", 1, lambda a: F32.integral(a, "floor"), "A zero result keeps the operand's sign."),
    ("fceil", 1, lambda a: F32.integral(a, "ceil"),
     "A zero result keeps the operand's sign: fceil(-0.5) = -0."),
    ("fround", 1, lambda a: F32.integral(a, "even"),
     "Ties to even; a zero result keeps the operand's sign."),
    ("ftrunc", 1, lambda a: F32.integral(a, "trunc"), "A zero result keeps the operand's sign."),
    ("ffract", 1, ffract, "x - floor(x), below 1 always; of infinities and NaN it is NaN."),
    ("fsat", 1, fsat, "Clamped to [0, 1]; NaN and -0 give +0."),
]


def float_programs(out):
    for seed, (op, arity, fn, rule) in enumerate(FLOAT):
        rows = float_rows(1000 + seed, arity)
        results = [fn(*r) for r in rows]
        flush = [flush_matters(r, v) for r, v in zip(rows, results)]
        for suffix, want, flags in (("_edges", False, ()), ("_subnormal", True,
                                                            ("ftz-sensitive", ))):
            chosen = [k for k in range(len(rows)) if flush[k] == want]
            what = "over edge values" if not want else "with subnormal operands or results"
            out[f"arithmetic/f32/{op}{suffix}.wave"] = table_program(
                op + suffix, f"{op} {what}", rule, op, [rows[k] for k in chosen],
                [results[k] for k in chosen], src="f32", dst="f32", flags=flags,
                flushed=want and [flushing(fn)(*rows[k]) for k in chosen])
    signs = cross(UNARY)
    for op, fn in (("fneg", lambda a: a ^ NEG), ("fabs", lambda a: a & ~NEG)):
        out[f"arithmetic/f32/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} changes bit 31 only, of NaN payloads and subnormals too",
            "Compared as words.", op, signs, [fn(a) for a, in signs])
    compare_floats(out)
    transcendental_programs(out)


def compare_floats(out):

    def ordered(fn):
        return lambda a, b: not (F32.is_nan(a) or F32.is_nan(b)) and fn(a, b)

    table = {
        "eq": ordered(F32.equal),
        "lt": ordered(F32.less),
        "gt": ordered(lambda a, b: F32.less(b, a)),
        "le": ordered(lambda a, b: F32.less(a, b) or F32.equal(a, b)),
        "ge": ordered(lambda a, b: F32.less(b, a) or F32.equal(a, b)),
        "ord": ordered(lambda a, b: True),
    }
    table["ne"] = lambda a, b: not table["eq"](a, b)
    table["unord"] = lambda a, b: not table["ord"](a, b)
    values = FLOATS + NANS[1:] + [MIN_NORMAL]
    normal, subs = cross(values, values), cross(SUBS, SUBS + [0, NEG, MIN_NORMAL, f32(-1)])
    for c, fn in table.items():
        rule = "True if an operand is NaN." if c in ("ne",
                                                     "unord") else "False if an operand is NaN."
        out[f"arithmetic/compare/fcmp_{c}_edges.wave"] = table_program(
            f"fcmp_{c}_edges", f"fcmp_{c} with zeros, infinities and NaNs", rule + " -0 equals +0.",
            f"fcmp_{c}", normal, [int(fn(*r)) for r in normal], src="f32", predicate=True)
        if c in ("eq", "ne", "lt", "le", "gt", "ge"):
            out[f"arithmetic/compare/fcmp_{c}_subnormal.wave"] = table_program(
                f"fcmp_{c}_subnormal", f"fcmp_{c} tells subnormals from zero",
                "Subnormals are numbers like any other.", f"fcmp_{c}", subs,
                [int(fn(*r)) for r in subs], src="f32", predicate=True, flags=("ftz-sensitive", ),
                flushed=[int(fn(*map(flush, r))) for r in subs])


def transcendental_programs(out):
    angles = [0, NEG, F32.inf, NEG | F32.inf] + NANS[:2] + [
        f32(t) for t in ("1e-20", "-1e-5", "0.001", "0.1", "0.5", "-1", "2", "3", "-4", "10", "22",
                         "355", "-1000", "100000", "1e10", "-1e20", "3.4e38")
    ]
    angles += [
        0x3F490FDB, 0x3FC90FDB, 0x40490FDB, 0xC0C90FDB, 0x4096CBE4, 0x3F060A92, 0x4B800000, MAX,
        f32(16367173 << 72), MIN_NORMAL
    ] + random_floats(77, 64, -30, 127)
    powers = [0, NEG, F32.inf, NEG | F32.inf] + NANS[:2] + [
        f32(t) for t in ("0.5", "-0.5", "0.1", "-0.1", "1e-8", "-1e-8", "1.9999999", "127.99999",
                         "128", "1000", "-200", "-1e30", "-125.5", "13.37", "-13.37")
    ] + random_floats(78, 64, -30, 6)
    logs = [0, NEG, F32.inf, NEG | F32.inf, f32(-1), MAX, MIN_NORMAL, 0x3F7FFFFF, 0x3F800001]
    logs += [0x3F800002, 0x3F7FFFFE] + NANS[:2] + [f32(t) for t in (
        "3", "10", "0.1", "1.4142135", "0.70710678", "1e-30", "1e30", "1.5", "0.75")]
    logs += [b & ~NEG for b in random_floats(79, 64, -120, 120)]
    subs = SUBS + [0x00001234, 0x00300000]
    table = [("fsin", fsin, angles, subs, "Radians of any magnitude."),
             ("fcos", fcos, angles, subs, "Radians of any magnitude."),
             ("fexp2", fexp2, powers,
              [f32(t) for t in ("-126.5", "-130.25", "-148.3", "-149", "-151")] + SUBS[:4],
              "Overflows to +inf."),
             ("flog2", flog2, logs, subs, "Zero gives -inf, a negative number NaN.")]
    for op, fn, values, small, rule in table:
        for suffix, chosen, flags in (("_accuracy", values, ()), ("_subnormal", small,
                                                                  ("ftz-sensitive", ))):
            what = "within 2 units in the last place" + (" of subnormals" if flags else "")
            # flog2 takes its operand apart as an integer: nothing is flushed.
            flushed = fn if op == "flog2" else flushing(fn)
            out[f"arithmetic/math/{op}{suffix}.wave"] = table_program(
                op + suffix, f"{op} is {what}", rule, op, cross(chosen), [fn(a) for a in chosen],
                src="f32", dst="f32", mode="ulp 2", flags=flags,
                flushed=flags and [flushed(a) for a in chosen])
    whole = [F32.round(k) if k else 0 for k in range(-126, 128, 5)] + [f32(127), f32(-126)]
    out["arithmetic/math/fexp2_exact.wave"] = table_program(
        "fexp2_exact", "fexp2 of a whole number is exact", "2^n has a single bit.", "fexp2",
        cross(whole), [fexp2(a) for a in whole], src="f32", dst="f32")
    twos = [k << 23 for k in range(1, 255, 6)]
    out["arithmetic/math/flog2_exact.wave"] = table_program(
        "flog2_exact", "flog2 of a power of two is exact", "The exponent is the result.", "flog2",
        cross(twos), [flog2(a) for a in twos], src="f32", dst="f32")


# -- f16, bf16, f64 ----------------------------------------------------------------------------

HALVES = [
    0, 0x8000, 0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x7BFF, 0xFBFF, 0x0400, 0x8001, 0x03FF, 0x7C00,
    0xFC00, 0x7E00
]
BRAINS = [
    0, 0x8000, 0x3F80, 0xBF80, 0x3F81, 0x3F7F, 0x7F7F, 0xFF7F, 0x0080, 0x4049, 0x7F80, 0xFF80,
    0x7FC0
]
JUNK = [0x00000000, 0xFFFF0000, 0x7E000000, 0x3C000000, 0x12340000]


def random_halves(seed, count, fmt):
    r = Random(seed)
    return [
        r.word(16) & (0xFFFF if fmt is F16 else 0xBFFF) | (0 if fmt is F16 else 0x2000)
        for _ in range(count)
    ]


def half_rows(values, seed, arity, fmt):
    r = random_halves(seed, 96, fmt)
    if arity == 2:
        return cross(values, values) + list(zip(r[:32], r[32:64]))
    rows = cross(values[::3], values[1::4], values[::4]) + list(zip(r[:32], r[32:64], r[64:]))
    if fmt is F16:
        # Products just off a tie: rounding first to f32 and then to f16 gives the wrong neighbour.
        ties = [(0x1001, 0x3BFE, 0x3C01), (0x9001, 0x3BFE, 0x3C01), (0x1001, 0x37FE, 0x3801),
                (0x2401, 0xBBFE, 0xD001)]
        assert all(
            F16.fma(*t) != convert(F32, F16, F32.fma(*(convert(F16, F32, x) for x in t)))
            for t in ties)
        rows += ties + [(b, a ^ 0x8000, c ^ 0x8000) for a, b, c in ties]
    return rows


def bf16_op(fn):
    return lambda *a: bf16_of_f32(fn(*(x << 16 for x in a)))


def half_programs(out):
    f16_rule, bf_rule = "One rounding to f16; the upper halves of the sources are ignored.", \
        "Computed in f32, then truncated; the upper halves of the sources are ignored."
    for seed, (op, arity, fn) in enumerate(
        (("hadd", 2, F16.add), ("hsub", 2, F16.sub), ("hmul", 2, F16.mul), ("hma", 3, F16.fma))):
        rows = half_rows(HALVES, 2000 + seed, arity, F16)
        emit_half(out, "f16", op, rows, fn, F16, f16_rule, ())
    for seed, (op, arity, raw) in enumerate(
        (("badd", 2, F32.add), ("bsub", 2, F32.sub), ("bmul", 2, F32.mul), ("bma", 3, F32.fma))):
        rows = half_rows(BRAINS, 3000 + seed, arity, BF16)
        if arity == 2:
            rows += cross([0x0001, 0x807F, 0x0040],
                          [0, 0x3F80, 0x0081, 0xBF00]) + [(0x0080, 0x3F00), (0x0081, 0x8080)]
        else:
            rows += cross([0x0001, 0x0080], [0x3F80, 0x3F00], [0, 0x8001, 0x0080])

        def matters(r, raw=raw):
            return flush_matters([x << 16 for x in r], raw(*(x << 16 for x in r)))

        plain, tiny = [r for r in rows if not matters(r)], [r for r in rows if matters(r)]
        emit_half(out, "bf16", op, plain, bf16_op(raw), BF16, bf_rule, ())
        emit_half(out, "bf16", op, tiny, bf16_op(raw), BF16, bf_rule, ("ftz-sensitive", ))


def emit_half(out, folder, op, rows, fn, fmt, rule, flags):
    results = [fn(*r) for r in rows]
    suffix = "_subnormal" if flags else "_edges"
    what = "with subnormal operands or results" if flags else "over edge values"
    words = [
        tuple(x | JUNK[(j + k) % len(JUNK)] for k, x in enumerate(r)) for j, r in enumerate(rows)
    ]
    out[f"arithmetic/{folder}/{op}{suffix}.wave"] = table_program(
        op + suffix, f"{op} {what}; the result's upper half is 0", rule, op, words, results,
        dst=fmt.name, high=True, flags=flags,
        flushed=flags and [flushing_bf16(fn)(*r) for r in rows])
    if op not in ("hsub", "bsub"):
        packed = op + "2"
        order = rows[::2] + rows[1::2][::-1]
        out[f"arithmetic/{folder}/{packed}{suffix}.wave"] = packed_program(
            packed + suffix, f"{packed} {what}", "Each half is computed separately.", packed, order,
            [fn(*r) for r in order], fmt, flags, flags and [flushing_bf16(fn)(*r) for r in order])


DOUBLES = [
    0, F64.sign_bit,
    f64(1),
    f64(-1), 0x3FF0000000000001, 0x7FEFFFFFFFFFFFFF, 0x0010000000000000, 1, 0x800FFFFFFFFFFFFF,
    F64.inf, F64.inf | F64.sign_bit, F64.nan
]


def double_programs(out):
    r = Random(4000)

    def words(count, lo=-40, hi=40):
        return [
            r.word(1) << 63 | (1023 + lo + r.word() % (hi - lo + 1)) << 52 | r.word(52)
            for _ in range(count)
        ]

    pairs = cross(DOUBLES, DOUBLES) + list(zip(words(24), words(24)))
    triples = cross(DOUBLES[::3], DOUBLES[1::3], DOUBLES[::2]) + list(
        zip(words(24), words(24), words(24)))
    triples += [(0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002),
                (f64(3), f64("1/3"), f64(-1))]
    flags = ("targets -msl", )
    for op, fn, rows in (("dadd", F64.add, pairs), ("dsub", F64.sub, pairs),
                         ("dmul", F64.mul, pairs), ("ddiv", F64.div, pairs), ("dma", F64.fma,
                                                                              triples)):
        out[f"arithmetic/f64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", "IEEE binary64, one rounding.", op, rows,
            [fn(*x) for x in rows], src="f64", dst="f64", flags=flags)
    roots = cross(DOUBLES + [f64(2), f64(
        4), f64("1e300"), f64("0.25"), 0x3FEFFFFFFFFFFFFF] + words(24))
    out["arithmetic/f64/dsqrt_edges.wave"] = table_program(
        "dsqrt_edges", "dsqrt over edge values", "Correctly rounded; a negative operand gives NaN, -0 stays -0.",
        "dsqrt", roots, [F64.sqrt(*x) for x in roots], src="f64", dst="f64", flags=flags)


# -- conversions -------------------------------------------------------------------------------


def convert_programs(out):
    whole = INTS + [
        0x00FFFFFF, 0x01000001, 0x01000003, 0x7FFFFFBF, 0x7FFFFFC0, 0xFFFFFF7F, 0xFFFFFF80,
        0x80000040, 0x800000C0
    ]
    floats = UNARY + [
        f32(t)
        for t in ("2147483648", "2147483520", "-2147483648", "-2147483904", "4294967296",
                  "4294967040", "-0.99999994", "3e9", "-3e9", "1e20", "-1e20", "42.3", "-42.9")
    ]
    to_half = WIDE + NANS + SUBS + [
        f32(t) for t in ("65504", "65519.996", "65520", "65536", "-65520", "6.1035156e-5",
                         "6.0975552e-5", "5.9604645e-8", "2.9802322e-8", "2.9802326e-8", "1e-9",
                         "2049", "2051", "1.00048828125", "1.00146484375", "1.0004884")
    ]
    half_in = HALVES + [0x0001, 0x8200, 0x7C01, 0xFE55, 0x5555, 0xAAAA, 0x4248]
    brain_in = BRAINS + [0x0001, 0x807F, 0x7F81, 0xFFC1, 0x1234]
    doubles = DOUBLES + [
        f64(t) for t in ("1.00000005960464477539", "1.00000005960464499744",
                         "3.4028235677973366e38", "3.4028235677973362e38", "1e-45", "7.1e-46",
                         "7.0064923216240853e-46", "-1e-46", "1.1754943e-38", "0.1", "-1e300")
    ] + [0x7FF0000000000001, 0x3FF0000010000000, 0x3FF0000030000000]
    table = [
        ("cvt_f32_i32", whole, "u32", "f32", lambda a: F32.round(s32(a)),
         "Signed, to nearest even."),
        ("cvt_f32_u32", whole, "u32", "f32", lambda a: F32.round(a), "Unsigned, to nearest even."),
        ("cvt_i32_f32", floats, "f32", "u32", lambda a: f32_to_int(a, -1 << 31, (1 << 31) - 1),
         "Truncates; NaN gives 0; saturates."),
        ("cvt_u32_f32", floats, "f32", "u32", lambda a: f32_to_int(a, 0, MASK32),
         "Truncates; NaN and negative give 0; saturates."),
        ("cvt_f32_f16", half_in, "f16", "f32", lambda a: convert(F16, F32, a), "Exact."),
        ("cvt_f16_f32", to_half, "f32", "f16", lambda a: convert(F32, F16, a),
         "To nearest even; overflow gives an infinity."),
        ("cvt_f32_f64", doubles, "f64", "f32", lambda a: convert(F64, F32, a),
         "To nearest even, subnormal results too."),
        ("cvt_f64_f32", UNARY, "f32", "f64", lambda a: convert(F32, F64, a),
         "Exact, subnormal operands too."),
        ("cvt_f32_bf16", brain_in, "bf16", "u32", lambda a: a << 16,
         "A copy of bits, NaN payloads too."),
        ("cvt_bf16_f32", WIDE + SUBS + NANS +
         [f32("1.0078124"), f32("-1.0039062"), 0x3F80FFFF, 0x7F7FFFFF], "f32", "bf16", bf16_of_f32,
         "The upper half of the f32, toward zero; a NaN stays a NaN."),
    ]
    for op, values, src, dst, fn, rule in table:
        flags = ("targets -msl", ) if "f64" in op else ()
        out[f"arithmetic/convert/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", rule, op, cross(values),
            [fn(a) for a in values], src=src, dst=dst, flags=flags, high=dst in ("f16", "bf16"))


def add_programs(out):
    float_programs(out)
    half_programs(out)
    double_programs(out)
    convert_programs(out)
