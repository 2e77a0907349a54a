"""The program around one scalar instruction, and the edge-value tables of the integer instructions.

Each program loads one row of operands per thread, applies the instruction and stores the
result. The expected lists come from exact.py. Float tables are in tables_float.py. Called by
generate.py.
"""
from exact import MASK32, bfe, bfi, idiv, imod, s32
import textform

GROUP = 64


class Random:
    """splitmix64, so that the tables are the same on every machine."""

    def __init__(self, seed):
        self.state = seed

    def word(self, bits=32):
        self.state = (self.state + 0x9E3779B97F4A7C15) & (1 << 64) - 1
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        z = (z ^ z >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
        return (z ^ z >> 31) >> (64 - bits)


def cross(*lists):
    rows = [()]
    for values in lists:
        rows = [r + (v, ) for r in rows for v in values]
    return rows


# -- the program around one instruction --------------------------------------------------------

LOADS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def table_program(name, title, rule, mnemonic, rows, results, *, src="u32", dst="u32", flags=(),
                  mode="", predicate=False, high=None, flushed=None):
    """rows: operand tuples; results: expected encodings; high: expect a zero upper half. src may name a
    type for each operand. flushed: the results where f32 subnormals are flushed."""
    n, arity = len(rows), len(rows[0])
    names = "abcd"[:arity]
    types = (src, ) * arity if isinstance(src, str) else src
    dst_bytes = textform.SIZE[dst]
    head = [
        f";@ test    {title}", f"; {rule}",
        "; The lists are written by generate.py from exact arithmetic.", ";@ widths  4 8 16 32 64",
        f";@ grid    {(n + GROUP - 1) // GROUP}", f";@ group   {GROUP}"
    ]
    head += [f";@ {f}" for f in flags]
    for k, letter in enumerate(names):
        head += textform.listing(f"buffer  {letter} {types[k]} {n}{'' if k else ' at 256'} =",
                                 [r[k] for r in rows], types[k])
    head.append(f";@ buffer  out {dst} {n}")
    args = list(names) + ["out"]
    if high:
        head.append(f";@ buffer  high u32 {n} = fill 0xFFFFFFFF")
        args.append("high")
    head.append(f";@ args    {' '.join(args)} {n}")
    head += textform.listing(f"expect  out{' ' + mode if mode else ''} =", results, dst)
    if flushed:
        head += textform.listing(f"expect  out{' ' + mode if mode else ''} flushed =", flushed, dst)
    if high:
        head.append(";@ expect  high = fill 0")
    count_reg = len(args)
    code = [
        ".kernel " + name, ".registers 40", "    mov_sr r16, sr_workgroup_id_x",
        "    mov_sr r17, sr_workgroup_size_x", "    mov_sr r18, sr_thread_id_x",
        "    imad r16, r16, r17, r18          ; row of this thread",
        f"    icmp_ge p1, r16, r{count_reg}", "    @p1 halt"
    ]
    regs = []
    for k in range(arity):
        reg, src_bytes = 20 + 2 * k, textform.SIZE[types[k]]
        code += [
            f"    mov_imm r17, {src_bytes}", f"    imad r18, r16, r17, r{k}",
            f"    device_load_{LOADS[src_bytes]} r{reg}, r18"
        ]
        regs.append(f"r{reg}")
    if predicate:
        code += [
            "    mov_imm r30, 1", "    mov_imm r31, 0", f"    {mnemonic} p2, {', '.join(regs)}",
            "    select r28, p2, r30, r31"
        ]
    else:
        code.append(f"    {mnemonic} r28, {', '.join(regs)}")
    code += [
        f"    mov_imm r17, {dst_bytes}", f"    imad r18, r16, r17, r{arity}",
        f"    device_store_{LOADS[dst_bytes]} r18, r28"
    ]
    if high:
        code += [
            "    mov_imm r17, 16", "    shr r28, r28, r17", "    mov_imm r17, 4",
            f"    imad r18, r16, r17, r{arity + 1}", "    device_store_u32 r18, r28"
        ]
    code += ["    halt", ".end"]
    return "\n".join(head + code) + "\n"


def packed_program(name, title, rule, mnemonic, rows, results, fmt, flags=(), flushed=None):
    """Two rows per thread: element 0 and element 1 of each register."""
    rows, results, flushed = list(rows), list(results), list(flushed or [])
    if len(rows) % 2:
        rows.append(rows[0])
        results.append(results[0])
        flushed += flushed[:1]
    n, arity = len(rows) // 2, len(rows[0])
    names = "abc"[:arity]
    head = [
        f";@ test    {title}", f"; {rule}",
        "; The lists are written by generate.py from exact arithmetic.", ";@ widths  4 8 16 32 64",
        f";@ grid    {(n + GROUP - 1) // GROUP}", f";@ group   {GROUP}"
    ]
    head += [f";@ {f}" for f in flags]
    for k, letter in enumerate(names):
        head += textform.listing(f"buffer  {letter} {fmt.name} {2 * n}{'' if k else ' at 256'} =",
                                 [r[k] for r in rows], fmt.name)
    head += [f";@ buffer  out {fmt.name} {2 * n}", f";@ args    {' '.join(names)} out {n}"]
    head += textform.listing("expect  out =", results, fmt.name)
    if flushed:
        head += textform.listing("expect  out flushed =", flushed, fmt.name)
    code = [
        ".kernel " + name, ".registers 40", "    mov_sr r16, sr_workgroup_id_x",
        "    mov_sr r17, sr_workgroup_size_x", "    mov_sr r18, sr_thread_id_x",
        "    imad r16, r16, r17, r18          ; pair of this thread",
        f"    icmp_ge p1, r16, r{arity + 1}", "    @p1 halt", "    mov_imm r17, 4"
    ]
    for k in range(arity):
        code += [f"    imad r18, r16, r17, r{k}", f"    device_load_u32 r{20 + k}, r18"]
    code += [
        f"    {mnemonic} r28, {', '.join(f'r{20 + k}' for k in range(arity))}",
        f"    imad r18, r16, r17, r{arity}", "    device_store_u32 r18, r28", "    halt", ".end"
    ]
    return "\n".join(head + code) + "\n"


# -- integers ----------------------------------------------------------------------------------

INTS = [
    0, 1, 2, 7, 0x10000, 0x12345678, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xDEADBEEF, 0xFFFFFFFE,
    0xFFFFFFFF
]
SHIFTS = [0, 1, 4, 15, 16, 30, 31, 32, 33, 63, 64, 0x100, 0x80000000, 0xFFFFFFFF]
FIELDS = [0, 1, 8, 20, 31, 32, 0xFFFFFFFF]


def wrap(f):
    return lambda *a: f(*a) & MASK32


INTEGER = [
    # folder, mnemonic, rows, function, rule
    ("integer", "iadd", cross(INTS, INTS), wrap(lambda a, b: a + b), "Wraps modulo 2^32."),
    ("integer", "isub", cross(INTS, INTS), wrap(lambda a, b: a - b), "Wraps modulo 2^32."),
    ("integer", "imul", cross(INTS, INTS), wrap(lambda a, b: a * b), "The low half of the product."),
    ("integer", "imul_hi", cross(INTS, INTS), lambda a, b: a * b >> 32,
     "The high half of the unsigned product."),
    ("integer", "imad", cross(INTS[1::2], INTS[3::2], INTS[::4]), wrap(lambda a, b, c: a * b + c),
     "Wraps modulo 2^32."),
    ("integer", "idiv", cross(INTS, INTS), idiv,
     "Truncates toward zero; x/0 = 0; INT_MIN/-1 = INT_MIN."),
    ("integer", "imod", cross(INTS, INTS), imod, "Sign of the dividend; x%0 = 0; INT_MIN%-1 = 0."),
    ("integer", "ineg", cross(INTS), wrap(lambda a: -a), "0 - a; INT_MIN stays."),
    ("integer", "iabs", cross(INTS), lambda a: abs(s32(a)),
     "Magnitude as an unsigned word; INT_MIN gives 80000000."),
    ("integer", "imin", cross(INTS, INTS), lambda a, b: a if s32(a) < s32(b) else b, "Signed order."),
    ("integer", "imax", cross(INTS, INTS), lambda a, b: a if s32(a) > s32(b) else b, "Signed order."),
    ("integer", "iclamp",
     cross(INTS[::2], [0, 5, 0x80000000, 0xFFFFFFFF], [0, 10, 0x7FFFFFFF, 0xFFFFFFF0]),
     wrap(lambda x, lo, hi: min(max(s32(x), s32(lo)), s32(hi))),
     "min(max(x, lo), hi), signed; lo > hi gives hi."),
    ("bits", "and", cross(INTS, INTS), lambda a, b: a & b, "Bitwise."),
    ("bits", "or", cross(INTS, INTS), lambda a, b: a | b, "Bitwise."),
    ("bits", "xor", cross(INTS, INTS), lambda a, b: a ^ b, "Bitwise."),
    ("bits", "not", cross(INTS), wrap(lambda a: ~a), "Bitwise."),
    ("bits", "shl", cross(INTS[1::2], SHIFTS), wrap(lambda a, b: a << (b & 31)),
     "Only the low five bits of the amount count."),
    ("bits", "shr", cross(INTS[1::2], SHIFTS), lambda a, b: a >> (b & 31),
     "Only the low five bits of the amount count."),
    ("bits", "sar", cross(INTS[1::2], SHIFTS), wrap(lambda a, b: s32(a) >> (b & 31)),
     "Sign-filling; only the low five bits of the amount count."),
    ("bits", "bitcount", cross(INTS + [1 << k for k in range(0, 32, 5)]),
     lambda a: bin(a).count("1"), "Number of ones."),
    ("bits", "bitfind", cross(INTS + [1 << k for k in range(32)]),
     lambda a: 32 - a.bit_length() if a else MASK32, "Number of leading zeros; FFFFFFFF for zero."),
    ("bits", "bitrev", cross(INTS + [1 << k for k in range(32)]),
     lambda a: int(f"{a:032b}"[::-1], 2), "Bit k goes to bit 31-k."),
    ("bits", "bfe", cross([0xFFFFFFFF, 0x12345678], FIELDS, FIELDS), bfe,
     "Offset and width are taken modulo 32; width 0 gives 0; zero-extended."),
    ("bits", "bfi", [base + field for base in ((0x12345678, 0xDEADBEEF), (0, 0xFFFFFFFF))
                     for field in cross(FIELDS, FIELDS)], bfi,
     "Operands base, insert, offset, width; offset and width modulo 32; width 0 gives the base."),
    ("integer", "umin", cross(INTS, INTS), min, "Unsigned order."),
    ("integer", "umax", cross(INTS, INTS), max, "Unsigned order."),
    ("integer", "udiv", cross(INTS, INTS), lambda a, b: a // b if b else 0, "Unsigned; x/0 = 0."),
    ("integer", "umod", cross(INTS, INTS), lambda a, b: a % b if b else 0, "Unsigned; x%0 = 0."),
]

COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def integer_programs(out):
    for folder, op, rows, fn, rule in INTEGER:
        out[f"arithmetic/{folder}/{op}_edges.wave"] = table_program(
            op + "_edges", f"{op} over edge values", rule, op, rows, [fn(*r) for r in rows])
    for c, fn in COMPARE.items():
        rows = cross(INTS, INTS)
        out[f"arithmetic/compare/icmp_{c}_edges.wave"] = table_program(
            f"icmp_{c}_edges", f"icmp_{c} over edge values",
            "Signed; the result goes to a predicate.", f"icmp_{c}", rows,
            [int(fn(s32(a), s32(b))) for a, b in rows], predicate=True)
        out[f"arithmetic/compare/ucmp_{c}_edges.wave"] = table_program(
            f"ucmp_{c}_edges", f"ucmp_{c} over edge values",
            "Unsigned; the result goes to a predicate.", f"ucmp_{c}", rows,
            [int(fn(a, b)) for a, b in rows], predicate=True)


def add_programs(out):
    integer_programs(out)
