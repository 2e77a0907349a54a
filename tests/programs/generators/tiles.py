"""Programs for tiles of a wave (ISA.md 9.2). Expected values come from a model here: matrices as lists, exact fractions with
one rounding for each k in ascending order, and Python's integers. Called by generate.py."""
import random

from exact import BF16, F16, F32, MASK32, convert
from textform import listing

SIDE = 16
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "u8": 1, "i32": 4}
FORMAT = {"f16": F16, "bf16": BF16, "f32": F32}
STORED = {"f16": "u16", "bf16": "u16", "f32": "u32", "i8": "u8", "u8": "u8", "i32": "u32"}  # how buffers represent the bits
SUM = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32", "u8": "i32"}
TYPES = tuple(SUM)
WIDTHS = "8 16 32 64"


def flush(bits):
    return bits & F32.sign_bit if F32.is_subnormal(bits) else bits


def product(kind, a, b, c, flushed=False):
    """D of C + A * B: lists of 256 bit patterns, row by row."""
    d = list(c)
    for i in range(SIDE):
        for j in range(SIDE):
            total = c[i * SIDE + j]
            for k in range(SIDE):
                x, y = a[i * SIDE + k], b[k * SIDE + j]
                if SUM[kind] == "i32":
                    if kind == "i8":
                        x, y = x - (x >> 7 << 8), y - (y >> 7 << 8)
                    total = total + x * y & MASK32
                    continue
                x, y = (convert(FORMAT[kind], F32, v) for v in (x, y))
                if flushed:
                    total = flush(F32.fma(flush(x), flush(y), flush(total)))
                else:
                    total = F32.fma(x, y, total)
            d[i * SIDE + j] = total
    return d


def placed(matrix, kind, layout, stride):
    """The elements of a buffer that holds the matrix in lines of `stride` bytes; the gaps are not 0."""
    step = stride // BYTES[kind]
    out = [0x5A] * (15 * step + SIDE)
    for i in range(SIDE):
        for j in range(SIDE):
            line, at = (i, j) if layout == "row" else (j, i)
            out[line * step + at] = matrix[i * SIDE + j]
    return out


def integers(kind, seed, low, high):
    choose = random.Random(f"{kind} {seed}")
    values = [choose.randint(low, high) for _ in range(SIDE * SIDE)]
    if kind in FORMAT:
        return [FORMAT[kind].round(v) for v in values]
    return [v & (1 << 8 * BYTES[kind]) - 1 for v in values]


def floats(kind, seed, low, high):
    """Random signs and fractions, exponents from low to high."""
    f, choose = FORMAT[kind], random.Random(f"{kind} {seed}")
    return [
        choose.getrandbits(1) << f.bits - 1 | choose.randint(low, high) + f.bias << f.fb | choose.getrandbits(f.fb)
        for _ in range(SIDE * SIDE)
    ]


# -- text ------------------------------------------------------------------------------------------


def copy(source, target, size, load, store):
    """All threads of the workgroup, one word each per step."""
    return f"""    mov_sr r20, sr_thread_id_x
    mov_imm r21, 4
    imul r20, r20, r21
    mov_sr r22, sr_workgroup_size_x
    imul r22, r22, r21
    mov_imm r23, {size}
    loop
        ucmp_ge p1, r20, r23
        break p1
        iadd r24, {source}, r20
        {load} r25, r24
        iadd r24, {target}, r20
        {store} r24, r25
        iadd r20, r20, r22
    endloop
"""


class Program:
    """One wave per workgroup, and buffers whose addresses are r0, r1, …."""

    def __init__(self, name, title, why):
        self.name = name
        self.head = [f";@ test    {title}", f"; {why}", "; The lists are written by generate.py from exact arithmetic."]
        self.head += [f";@ widths  {WIDTHS}", ";@ group   W", ";@ check   uninit"]
        self.buffers, self.expected, self.body, self.notes = [], [], "", []
        self.local = 0

    def buffer(self, name, kind, values=None, count=0):
        """Returns the register of its address."""
        stored = STORED[kind]
        count = len(values) if values else count
        if values:
            self.head += listing(f"buffer  {name} {stored} {count} =", values, stored)
        else:
            self.head.append(f";@ buffer  {name} {stored} {count}")
        self.buffers.append(name)
        return f"r{len(self.buffers) - 1}"

    def to_local(self, register, size):
        """Copies a buffer to local memory; the register becomes its address there."""
        at = self.local
        self.local += (size + 63) // 64 * 64
        self.body += f"    mov_imm r16, {at}\n" + copy(register, "r16", size, "device_load_u32", "local_store_u32")
        self.body += f"    barrier\n    mov {register}, r16\n"

    def load(self, bank, kind, tile, values, layout="row", stride=None, space="device"):
        stride = stride or SIDE * BYTES[kind]
        elements = placed(values, kind, layout, stride)
        if space == "local":
            elements += [0] * (-len(elements) * BYTES[kind] % 4 // BYTES[kind])
        register = self.buffer(f"{bank}{len(self.buffers)}", kind, elements)
        if space == "local":
            self.to_local(register, len(elements) * BYTES[kind])
        self.body += f"    mov_imm r17, {stride}\n"
        self.body += f"    tile_load_{bank}_{kind} t{tile}, {register}, r17, {space}, {layout}\n"

    def say(self, line):
        self.body += f"    {line}\n"

    def store(self, kind, tile, values, layout="row", stride=64, space="device", flushed=None):
        name = f"out{len(self.buffers)}"
        count = len(placed(values, kind, layout, stride))
        register = self.buffer(name, kind, count=count)
        self.body += f"    mov_imm r17, {stride}\n"
        if space == "device":
            self.say(f"tile_store_c_{kind} t{tile}, {register}, r17, device, {layout}")
        else:
            at, self.local = self.local, self.local + (count * 4 + 63) // 64 * 64
            self.body += f"    mov_imm r16, {at}\n"
            self.say(f"tile_store_c_{kind} t{tile}, r16, r17, local, {layout}")
            self.say("barrier")
            self.body += f"    mov r18, {register}\n    mov_imm r19, {at + SIDE * stride}\n    loop\n"  # only the words that the tile wrote
            self.body += copy("r16", "r18", 64, "local_load_u32", "device_store_u32")
            self.body += "    iadd r16, r16, r17\n    iadd r18, r18, r17\n    icmp_ge p2, r16, r19\n    break p2\n    endloop\n"
        for word, matrix in (("", values), (" flushed", flushed)):
            if matrix is None:
                continue
            elements = placed(matrix, kind, layout, stride)
            step = stride // 4
            elements = [v if k % step < SIDE else 0 for k, v in enumerate(elements)]
            shown = "f32" if kind == "f32" else "u32"
            self.expected += listing(f"expect  {name} {shown}{word} =", elements, shown)

    def text(self):
        lines = self.head[:3] + self.notes + self.head[3:] + [";@ args    " + " ".join(self.buffers)] + self.expected
        local = f".local_memory {self.local}\n" if self.local else ""
        return "\n".join(lines) + f"\n.kernel {self.name}\n.registers 32\n{local}{self.body}    halt\n.end\n"


# -- programs --------------------------------------------------------------------------------------


def of_integers(kind):
    """Every product and sum is exact: the same bits on every matrix unit."""
    low, high = {"u8": (0, 255), "i8": (-128, 127)}.get(kind, (-16, 16))
    p = Program(f"mma_{kind}_of_integers", f"mma_{kind}_{SUM[kind]} of small integers, twice",
                "All sums are exact, so that matrix units that round differently give the same bits.")
    a, b, c = integers(kind, "a", low, high), integers(kind, "b", low, high), integers(SUM[kind], "c", -1000, 1000)
    p.load("a", kind, 0, a, "row")
    p.load("b", kind, 0, b, "col")
    p.load("c", SUM[kind], 0, c, "row")
    p.say(f"mma_{kind}_{SUM[kind]} t1, t0, t0, t0")
    p.say(f"mma_{kind}_{SUM[kind]} t1, t0, t0, t1")
    once = product(kind, a, b, c)
    p.store(SUM[kind], 1, product(kind, a, b, once))
    p.store(SUM[kind], 0, c, "col")
    return p


def of_random_values(kind):
    low, high = {"f16": (-12, 12), "bf16": (-20, 20), "f32": (-20, 20)}[kind]
    p = Program(f"mma_{kind}_in_order", f"mma_{kind}_f32 rounds once for each k, in ascending order",
                "Exponents differ so much that nearly every sum is rounded.")
    a, b, c = floats(kind, "a", low, high), floats(kind, "b", low, high), floats("f32", f"c of {kind}", low, high)
    p.load("a", kind, 3, a, "col")
    p.load("b", kind, 4, b, "row")
    p.load("c", "f32", 5, c, "col")
    p.say(f"mma_{kind}_f32 t5, t3, t4, t5")
    p.store("f32", 5, product(kind, a, b, c))
    return p


def within_bound(kind):
    """Sums that every matrix unit rounds in its own way. The ISA allows 2^-18 * (|C| + sum of |A * B|); a row has the minimum over its
    elements."""
    p = Program(f"mma_{kind}_within_bound", f"mma_{kind}_f32 of random values, within the bound of matrix units",
                "Expected are exact sums, with the smallest tolerance in each row that ISA.md 9.2 allows.")
    a, b, c = floats(kind, "near a", -4, 4), floats(kind, "near b", -4, 4), floats("f32", f"near c of {kind}", -2, 6)
    p.load("a", kind, 0, a)
    p.load("b", kind, 1, b)
    p.load("c", "f32", 2, c)
    p.say(f"mma_{kind}_f32 t2, t0, t1, t2")
    p.say("mov_imm r17, 64")
    out = p.buffer("out", "f32", count=SIDE * SIDE)
    p.say(f"tile_store_c_f32 t2, {out}, r17, device, row")
    for i in range(SIDE):
        row, allowed = [], []
        for j in range(SIDE):
            terms = [FORMAT[kind].value(a[i * SIDE + k]) * FORMAT[kind].value(b[k * SIDE + j]) for k in range(SIDE)]
            terms.append(F32.value(c[i * SIDE + j]))
            row.append(F32.round(sum(terms)))
            allowed.append(sum(abs(t) for t in terms) / 2**18 - abs(F32.value(row[-1]) - sum(terms)))
        p.expected += listing(f"expect  out[{i * SIDE}..{i * SIDE + SIDE}] f32 abs {float(min(allowed)):.6g} =", row, "f32")
    return p


def layouts(kind, space):
    """Layouts and strides of A and B, and of C where it has the type of the sums."""
    p = Program(f"tile_{kind}_{space}_layouts", f"tiles of {kind} in {space} memory, by rows and by columns, lines apart",
                "Strides are multiples of 16 bytes and larger than a line; what lies between the lines is not touched.")
    line = SIDE * BYTES[kind]
    a, b, c = (integers(t, f"{space} {n}", 0, 15) for n, t in (("a", kind), ("b", kind), ("c", SUM[kind])))
    zero = [0] * (SIDE * SIDE)
    total = zero
    p.say("mov_imm r15, 0")
    p.say(f"tile_fill_c_{SUM[kind]} t0, r15")
    for number, (la, lb) in enumerate((("row", "row"), ("row", "col"), ("col", "row"), ("col", "col"))):
        p.load("a", kind, number, a, la, line + 16 * number, space)
        p.load("b", kind, 15 - number, b, lb, line + 16 * (3 - number), space)
        p.say(f"mma_{kind}_{SUM[kind]} t0, t{number}, t{15 - number}, t0")
        total = product(kind, a, b, total)
    p.load("c", SUM[kind], 1, c, "col", 80, space)
    p.store(SUM[kind], 1, c, "row", 112, space)
    p.store(SUM[kind], 0, total, "col", 64, space)
    return p


def special_values(kind):
    """Infinities, NaNs, zeros of both signs and subnormals."""
    f = FORMAT[kind]
    p = Program(f"mma_{kind}_special_values", f"infinities, NaNs, zeros and subnormals in mma_{kind}_f32",
                "Each row of A and column of B has one kind of them.")
    p.notes = [";@ ftz-sensitive"]
    one = f.round(1)
    kinds = [0, f.sign_bit, f.inf, f.inf | f.sign_bit, f.nan, 1, (1 << f.fb) - 1, 1 | f.sign_bit, f.inf - 1, 1 << f.fb, one]
    a = [one if k else kinds[i % len(kinds)] for i in range(SIDE) for k in range(SIDE)]
    b = [kinds[(3 * j + 1) % len(kinds)] if k == 0 else (0, f.sign_bit, one, 1)[j % 4] for k in range(SIDE) for j in range(SIDE)]
    extra = [0, F32.sign_bit, F32.inf, 1, F32.sign_bit | 0x00400000, F32.round(1), F32.inf - 1]
    c = [extra[(i + j) % len(extra)] for i in range(SIDE) for j in range(SIDE)]
    p.load("a", kind, 0, a)
    p.load("b", kind, 0, b)
    p.load("c", "f32", 0, c)
    p.say(f"mma_{kind}_f32 t0, t0, t0, t0")
    p.store("f32", 0, product(kind, a, b, c), flushed=product(kind, a, b, c, True))
    return p


def wrapping():
    p = Program("mma_i8_wraps", "sums of i8 and u8 products wrap at 32 bits", "The elements of C are the ends of the signed and unsigned ranges.")
    p.notes = []
    ends = (0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0)
    c = [ends[(i + j) % 4] for i in range(SIDE) for j in range(SIDE)]
    for tile, kind in enumerate(("i8", "u8")):
        a, b = integers(kind, "wrap a", 0, 255), integers(kind, "wrap b", 0, 255)
        p.load("a", kind, tile, a)
        p.load("b", kind, tile, b, "col")
        p.load("c", "i32", tile, c)
        p.say(f"mma_{kind}_i32 t{tile + 8}, t{tile}, t{tile}, t{tile}")
        p.store("i32", tile + 8, product(kind, a, b, c))
    return p


def banks():
    """All sixteen tiles of a bank at once; the same numbers in other banks are other tiles. The type is bf16, because Intel's compiler for its
    CPU device needs more than ten minutes for as many conversions of f16 in one block; for these it needs a minute, in waves of 8 lanes."""
    p = Program("tile_banks", "sixteen tiles in each of three banks", "Tile tN of C holds N + 1, and N B-tiles are sums of it.")
    p.head[p.head.index(f";@ widths  {WIDTHS}")] = ";@ widths  16 32 64"
    p.say("mov_imm r15, 0x3F800000")
    for n in range(SIDE):
        p.say(f"mov_imm r14, {F32.round(n + 1):#x}")
        p.say(f"tile_fill_c_f32 t{n}, r14")
    a = [[BF16.round(n + 1 if i == j else 0) for i in range(SIDE) for j in range(SIDE)] for n in range(SIDE)]
    b = integers("bf16", "banks", -8, 8)
    flat = [v for m in a for v in m]
    address = p.buffer("a0", "bf16", flat)
    other = p.buffer("b0", "bf16", b)
    p.say("mov_imm r17, 32")
    p.say("mov_imm r18, 512")
    for n in range(SIDE):
        p.say(f"tile_load_a_bf16 t{n}, {address}, r17, device, row")
        p.say(f"iadd {address}, {address}, r18")
        p.say(f"tile_load_b_bf16 t{n}, {other}, r17, device, row")
    for n in range(SIDE):
        p.say(f"mma_bf16_f32 t{n}, t{n}, t{15 - n}, t{n}")
    out = p.buffer("out", "f32", count=SIDE * SIDE * SIDE)
    p.say("mov_imm r17, 64")
    p.say("mov_imm r18, 1024")
    expected = []
    for n in range(SIDE):
        p.say(f"tile_store_c_f32 t{n}, {out}, r17, device, row")
        p.say(f"iadd {out}, {out}, r18")
        expected += product("bf16", a[n], b, [F32.round(n + 1)] * (SIDE * SIDE))
    p.expected += listing("expect  out f32 =", expected, "f32")
    return p


def add_programs(programs):
    made = [of_integers(kind) for kind in TYPES] + [of_random_values(kind) for kind in FORMAT]
    made += [layouts(kind, space) for kind in TYPES for space in ("local", "device")]
    made += [within_bound(kind) for kind in ("f16", "bf16")]
    made += [special_values(kind) for kind in FORMAT] + [wrapping(), banks()]
    for p in made:
        programs[f"matrix/wave/{p.name}.wave"] = p.text()
