"""Programs for the tiles of ISA.md 9.2 in control flow: loops and branches that carry them. tiles.py has types, layouts and
rounding. Expected values come from Python's integers. Called by generate.py."""
from tables import Random

SIDE = 16
WIDTHS = ";@ widths  4 8 16 32 64\n"

# bytes of an element, type of the test format, mma, type of C; a step of 16 bytes would not be aligned
TYPES = {
    "f16": (2, "f16", "mma_f16_f32", "f32"),
    "bf16": (2, "bf16", "mma_bf16_f32", "f32"),
    "f32": (4, "f32", "mma_f32_f32", "f32"),
}


def lists(words):
    """The values of a list, eight to a line."""
    lines = [words[k:k + 8] for k in range(0, len(words), 8)]
    return " ".join(lines[0]) + "\n" + "".join(";@ +       " + " ".join(row) + "\n" for row in lines[1:])


def integers(seed, count=SIDE * SIDE):
    """Numbers that every type holds exactly; sums of sixteen products, and some more, are exact in f32."""
    r = Random(seed)
    low, high = -8, 8
    return [low + r.word(32) % (high - low + 1) for _ in range(count)]


def product(a, b, c):
    """Row-major matrices of integers."""
    return [c[i * SIDE + j] + sum(a[i * SIDE + k] * b[k * SIDE + j] for k in range(SIDE)) for i in range(SIDE)
            for j in range(SIDE)]


# -- Control flow --------------------------------------------------------------------------------

STEPS = 5


def loop(name):
    """A 16 × 80 matrix times an 80 × 16 one: the loop carries C, and A and B of the next step."""
    size, held, mma, sum_type = TYPES[name]
    count = SIDE * SIDE * STEPS
    a, b = integers(6, count), integers(7, count)
    wide = SIDE * STEPS
    d = [sum(a[i * wide + k] * b[k * SIDE + j] for k in range(wide)) for i in range(SIDE) for j in range(SIDE)]
    text = f";@ test    a loop that carries tiles: {mma} over {STEPS} steps, loads one step ahead\n" + WIDTHS
    text += ";@ group   W\n"
    for buffer, matrix in (("a", a), ("b", b)):
        text += f";@ buffer  {buffer} {held} {count} = " + lists([str(v) for v in matrix])
    text += f";@ buffer  out {sum_type} 256\n;@ args    a b out\n"
    text += f";@ expect  out {sum_type} = " + lists([str(v) for v in d])
    # a row of A is a multiple of 16 bytes; the next tile of it starts at a multiple of 32 for two bytes and four
    text += f""".kernel loop_{name}
.registers 16
    mov_imm r3, {wide * size}
    mov_imm r4, {SIDE * size}
    mov_imm r5, {SIDE * SIDE * size}
    mov_imm r6, 0
    mov_imm r7, 1
    mov_imm r8, {STEPS - 1}
    mov_imm r9, 64
    tile_fill_c_{sum_type} t0, r6
    tile_load_a_{name} t0, r0, r3, device, row
    tile_load_b_{name} t0, r1, r4, device, row
    loop
        icmp_ge p1, r6, r8
        break p1
        iadd r0, r0, r4
        iadd r1, r1, r5
        {mma} t0, t0, t0, t0
        tile_load_a_{name} t0, r0, r3, device, row
        tile_load_b_{name} t0, r1, r4, device, row
        iadd r6, r6, r7
    endloop
    {mma} t0, t0, t0, t0
    tile_store_c_{sum_type} t0, r2, r9, device, row
    halt
.end
"""
    return text


def branch():
    """One number holds an f16 tile in one branch and a bf16 tile in the other; a value in memory
    says which."""
    a, b = integers(8), integers(9)
    text = ";@ test    a tile that is f16 or bf16, depending on a value in memory\n" + WIDTHS + ";@ group   W\n;@ grid    2\n"
    for held in ("f16", "bf16"):
        for buffer, matrix in (("a", a), ("b", b)):
            text += f";@ buffer  {buffer}_{held} {held} 256 = " + lists([str(v) for v in matrix])
    text += ";@ buffer  which u32 2 = 0 1\n;@ buffer  out f32 512\n;@ args    a_f16 b_f16 a_bf16 b_bf16 which out\n"
    d = product(a, b, [0] * 256)
    text += ";@ expect  out = " + lists([str(v) for v in d + product(a, b, d)])
    text += """.kernel branch
.registers 32
    mov_sr r6, sr_workgroup_id_x
    mov_imm r7, 2
    mov_imm r8, 10
    shl r9, r6, r7
    iadd r9, r9, r4
    device_load_u32 r10, r9
    shl r9, r6, r8
    iadd r5, r5, r9
    mov_imm r11, 0
    mov_imm r12, 32
    mov_imm r13, 64
    icmp_eq p1, r10, r11
    tile_fill_c_f32 t1, r11
    if p1
        tile_load_a_f16 t0, r0, r12, device, row
        tile_load_b_f16 t0, r1, r12, device, row
    else
        tile_load_a_bf16 t0, r2, r12, device, row
        tile_load_b_bf16 t0, r3, r12, device, row
        mma_bf16_f32 t1, t0, t0, t1
    endif
    if p1
        mma_f16_f32 t1, t0, t0, t1
    else
        mma_bf16_f32 t1, t0, t0, t1
    endif
    tile_store_c_f32 t1, r5, r13, device, row
    halt
.end
"""
    return text


def skipped():
    """A value in memory says that no wave stores: the address is outside memory."""
    text = """;@ test    a branch that no lane takes does not touch memory
;@ widths  4 8 16 32 64
;@ group   W
;@ buffer  which u32 1 = 0
;@ buffer  out f32 256 = fill 5
;@ args    which out
;@ expect  out = fill 5
.kernel skipped
.registers 16
    device_load_u32 r2, r0
    mov_imm r3, 1
    mov_imm r4, 0xFFFF0000
    mov_imm r5, 64
    icmp_eq p1, r2, r3
    if p1
        tile_load_c_f32 t0, r4, r5, device, row
        tile_store_c_f32 t0, r4, r5, device, row
    endif
    halt
.end
"""
    return text


def add_programs(programs):
    for name in TYPES:
        programs[f"matrix/wave/loop_{name}.wave"] = loop(name)
    programs["matrix/wave/branch.wave"] = branch()
    programs["matrix/wave/skipped.wave"] = skipped()
