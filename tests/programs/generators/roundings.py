"""Programs whose results show every rounding: f32 results that are half way between two f16 numbers only after
their own rounding, so that a compiler that rounds once instead of twice yields the neighbour."""
import random

from exact import F16, F32, F64, convert
from textform import listing

COUNT = 32
OPERATIONS = {
    "fadd": (F32.add, lambda a, b: F32.value(a) + F32.value(b)),
    "fsub": (F32.sub, lambda a, b: F32.value(a) - F32.value(b)),
    "fmul": (F32.mul, lambda a, b: F32.value(a) * F32.value(b)),
    "fdiv": (F32.div, lambda a, b: F32.value(a) / F32.value(b)),
    "fma": (lambda a, b: F32.fma(a, b, F32.round(F32.value(b) / 4)),
            lambda a, b: F32.value(a) * F32.value(b) + F32.value(F32.round(F32.value(b) / 4))),
}
# Operands that bring the result near `middle`.
PARTNERS = {
    "fadd": lambda middle, x: (middle, x / 2**40),
    "fsub": lambda middle, x: (middle, x / 2**40),
    "fmul": lambda middle, x: (middle / x, x),
    "fdiv": lambda middle, x: (middle * x, x),
    "fma": lambda middle, x: ((middle - x / 4) / x, x),
}


def operands(name):
    """Pairs for which the f32 result rounded to f16 is not the exact result rounded to f16."""
    choose = random.Random(name)
    rounded, exact = OPERATIONS[name]
    found = []
    while len(found) < COUNT:
        low = choose.randrange(0x0400, 0x7800)
        middle = (F16.value(low) + F16.value(low + 1)) / 2
        x = F32.value(F32.round(F32.value(choose.randrange(0x3F000000, 0x41000000)) * choose.choice((1, -1))))
        a, b = (F32.round(v) for v in PARTNERS[name](middle, x))
        twice = convert(F32, F16, rounded(a, b))
        if not F32.is_zero(a) and not F32.is_zero(b) and twice != F16.round(exact(a, b)):
            found.append((a, b, twice))
    return found


def narrowed(name):
    table = operands(name)
    quarter = "    mov_imm r5, 0x3E800000\n    fmul r5, r4, r5\n" if name == "fma" else ""
    operation = "fma r6, r3, r4, r5" if name == "fma" else f"{name} r6, r3, r4"
    lines = [
        f";@ test    {name} rounds to f32, and cvt_f16_f32 again", "; One rounding would give the neighbour of every result.",
        "; The lists are written by generate.py from exact arithmetic.", ";@ widths  4 8 16 32 64", f";@ group   {COUNT}",
        *listing(f"buffer  a f32 {COUNT} at 256 =", [a for a, _, _ in table], "f32"),
        *listing(f"buffer  b f32 {COUNT} =", [b for _, b, _ in table], "f32"), f";@ buffer  out u32 {COUNT}",
        f";@ buffer  also f32 {COUNT}", ";@ args    a b out also",
        *listing("expect  out =", [t for _, _, t in table], "u32"),
        *listing("expect  also =", [OPERATIONS[name][0](a, b) for a, b, _ in table], "f32")
    ]
    kernel = f"{name}_narrowed"
    return "\n".join(lines) + f"""
.kernel {kernel}
.registers 16
    mov_sr r7, sr_thread_id_x
    mov_imm r8, 2
    shl r7, r7, r8
    iadd r0, r0, r7
    iadd r1, r1, r7
    iadd r2, r2, r7
    mov_imm r8, 256
    device_load_u32 r3, r0
    device_load_u32 r4, r1
{quarter}    {operation}
    cvt_f16_f32 r9, r6
    device_store_u32 r2, r9
    iadd r2, r2, r8
    device_store_u32 r2, r6
    halt
.end
"""


def from_double():
    """f64 to f32 to f16, which must not become one conversion."""
    choose = random.Random("f64")
    table = []
    while len(table) < COUNT:
        low = choose.randrange(0x0400, 0x7800)
        middle = (F16.value(low) + F16.value(low + 1)) / 2
        x = F64.round(middle + choose.choice((1, -1)) * middle / 2**choose.randrange(26, 50))
        twice = convert(F32, F16, convert(F64, F32, x))
        if twice != convert(F64, F16, x):
            table.append((x, twice))
    lines = [
        ";@ test    an f64 goes to f16 by way of f32, with two roundings", "; One rounding would give the neighbour of every result.",
        "; The lists are written by generate.py from exact arithmetic.", ";@ widths  4 8 16 32 64", ";@ targets -msl",
        f";@ group   {COUNT}", *listing(f"buffer  a f64 {COUNT} at 256 =", [x for x, _ in table], "f64"),
        f";@ buffer  out u32 {COUNT}", ";@ args    a out", *listing("expect  out =", [t for _, t in table], "u32")
    ]
    return "\n".join(lines) + """
.kernel double_narrowed
.registers 16
    mov_sr r7, sr_thread_id_x
    mov_imm r8, 2
    shl r7, r7, r8
    iadd r1, r1, r7
    iadd r7, r7, r7
    iadd r0, r0, r7
    device_load_u64 r2, r0
    cvt_f32_f64 r4, r2
    cvt_f16_f32 r4, r4
    device_store_u32 r1, r4
    halt
.end
"""


def add_programs(out):
    for name in OPERATIONS:
        out[f"arithmetic/f16/{name}_narrowed.wave"] = narrowed(name)
    out["arithmetic/f16/double_narrowed.wave"] = from_double()
