"""Programs that repeat the same computation in many places, often enough to become a function (docs/inside/ir.md, outline): with
different values, with different constants, in a branch, with an if inside, in f64. Results are closed forms, or Python's doubles,
rounded."""
import math
import random
import struct
from fractions import Fraction

from exact import F32
from textform import listing

COPIES = 24
SINES = 12
LANES = 64
DEPTH = 110


def program(head, registers, body):
    name = head[0].split("@ test    ")[1].split(":")[0].replace(" ", "_")
    return "\n".join([*head, f".kernel {name}", registers, *body, "    halt", ".end", ""])


def exponentials(title, comment, value, expected, before=(), after=(), arena="a"):
    """out[lane * COPIES + k] = 2 (2^v / d + 1.5), as an integer; `value` computes v from k."""
    head = [f";@ test    {title}", f"; {comment}", ";@ widths  4 8 16 32 64", f";@ group   {LANES}",
            f";@ buffer  {arena} f32 {LANES + COPIES} = expr (i * 7) - floor(i * 7 / 23) * 23",
            ";@ buffer  d f32 4 = 1 2 4 8", f";@ buffer  out u32 {LANES * COPIES}", f";@ args    {arena} d out",
            f";@ expect  out = expr {expected}"]
    body = ["    mov lane, sr_thread_id_x", "    and m, lane, 3", "    device_load_u32 m, [d + m*4]", *before]
    for k in range(COPIES):
        body += [*value(k), "    fexp2 v, v", "    fdiv v, v, m", "    fadd v, v, 1.5", "    fadd v, v, v",
                 "    cvt_u32_f32 v, v", f"    device_store_u32 [at + {4 * k}], v"]
    place = [f"    imul at, lane, {4 * COPIES}", "    iadd at, at, out"]
    registers = f".arg {arena} u32\n.arg d u32\n.arg out u32\n.reg lane, m, at, v, x, five\n.pred odd"
    return program(head, registers, [*body[:3], *place, *body[3:], *after])


RESULT = "((1 << ({v} + 1)) >> (i / 24 % 4)) + 3"


def loaded(k):
    return [f"    device_load_u32 v, [x + {4 * k}]"]


def deep():
    """Inside so many ifs that the C family's kernels are several functions; each has some work."""
    opens = [line for k in range(DEPTH) for line in (f"    icmp_ne odd, m, {k + 1}", "    if odd", f"    device_store_u32 [trace + {4 * k}], m")]
    text = exponentials(
        "repeated exponentials: inside many ifs", "Powers of two are exact.", loaded,
        RESULT.format(v="(i / 24 + i % 24) * 7 % 23"), before=["    imad x, lane, 4, a", "    imad trace, lane, 512, out",
        f"    iadd trace, trace, {4 * LANES * COPIES}", *opens], after=["    endif"] * DEPTH)
    text = text.replace(";@ widths", ";@ warning W_DEPTH\n;@ widths").replace(f"out u32 {LANES * COPIES}", f"out u32 {LANES * (COPIES + 128)}").replace(".reg lane", ".reg trace, lane")
    return text.replace("expect  out =", f"expect  out[0..{LANES * COPIES}] =")


def sines():
    """Both sides of the reduction of arguments: small and large ones."""
    choose = random.Random("sines")
    values = [F32.round(Fraction(choose.uniform(-40, 40) if choose.random() < 0.7 else choose.uniform(1e5, 1e9)))
              for _ in range(LANES + SINES)]
    numbers = [struct.unpack("<f", struct.pack("<I", v))[0] for v in values]
    results = [struct.unpack("<I", struct.pack("<f", math.sin(numbers[lane + k])))[0] for lane in range(LANES) for k in range(SINES)]
    head = [";@ test    repeated sines: an if is part of what is repeated", "; Rounded doubles.", ";@ widths  4 8 16 32 64",
            f";@ group   {LANES}", *listing(f"buffer  a f32 {LANES + SINES} =", values, "f32"),
            f";@ buffer  out f32 {LANES * SINES}", ";@ args    a out", *listing("expect  out ulp 2 =", results, "f32")]
    body = ["    mov lane, sr_thread_id_x", "    imad x, lane, 4, a", f"    imad at, lane, {4 * SINES}, out"]
    for k in range(SINES):
        body += [*loaded(k), "    fsin v, v", f"    device_store_u32 [at + {4 * k}], v"]
    return program(head, ".arg a u32\n.arg out u32\n.reg lane, x, at, v", body)


def quotients():
    """x / 8 + 8 / x of powers of two."""
    head = [";@ test    repeated quotients of f64", "; x / 8 + 8 / x of powers of two is exact.", ";@ widths  4 8 16 32 64",
            ";@ targets -msl", f";@ group   {LANES}", f";@ buffer  a f64 {LANES + COPIES} = expr 1.0 * (1 + i - floor(i / 2) * 2)",
            f";@ buffer  out f64 {LANES * COPIES}", ";@ args    a out",
            f";@ expect  out = expr ((i - floor(i / {COPIES}) * {COPIES} + floor(i / {COPIES})) "
            f"- floor((i - floor(i / {COPIES}) * {COPIES} + floor(i / {COPIES})) / 2) * 2) > 0 ? 4.25 : 8.125"]
    body = ["    mov lane, sr_thread_id_x", "    imad x, lane, 8, a", f"    imad at, lane, {8 * COPIES}, out",
            "    mov_imm r10, 0", "    mov_imm r11, 0x40200000"]
    for k in range(COPIES):
        body += [f"    device_load_u64 r12:r13, [x + {8 * k}]", "    ddiv r14:r15, r12:r13, r10:r11",
                 "    ddiv r16:r17, r10:r11, r12:r13", "    dadd r14:r15, r14:r15, r16:r17",
                 f"    device_store_u64 [at + {8 * k}], r14:r15"]
    return program(head, ".registers 32\n.arg a u32\n.arg out u32\n.reg lane = r4, x = r5, at = r6", body)


def add_programs(out):
    out["optimiser/outline/values.wave"] = exponentials(
        "repeated exponentials: of values", "Powers of two are exact.", loaded,
        RESULT.format(v="(i / 24 + i % 24) * 7 % 23"), before=["    imad x, lane, 4, a"])
    out["optimiser/outline/constants.wave"] = exponentials(
        "repeated exponentials: constants in them differ", "Powers of two are exact.",
        lambda k: [f"    fadd v, x, {k - 8}.0"], "((1 << (i / 24 % 6 + i % 24 + 1)) >> (i / 24 % 4 + 8)) + 3",
        before=["    umod x, lane, 6", "    cvt_f32_u32 x, x"], arena="unused")
    out["optimiser/outline/branch.wave"] = exponentials(
        "repeated exponentials: in a branch of odd lanes", "Powers of two are exact.", loaded,
        "i / 24 % 2 ? " + RESULT.format(v="(i / 24 + i % 24) * 7 % 23") + " : 0",
        before=["    imad x, lane, 4, a", "    and v, lane, 1", "    icmp_ne odd, v, 0", "    if odd"], after=["    endif"])
    out["optimiser/outline/choices.wave"] = exponentials(
        "repeated exponentials: selected by a predicate", "Powers of two are exact. The predicate is an input of the function.",
        lambda k: [*loaded(k), "    select v, odd, v, five"],
        RESULT.format(v="(i / 24 % 2 ? (i / 24 + i % 24) * 7 % 23 : 5)"),
        before=["    imad x, lane, 4, a", "    and v, lane, 1", "    icmp_ne odd, v, 0", "    mov five, 5.0"])
    out["optimiser/outline/deep.wave"] = deep()
    out["optimiser/outline/sines.wave"] = sines()
    out["optimiser/outline/quotients.wave"] = quotients()
