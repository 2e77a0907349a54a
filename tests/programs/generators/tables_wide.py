"""Edge-value tables of the instructions on register pairs that ISA.md 2.8 adds: 64-bit integers, f64
compares, rounding, minimum and maximum, and the conversions; and programs that run each of them guarded and
over its own operands. The arithmetic is exact.py's rationals and Python's integers. Called by generate.py.
"""
from exact import F16, F32, F64, convert, f32, f64, s32
from rules import finish, head
from tables import COMPARE, INTS, SHIFTS, Random, cross, table_program
from tables_float import DOUBLES, UNARY

MASK64 = (1 << 64) - 1
LONGS = [
    0, 1, 7, 0xFFFFFFFF, 0x100000000, 0x123456789ABCDEF0, (1 << 63) - 1, 1 << 63, (1 << 63) + 1,
    0xDEADBEEFCAFEBABE, MASK64 - 1, MASK64
]
AMOUNTS = SHIFTS + [65, 127, 48]
NO_F64 = ("targets -msl", )


def s64(u):
    u &= MASK64
    return u - (1 << 64) if u >> 63 else u


def quotient(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def rest(a, b):
    return 0 if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


INTEGER = [
    ("ladd", lambda a, b: a + b, "Wraps modulo 2^64."),
    ("lsub", lambda a, b: a - b, "Wraps modulo 2^64."),
    ("lmul", lambda a, b: a * b, "The low half of the product."),
    ("lmul_hi", lambda a, b: a * b >> 64, "The high half of the unsigned product."),
    ("ldiv", lambda a, b: quotient(s64(a), s64(b)),
     "Truncates toward zero; x/0 = 0; INT64_MIN/-1 = INT64_MIN."),
    ("lmod", lambda a, b: rest(s64(a), s64(b)),
     "Sign of the dividend; x%0 = 0; INT64_MIN%-1 = 0."),
    ("ludiv", quotient, "Unsigned; x/0 = 0."),
    ("lumod", rest, "Unsigned; x%0 = 0."),
]
SHIFT = [
    ("lshl", lambda a, n: a << (n & 63), "Only the low six bits of the amount count."),
    ("lshr", lambda a, n: a >> (n & 63), "Only the low six bits of the amount count."),
    ("lsar", lambda a, n: s64(a) >> (n & 63),
     "Sign-filling; only the low six bits of the amount count."),
]


def integer_programs(out):
    r = Random(6400)
    rows = cross(LONGS, LONGS) + [(r.word(64), r.word(64)) for _ in range(24)]
    rows += [(r.word(64), r.word(1 + r.word(5))) for _ in range(24)]
    for op, fn, rule in INTEGER:
        out[f"arithmetic/integer64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", rule, op, rows,
            [fn(*x) & MASK64 for x in rows], src="u64", dst="u64")
    shifts = cross(LONGS[1::2] + [0x8421084210842108], AMOUNTS)
    for op, fn, rule in SHIFT:
        out[f"arithmetic/integer64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", rule, op, shifts,
            [fn(*x) & MASK64 for x in shifts], src=("u64", "u32"), dst="u64")
    for c, fn in COMPARE.items():
        signed = [int(fn(s64(a), s64(b))) for a, b in rows]
        out[f"arithmetic/compare/lcmp_{c}_edges.wave"] = table_program(
            f"lcmp_{c}_edges", f"lcmp_{c} over edge values", "Signed; both halves count.",
            f"lcmp_{c}", rows, signed, src="u64", predicate=True)
        if c not in ("eq", "ne"):
            out[f"arithmetic/compare/lucmp_{c}_edges.wave"] = table_program(
                f"lucmp_{c}_edges", f"lucmp_{c} over edge values", "Unsigned; both halves count.",
                f"lucmp_{c}", rows, [int(fn(a, b)) for a, b in rows], src="u64", predicate=True)


# -- f64 ---------------------------------------------------------------------------------------

NANS = [0x7FF0000000000001, 0xFFF8000000000001, 0xFFF7FFFFFFFFFFFF]
ROUND = DOUBLES + NANS + [
    f64(t) for t in ("0.5", "-0.5", "1.5", "2.5", "-2.5", "3.5", "0.49999999999999994", "-0.3",
                     "0.75", "-1.25", "4503599627370495.5", "-4503599627370496.5",
                     "4503599627370497", "2251799813685247.25", "2251799813685248.5", "-1e300", "1e-300")
] + [0x432FFFFFFFFFFFFF, 0xC32FFFFFFFFFFFFD, 0x3FEFFFFFFFFFFFFF]


def ordered(a, b):
    return not F64.is_nan(a) and not F64.is_nan(b)


DCOMPARE = {
    "eq": lambda a, b: ordered(a, b) and F64.equal(a, b),
    "ne": lambda a, b: not (ordered(a, b) and F64.equal(a, b)),
    "lt": lambda a, b: ordered(a, b) and F64.less(a, b),
    "le": lambda a, b: ordered(a, b) and not F64.less(b, a),
    "gt": lambda a, b: ordered(a, b) and F64.less(b, a),
    "ge": lambda a, b: ordered(a, b) and not F64.less(a, b),
    "ord": ordered,
    "unord": lambda a, b: not ordered(a, b),
}


def double_programs(out):
    values = DOUBLES + NANS
    rows = cross(values, values)
    for c, fn in DCOMPARE.items():
        out[f"arithmetic/compare/dcmp_{c}_edges.wave"] = table_program(
            f"dcmp_{c}_edges", f"dcmp_{c} over edge values",
            "-0 equals +0; of the compares only ne and unord hold with a NaN.", f"dcmp_{c}", rows,
            [int(fn(a, b)) for a, b in rows], src="f64", predicate=True, flags=NO_F64)
    for op, fn in (("dmin", F64.min), ("dmax", F64.max)):
        out[f"arithmetic/f64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values",
            "One NaN gives the other operand, two a NaN; -0 is below +0.", op, rows,
            [fn(a, b) for a, b in rows], src="f64", dst="f64", flags=NO_F64)
    for op, mode in (("dfloor", "floor"), ("dceil", "ceil"), ("dround", "even"),
                     ("dtrunc", "trunc")):
        out[f"arithmetic/f64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values",
            "A zero result has the operand's sign; ties of dround go to even.", op, cross(ROUND),
            [F64.integral(a, mode) for a in ROUND], src="f64", dst="f64", flags=NO_F64)
    for op, fn in (("dneg", lambda a: a ^ F64.sign_bit), ("dabs", lambda a: a & ~F64.sign_bit)):
        out[f"arithmetic/f64/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", "Bit 63 alone; a NaN keeps its payload.", op,
            cross(ROUND), [fn(a) for a in ROUND], src="u64", dst="u64", flags=NO_F64)


# -- conversions -------------------------------------------------------------------------------


def to_integer(fmt, low, high):

    def run(bits):
        if fmt.is_nan(bits):
            return 0
        if fmt.is_inf(bits):
            n = low if fmt.sign(bits) else high
        else:
            v = fmt.value(bits)
            n = abs(v.numerator) // v.denominator * (-1 if v < 0 else 1)
        return max(low, min(high, n)) & ((1 << (64 if high > 1 << 33 else 32)) - 1)

    return run


def around(fmt, powers):
    """Encodings at and next to powers of two, of both signs."""
    values = []
    for p in powers:
        at = fmt.round(fmt_power(p))
        values += [at - 1, at, at + 1]
    return values + [v | fmt.sign_bit for v in values]


def fmt_power(p):
    from fractions import Fraction
    return Fraction(2)**p


# To f32 and f64: halves of the last place, and values that two roundings would change.
WHOLE = LONGS + [(1 << k) + d for k in (24, 25, 53, 54, 62, 63) for d in (-1, 0, 1, 3)] + [
    0x0020000000000001, 0x0020000000000003, 0x7FFFFFFFFFFFFDFF, 0x7FFFFFFFFFFFFE00, 0x7FFFFFFFFFFFFE01,
    0xFFFFFFFFFFFFFBFF, 0xFFFFFFFFFFFFFC00, 0x8000008000000001, 0x8000008000000000, 0x8000018000000000,
    0x8000007FFFFFFFFF, 0x4000004000000001, 0xC000003FFFFFFFFF, 0x0100000100000001, 0x7FFFFFBFFFFFFFFF,
    0xFFFFFF7FFFFFFFFF, 0xFFFFFF8000000000
]
HALVES_OF = [
    f64(t) for t in ("65504", "65519.99999999999", "65520", "65536", "-65520", "1e-7",
                     "0.00006103515625", "0.000000059604644775390625", "0.0000000298023223876953125",
                     "0.00000002980232238769532", "1.00048828125", "1.00146484375", "2049", "2051",
                     "1e300", "1e-300", "0.1", "-1e-8")
] + [
    # A tie of f16 except for the last bits, which a rounding to f32 would lose.
    0x3FF0020000000001, 0x3FF001FFFFFFFFFF, 0x3FF0060000000001, 0x3FF005FFFFFFFFFF,
    0x40EFFDFFFFFFFFFF, 0x3E60000000000001, 0x3E5FFFFFFFFFFFFF, 0x3E78000000000001, 0xBFF0020000000001,
    0x3F10010000000001, 0x3F0FFFFFFFFFFFFF, 0x47EFFFFFF0000000, 0x36A0000000000000, 0x3680000000000000
]


def convert_programs(out):
    r = Random(6500)
    whole = WHOLE + [r.word(64) >> r.word(6) for _ in range(32)]
    word = INTS + [0x01000001, 0x7FFFFF80, 0xFFFFFF80]
    doubles = DOUBLES + NANS + around(F64, (0, 31, 32, 52, 53, 63, 64)) + ROUND + [
        f64(t) for t in ("2147483647.5", "-2147483648.5", "4294967295.5", "-0.9999", "1e20", "-1e20")
    ]
    floats = UNARY + around(F32, (23, 24, 31, 32, 62, 63, 64)) + [f32("1e20"), f32("-1e20")]
    halves = [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xC248, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01]
    table = [
        ("cvt_f64_i32", word, "u32", "f64", lambda a: F64.round(s32(a)), "Exact."),
        ("cvt_f64_u32", word, "u32", "f64", F64.round, "Exact."),
        ("cvt_i32_f64", doubles, "f64", "u32", to_integer(F64, -1 << 31, (1 << 31) - 1),
         "Truncates; NaN gives 0; saturates."),
        ("cvt_u32_f64", doubles, "f64", "u32", to_integer(F64, 0, (1 << 32) - 1),
         "Truncates; NaN and negative give 0; saturates."),
        ("cvt_f64_i64", whole, "u64", "f64", lambda a: F64.round(s64(a)), "To nearest even."),
        ("cvt_f64_u64", whole, "u64", "f64", F64.round, "To nearest even."),
        ("cvt_i64_f64", doubles, "f64", "u64", to_integer(F64, -1 << 63, (1 << 63) - 1),
         "Truncates; NaN gives 0; saturates."),
        ("cvt_u64_f64", doubles, "f64", "u64", to_integer(F64, 0, MASK64),
         "Truncates; NaN and negative give 0; saturates."),
        ("cvt_f32_i64", whole, "u64", "f32", lambda a: F32.round(s64(a)),
         "To nearest even, in one step."),
        ("cvt_f32_u64", whole, "u64", "f32", F32.round, "To nearest even, in one step."),
        ("cvt_i64_f32", floats, "f32", "u64", to_integer(F32, -1 << 63, (1 << 63) - 1),
         "Truncates; NaN gives 0; saturates."),
        ("cvt_u64_f32", floats, "f32", "u64", to_integer(F32, 0, MASK64),
         "Truncates; NaN and negative give 0; saturates."),
        ("cvt_f16_f64", DOUBLES + NANS + HALVES_OF, "f64", "f16", lambda a: convert(F64, F16, a),
         "To nearest even, in one step; overflow gives an infinity."),
        ("cvt_f64_f16", halves, "f16", "f64", lambda a: convert(F16, F64, a), "Exact."),
    ]
    for op, values, src, dst, fn, rule in table:
        out[f"arithmetic/convert/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", rule, op, cross(values), [fn(a) for a in values],
            src=src, dst=dst, flags=NO_F64 if "f64" in op else (), high=dst == "f16")


# -- guards and overlaps -----------------------------------------------------------------------

# folder, title, whether Metal has it, words of the operands in r10 r11, r12 r13, and the instructions by form: pair or
# word of the result and of each source
GROUPS = [
    ("integer64", "u64", True, (0x9ABCDEF0, 0x12345678, 0x76543217, 0x00000001), {
        "PPP": "ladd lsub lmul lmul_hi ldiv lmod ludiv lumod", "PPW": "lshl lshr lsar"
    }),
    ("f64", "more_f64", False, (0x11111111, 0xC0091111, 0x22222222, 0x3FF82222), {
        "PPP": "dmin dmax", "PP": "dneg dabs dfloor dceil dround dtrunc"
    }),
    ("convert", "u64_conversion", True, (0x40491234, 0x12345678, 0, 0), {
        "WP": "cvt_f32_i64 cvt_f32_u64", "PW": "cvt_i64_f32 cvt_u64_f32"
    }),
    ("convert", "f64_conversion", False, (0x11111111, 0x40591111, 0, 0), {
        "PW": "cvt_f64_i32 cvt_f64_u32 cvt_f64_f16", "WP": "cvt_i32_f64 cvt_u32_f64 cvt_f16_f64",
        "PP": "cvt_f64_i64 cvt_f64_u64 cvt_i64_f64 cvt_u64_f64"
    }),
]


def listed(table):
    return [(op, form) for form, ops in table.items() for op in ops.split()]


def operands(values):
    return "".join(f"    mov_imm r{10 + k}, {v:#010x}\n" for k, v in enumerate(values))


def guard_group(folder, kind, metal, values, table):
    body, count = operands(values), 0
    for op, form in listed(table):
        sources = ", ".join(f"r{10 + 2 * k}" for k in range(len(form) - 1))
        body += f"    mov r8, r6  mov r9, r6  @p1 {op} r8, {sources}\n"
        # The two halves together: one of them may be unchanged.
        body += "    icmp_ne p2, r8, r6"
        if form[0] == "P":
            body += "  icmp_ne p3, r9, r6  @p3 icmp_eq p2, r0, r0"
        body += "  @p2 iadd r4, r4, r3\n"
        count += 1
    name = f"guard_every_{kind}_instruction"
    return f"arithmetic/{folder}/{name}.wave", head(
        f"a guard shields other lanes from every {kind.replace('_', ' ').replace('more ', 'further ')} instruction",
        "Each instruction changes a marked pair: odd threads count them all, even ones none.",
        f"expr i%2==1?{count}:0", () if metal else NO_F64,
        out="out u32 64 at 256 = fill 99") + finish(body, name)


def overlap_group(folder, kind, metal, values, table):
    """The destination one register below, at, and one above each source."""
    body, count = operands(values), 0
    for op, form in listed(table):
        sources = [f"r{10 + 2 * k}" for k in range(len(form) - 1)]
        body += f"    mov r21, r7  {op} r20, {', '.join(sources)}\n"
        for k in range(len(form) - 1):
            for shift in (-1, 0, 1):
                moved = ["r24" if j == k else r for j, r in enumerate(sources)]
                at = 24 + shift
                body += f"    mov r24, r{10 + 2 * k}  mov r25, r{11 + 2 * k}  {op} r{at}, {', '.join(moved)}\n"
                body += f"    icmp_eq p2, r{at}, r20"
                if form[0] == "P":
                    body += f"  icmp_eq p3, r{at + 1}, r21  @!p3 icmp_ne p2, r0, r0"
                body += "  @p2 iadd r4, r4, r3\n"
                count += 1
    name = f"overlap_every_{kind}_instruction"
    return f"arithmetic/{folder}/{name}.wave", head(
        f"every {kind.replace('_', ' ').replace('more ', 'further ')} instruction may overwrite a part of its sources",
        "All reads come before any write; each overlap that gives the same result counts 1.",
        f"fill {count}", () if metal else NO_F64) + finish(body, name)


def guard_compares():
    """r10 r11 is below r12 r13 as a signed number and as a double, above it as an unsigned one."""
    holds = [("lcmp_ne", 0), ("lcmp_lt", 0), ("lcmp_le", 0), ("lucmp_gt", 0), ("lucmp_ge", 0),
             ("lcmp_gt", 1), ("lcmp_ge", 1), ("lucmp_lt", 1), ("lucmp_le", 1), ("lcmp_eq", 2)]
    doubles = [("dcmp_ne", 0), ("dcmp_lt", 0), ("dcmp_le", 0), ("dcmp_ord", 0), ("dcmp_gt", 1),
               ("dcmp_ge", 1), ("dcmp_eq", 2), ("dcmp_unord", 3)]
    for kind, rows, flags in (("u64", holds, ()), ("f64", doubles, NO_F64)):
        body = operands((0, 0xBFF00000, 0, 0x3FF00000, 1, 0x7FF80000))
        for op, how in rows:
            sources = ("r10, r12", "r12, r10", "r10, r10", "r10, r14")[how]
            body += f"    icmp_ne p2, r3, r3  @p1 {op} p2, {sources}  @p2 iadd r4, r4, r3\n"
        name = f"guard_every_{kind}_compare"
        yield f"arithmetic/compare/{name}.wave", head(
            f"a guard shields other lanes from every {kind} compare",
            "Every compare holds, but only odd threads execute it.",
            f"expr i%2==1?{len(rows)}:0", flags, out="out u32 64 at 256 = fill 99") + finish(
                body, name)


def add_programs(out):
    integer_programs(out)
    double_programs(out)
    convert_programs(out)
    for group in GROUPS:
        out.__setitem__(*guard_group(*group))
        out.__setitem__(*overlap_group(*group))
    out.update(guard_compares())
