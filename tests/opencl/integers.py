"""Integer arithmetic, conversions and selections for every integer type."""
from kernels import BITS, SIGNED, TEXT, UNSIGNED, clamp, divide, edges, limits, to_bits, wrap

TYPES = [name for pair in zip(SIGNED, UNSIGNED) for name in pair]
COUNT = 64


def two_operands(name):
    a, b = edges(name, COUNT, 1), edges(name, COUNT, 2)
    b = b[5:] + b[:5]
    return a, b


def table(files, path, title, name, functions, result=None, third=False):
    """One kernel that stores every function of two (or three) operands. functions: (OpenCL text, calculation)."""
    result = result or name
    a, b = two_operands(name)
    c = edges(name, COUNT, 3)
    c = c[9:] + c[:9]
    body = "\n".join(f"    out[{k} * {COUNT} + i] = {text};" for k, (text, _) in enumerate(functions))
    source = f"""
kernel void table(global const {name} *x, global const {name} *y, {f'global const {name} *z, ' if third else ''}global {result} *out) {{
    size_t i = get_global_id(0);
    {name} a = x[i], b = y[i]{', c = z[i]' if third else ''};
{body}
}}
"""
    kind, kind_out = TEXT[BITS[name]], TEXT[BITS[result]]
    buffers = [("x", kind, a), ("y", kind, b)] + ([("z", kind, c)] if third else [])
    buffers.append(("out", kind_out, COUNT * len(functions)))
    want = [wrap(f(p, q, r), result) for _, f in functions for p, q, r in zip(a, b, c)]
    files.add(path, title, source, buffers, "x y z out" if third else "x y out", [("out", want)])


def arithmetic(files):
    for name in TYPES:
        bits = BITS[name]
        mask = bits - 1
        unsigned = name if name in UNSIGNED else "u" + name
        # Sums of signed integers may overflow only as unsigned ones; the quotient of the lowest value and -1 is undefined.
        def quotient(f, low=limits(name)[0]):
            return lambda a, b, _: 0 if b == 0 or (a == low and b == -1) else f(a, b)
        fine = f"b != 0 && !(a == ({name}){'0x80' + '0' * (bits // 4 - 2) + ('ul' if bits == 64 else 'u')} && b == ({name})-1)" \
            if name in SIGNED else "b != 0"
        functions = [
            (f"({name})(({unsigned})a + ({unsigned})b)", lambda a, b, _: a + b),
            (f"({name})(({unsigned})a - ({unsigned})b)", lambda a, b, _: a - b),
            (f"({name})(({unsigned})((uint)1 * a * ({unsigned})b))", lambda a, b, _: a * b),
            (f"{fine} ? a / b : 0", quotient(divide)),
            (f"{fine} ? a % b : 0", quotient(lambda a, b: a - b * divide(a, b))),
            ("a & b", lambda a, b, _: a & b),
            ("a | ~b", lambda a, b, _: a | ~b),
            ("a ^ b", lambda a, b, _: a ^ b),
            (f"({name})(({unsigned})a << (b & {mask}))", lambda a, b, _, m=mask: a << (b & m)),
            (f"a >> (b & {mask})", lambda a, b, _, m=mask: a >> (b & m)),
            (f"({name})(-({unsigned})a)", lambda a, b, _: -a),
            ("!a", lambda a, b, _: not a),
            ("(a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b) + 16 * (a >= b) + 32 * (a != b)",
             lambda a, b, _: (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b) + 16 * (a >= b) + 32 * (a != b)),
            ("a > b ? a : b", lambda a, b, _: max(a, b)),
        ]
        table(files, f"arithmetic/{name}.cl", f"operators on {name}", name, functions)


def choices(files):
    """bitselect and select; the other integer functions are in the folder integer."""
    for name in TYPES:
        unsigned = name if name in UNSIGNED else "u" + name
        table(files, f"relational/select_{name}.cl", f"bitselect and select on {name}", name, [
            ("bitselect(a, b, c)", lambda a, b, c: (a & ~c) | (b & c)),
            (f"select(a, b, ({unsigned})(c & 1))", lambda a, b, c: b if c & 1 else a)], third=True)


def bit_functions(files):
    """cl_khr_extended_bit_ops. Offset and width come from the third operand and stay within the type; a width may be 0."""
    for name in TYPES:
        bits = BITS[name]
        half = bits // 2
        at, width = f"(uint)(c & {half - 1})", f"(uint)(c >> {half - 1} & {half - 1})"

        def field(c, half=half):
            return c & (half - 1), c >> (half - 1) & (half - 1)

        def insert(a, b, c, field=field):
            offset, count = field(c)
            mask = ((1 << count) - 1) << offset
            return (a & ~mask) | (b << offset & mask)

        def extract(a, _, c, field=field):
            offset, count = field(c)
            return a >> offset & ((1 << count) - 1)

        def extract_signed(a, _, c, field=field):
            value, count = extract(a, _, c), field(c)[1]
            return value - (1 << count) if count and value >> (count - 1) else value

        table(files, f"integer/bits_{name}.cl", f"bit_reverse, bitfield_insert and bitfield_extract on {name}", name, [
            ("bit_reverse(a)", lambda a, b, c, n=bits: int(f"{to_bits(a, n):0{n}b}"[::-1], 2)),
            (f"bitfield_insert(a, b, {at}, {width})", insert),
            (f"({name})bitfield_extract_unsigned(a, {at}, {width})", extract),
            (f"({name})bitfield_extract_signed(a, {at}, {width})", extract_signed),
            (f"bitfield_insert(a, b, 0u, {bits}u)", lambda a, b, c: b),
            (f"({name})bitfield_extract_signed(a, 0u, {bits}u)", lambda a, b, c: a),
        ], third=True)


def conversions(files):
    for name in TYPES:
        others = [other for other in TYPES if other != name]
        a = edges(name, COUNT, 4)
        parameters = ", ".join(f"global {other} *to_{other}" for other in others)
        plain = "\n".join(f"    to_{other}[i] = convert_{other}(x[i]);\n    to_{other}[{COUNT} + i] = convert_{other}_sat(x[i]);"
                          for other in others)
        source = f"""
kernel void convert(global const {name} *x, {parameters}) {{
    size_t i = get_global_id(0);
{plain}
}}
"""
        buffers = [("x", TEXT[BITS[name]], a)] + [(f"to_{other}", TEXT[BITS[other]], 2 * COUNT) for other in others]
        expects = [(f"to_{other}", [wrap(v, other) for v in a] + [clamp(v, *limits(other)) for v in a]) for other in others]
        files.add(f"conversions/from_{name}.cl", f"conversions from {name} to every other integer type, with and without _sat", source,
                  buffers, " ".join(name for name, _, _ in buffers), expects)
    for name, other, n in (("char", "int", 4), ("uchar", "uint", 4), ("short", "char", 8), ("int", "ushort", 2), ("uint", "long", 3),
                           ("ulong", "uchar", 16), ("long", "short", 4), ("uchar", "char", 16), ("ushort", "int", 3)):
        a = edges(name, 16 * n, 5)
        source = f"""
kernel void convert(global const {name} *x, global {other} *out) {{
    size_t i = get_global_id(0);
    {name}{n} v = vload{n}(i, x);
    vstore{n}(convert_{other}{n}(v), i, out);
    vstore{n}(convert_{other}{n}_sat(v), i + 16, out);
}}
"""
        files.add(f"conversions/vector_{name}{n}_{other}{n}.cl", f"convert_{other}{n} of {name}{n}, with and without _sat", source,
                  [("x", TEXT[BITS[name]], a), ("out", TEXT[BITS[other]], 32 * n)], "x out",
                  [("out", [wrap(v, other) for v in a] + [clamp(v, *limits(other)) for v in a])], group="16")


def wide(files):
    """Carries, quotients by constants, byte rotations: patterns for which clang uses special instructions."""
    a, b = edges("uint", COUNT, 6), edges("uint", COUNT, 7)[::-1]
    files.add("arithmetic/carry.cl", "a 96-bit sum with carries between words", """
kernel void carry(global const uint *x, global const uint *y, global uint *out) {
    size_t i = get_global_id(0);
    uint low = x[i] + y[i];
    uint c = low < x[i];
    uint middle = x[i] + x[63 - i] + c;
    uint d = c ? middle <= x[i] : middle < x[i];
    out[3 * i] = low;
    out[3 * i + 1] = middle;
    out[3 * i + 2] = y[i] + d;
}
""", [("x", "u32", a), ("y", "u32", b), ("out", "u32", 3 * COUNT)], "x y out",
              [("out", [word for k in range(COUNT) for word in
                        [to_bits(a[k] + b[k], 32), to_bits(a[k] + a[63 - k] + ((a[k] + b[k]) >> 32), 32),
                         b[k] + ((a[k] + a[63 - k] + ((a[k] + b[k]) >> 32)) >> 32)]])])
    s = edges("int", COUNT, 8)
    divisors = (3, 7, 10, 641, -5, 1000000007, 16)
    files.add("arithmetic/constant_divisors.cl", "quotients and remainders by constants, signed and unsigned", """
kernel void divisors(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    int a = x[i];
    uint u = a;
    global int *o = out + 21 * i;
""" + "\n".join(f"    o[{3 * k}] = a / {d}; o[{3 * k + 1}] = a % {d}; o[{3 * k + 2}] = u / {abs(d)}u;" for k, d in enumerate(divisors)) + """
}
""", [("x", "i32", s), ("out", "i32", 21 * COUNT)], "x out",
              [("out", [wrap(v, "int") for a in s for d in divisors for v in (divide(a, d), a - d * divide(a, d), to_bits(a, 32) // abs(d))])])
    c = edges("uchar", COUNT, 9)
    files.add("arithmetic/rotate_bytes.cl", "rotations of 8 and 16 bits by shifts and by rotate", """
kernel void rotations(global const uchar *x, global uchar *bytes, global ushort *halves) {
    size_t i = get_global_id(0);
    uchar v = x[i];
    uchar n = i & 7;
    bytes[i] = (uchar)(v << n | v >> (8 - n & 7));
    bytes[64 + i] = rotate(v, n);
    ushort h = (ushort)(v * 257u ^ 0x1234);
    halves[i] = (ushort)(h << 3 | h >> 13);
    halves[64 + i] = rotate(h, (ushort)(i & 15));
}
""", [("x", "u8", c), ("bytes", "u8", 128), ("halves", "u16", 128)], "x bytes halves",
              [("bytes", [to_bits(v << (k & 7) | v >> (8 - (k & 7)), 8) for k, v in enumerate(c)] * 2),
               ("halves", [to_bits(h << 3 | h >> 13, 16) for h in ((v * 257 ^ 0x1234) for v in c)] +
                [to_bits(h << n | h >> (16 - n), 16) for n, h in ((k & 15, v * 257 ^ 0x1234) for k, v in enumerate(c))])])
    u = edges("ulong", COUNT, 10)
    v = edges("ulong", COUNT, 11)[::-1]
    files.add("arithmetic/long_products.cl", "products and quotients of 64 bits, their high halves, words joined by upsample", """
kernel void products(global const ulong *x, global const ulong *y, global ulong *out) {
    size_t i = get_global_id(0);
    ulong a = x[i], b = y[i];
    out[4 * i] = a * b;
    out[4 * i + 1] = upsample((uint)(a >> 32), (uint)a) ^ b;
    out[4 * i + 2] = mul_hi(a, b);
    out[4 * i + 3] = (b | 1) ? a / (b | 1) : 0;
}
""", [("x", "u64", u), ("y", "u64", v), ("out", "u64", 4 * COUNT)], "x y out",
              [("out", [w for a, b in zip(u, v) for w in (to_bits(a * b, 64), a ^ b, a * b >> 64, a // (b | 1))])])
    files.add("arithmetic/promotions.cl", "mixed types: promotions, unsigned comparison, compound assignments", """
kernel void promotions(global int *out) {
    int i = get_global_id(0);
    char c = (char)(i * 5);
    uchar u = (uchar)(i * 5);
    short s = (short)(i * 1025);
    uint n = 10;
    out[6 * i] = c + u;
    out[6 * i + 1] = -i < n;
    c += 100;
    out[6 * i + 2] = c;
    u <<= 1;
    out[6 * i + 3] = u++ + ++u;
    s /= 3;
    out[6 * i + 4] = s;
    out[6 * i + 5] = (u > 100) + (c < 0 ? s : u), n++;
}
""".replace("u++ + ++u", "u * 2"), [("out", "i32", 384)], "out", [("out", [w for k in range(64) for w in promoted(k)])])


def promoted(i):
    c, u, s = wrap(i * 5, "char"), wrap(i * 5, "uchar"), wrap(i * 1025, "short")
    first = [c + u, int(to_bits(-i, 32) < 10)]
    c = wrap(c + 100, "char")
    u = wrap(u << 1, "uchar")
    s = divide(s, 3)
    return first + [c, u * 2, s, (u > 100) + (s if c < 0 else u)]


def add(files):
    arithmetic(files)
    choices(files)
    bit_functions(files)
    conversions(files)
    wide(files)
