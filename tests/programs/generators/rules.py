"""Programs for two rules of every instruction: guards shield other lanes, reads come first.

guard_every_*: each instruction runs guarded over a marked destination. Lanes with the guard
must see it change, the others must not. overlap_every_*: each instruction gives the same result
when its destination is one of its sources. The expectation is a count, so it needs no
arithmetic. Called by generate.py.
"""

WIDTHS = ";@ widths  4 8 16 32 64"

SETUP = """    mov_sr r1, sr_thread_id_x
    mov_imm r2, 2
    shl r2, r1, r2
    iadd r2, r0, r2                  ; address of out[thread]
    mov_imm r3, 1
    mov_imm r4, 0                    ; count
    mov_imm r7, 0
    and r5, r1, r3
    icmp_eq p1, r5, r3               ; odd threads
    mov_imm r6, 0xBADC0DE5
"""

# folder, title part, operand registers r10, r11, r12, instructions with their number of sources
WORDS = [
    ("integer", "integer", (1000, 7, 12),
     {2: "iadd isub imul imul_hi idiv imod imin imax", 1: "ineg iabs", 3: "imad iclamp"}),
    ("bits", "bit", (0x12345678, 7, 12),
     {2: "and or xor shl shr sar", 1: "not bitcount bitfind bitrev", 3: "bfe", 4: "bfi"}),
    ("f32", "f32", (0x40490FDB, 0x3FC00000, 0x40100000),
     {2: "fadd fsub fmul fdiv fmin fmax", 3: "fma fclamp",
      1: "fneg fabs fsqrt frsqrt frcp ffloor"}),
    ("f32", "more_f32", (0x40490FDB, 0x3FC00000, 0x40100000),
     {1: "fceil fround ftrunc ffract fsat fsin fcos fexp2 flog2"}),
    ("f16", "f16", (0x42483E00, 0x40003C00, 0x3C004500),
     {2: "hadd hsub hmul hadd2 hmul2", 3: "hma hma2"}),
    ("bf16", "bf16", (0x40493FC0, 0x40003F80, 0x3F8040A0),
     {2: "badd bsub bmul badd2 bmul2", 3: "bma bma2"}),
    ("convert", "conversion", (0x40490FDB, 0, 0), {
        1: "cvt_f32_i32 cvt_f32_u32 cvt_i32_f32 cvt_u32_f32 cvt_f32_f16 "
           "cvt_f16_f32 cvt_f32_bf16 cvt_bf16_f32"
    }),
    ("integer", "unsigned", (1000, 7, 12), {2: "umin umax udiv umod"}),
]
PAIRS = {2: "dadd dsub dmul ddiv", 3: "dma", 1: "dsqrt"}


def listed(table):
    return [(op, arity) for arity, ops in table.items() for op in ops.split()]


def head(title, why, expect, flags=(), out="out u32 64 at 256"):
    lines = [f";@ test    {title}", f"; {why}", WIDTHS, ";@ group   64"
             ] + [f";@ {f}" for f in flags]
    return "\n".join(lines +
                     [f";@ buffer  {out}", ";@ args    out", f";@ expect  out = {expect}"]) + "\n"


def operands(values):
    return "".join(f"    mov_imm r{10 + k}, {v:#010x}\n" for k, v in enumerate(values))


def finish(body, name, registers=32):
    end = "    device_store_u32 r2, r4\n    halt\n.end\n"
    return f".kernel {name}\n.registers {registers}\n{SETUP}{body}{end}"


def guard_words(folder, kind, values, table):
    ops = listed(table)
    body = operands(values) + "    mov_imm r13, 9\n"
    for op, arity in ops:
        sources = ", ".join(f"r{10 + k}" for k in range(arity))
        body += f"    mov r8, r6  @p1 {op} r8, {sources}  icmp_ne p2, r8, r6  @p2 iadd r4, r4, r3\n"
    name = f"guard_every_{kind}_instruction"
    return f"arithmetic/{folder}/{name}.wave", head(
        f"a guard shields other lanes from every {kind.replace('_', ' ')} instruction".replace(
            "more ", "further "),
        "Each instruction changes a marked register: odd threads count them all, even ones none.",
        f"expr i%2==1?{len(ops)}:0", out="out u32 64 at 256 = fill 99") + finish(body, name)


def overlap_words(folder, kind, values, table):
    ops, count = listed(table), 0
    body = operands(values) + "    mov_imm r13, 9\n"
    for op, arity in ops:
        registers = [f"r{10 + k}" for k in range(arity)]
        body += f"    {op} r20, {', '.join(registers)}\n"
        for k in range(arity):
            count += 1
            changed = ["r21" if j == k else r for j, r in enumerate(registers)]
            body += f"    mov r21, {registers[k]}  {op} r21, {', '.join(changed)}  "
            body += "icmp_eq p2, r21, r20  @p2 iadd r4, r4, r3\n"
    name = f"overlap_every_{kind}_instruction"
    return f"arithmetic/{folder}/{name}.wave", head(
        f"every {kind.replace('_', ' ')} instruction may overwrite each of its sources".replace(
            "more ", "further "),
        "The result is the same as in a separate register; each source that agrees counts 1.",
        f"fill {count}") + finish(body, name)


def guard_pairs():
    ops = listed(PAIRS)
    body = "    mov_imm r10, 0\n    mov_imm r11, 0x40080000\n    mov_imm r12, 0\n    "
    body += "mov_imm r13, 0x3ff80000\n"
    body += "    mov_imm r14, 0\n    mov_imm r15, 0x40140000\n"
    for op, arity in ops + [("cvt_f64_f32", 0), ("cvt_f32_f64", -1)]:
        sources = {0: "r13", -1: "r10"}.get(arity) or ", ".join(f"r{10 + 2 * k}"
                                                                for k in range(arity))
        body += f"    mov r8, r6  mov r9, r6  @p1 {op} r8, {sources}\n"
        body += "    icmp_ne p2, r8, r6  @p2 iadd r4, r4, r3\n"
        if arity >= 0:
            body += "    icmp_ne p2, r9, r6  @p2 iadd r4, r4, r3\n"
    count = 2 * (len(ops) + 1) + 1
    name = "guard_every_f64_instruction"
    return f"arithmetic/f64/{name}.wave", head(
        "a guard shields other lanes from every f64 instruction and conversion",
        "Both registers of a marked pair change in odd threads and stay in even ones.",
        f"expr i%2==1?{count}:0",
        ("targets -msl", ), out="out u32 64 at 256 = fill 99") + finish(body, name)


def guard_compares():
    tests = [f"{k}_{c}" for k in ("icmp", "ucmp") for c in ("ne", "lt", "le")] + \
        [f"fcmp_{c}" for c in ("ne", "lt", "le", "ord")]
    swapped = [f"{k}_{c}" for k in ("icmp", "ucmp", "fcmp") for c in ("gt", "ge")]
    same = [f"{k}_eq" for k in ("icmp", "ucmp", "fcmp")]
    body = "    mov_imm r10, 0x3f800000\n    mov_imm r11, 0x40000000\n    mov_imm r12, 0x7fc00000\n"
    rows = [(t, "r10, r11") for t in tests] + [(t, "r11, r10") for t in swapped] + [(t, "r10, r10")
                                                                                    for t in same]
    rows.append(("fcmp_unord", "r10, r12"))
    for t, sources in rows:
        body += f"    icmp_ne p2, r3, r3  @p1 {t} p2, {sources}  @p2 iadd r4, r4, r3\n"
    name = "guard_every_compare"
    return f"arithmetic/compare/{name}.wave", head(
        "a guard shields other lanes from every compare",
        "Every compare holds, but only odd threads execute it.", f"expr i%2==1?{len(rows)}:0",
        out="out u32 64 at 256 = fill 99") + finish(body, name)


def guard_loads():
    body = "    mov_imm r10, 0\n    mov_imm r12, 4\n    shl r12, r1, r12\n    "
    body += "mov_imm r13, 8192\n    iadd r13, r13, r12\n"
    body += "    mov_imm r14, 0x11111111\n    mov_imm r15, 0x22222222\n    "
    body += "mov_imm r16, 0x33333333\n    mov_imm r17, 0x44444444\n"
    body += "    device_store_u128 r13, r14  local_store_u64 r12, r14\n"
    sizes = [("device", "u8", 1, "r13"), ("device", "u16", 1, "r13"), ("device", "u32", 1, "r13"),
             ("device", "u64", 2, "r13"), ("device", "u128", 4, "r13"), ("local", "u8", 1, "r12"),
             ("local", "u16", 1, "r12"), ("local", "u32", 1, "r12"), ("local", "u64", 2, "r12")]
    count = 0
    for space, size, registers, address in sizes:
        body += "    mov r20, r6  mov r21, r6  mov r22, r6  mov r23, r6\n"
        body += f"    @p1 {space}_load_{size} r20, {address}\n"
        for k in range(registers):
            body += f"    icmp_ne p2, r{20 + k}, r6  @p2 iadd r4, r4, r3\n"
            count += 1
    name = "guard_every_load"
    text = head("a guard shields other lanes from every load",
                "All registers of a load change in odd threads, none in even ones.",
                f"expr i%2==1?{count}:0", ("memory 16384", ), out="out u32 64 at 256 = fill 99")
    return f"memory/device/{name}.wave", text + finish(body, name)


def guard_stores():
    body = "    mov_imm r12, 4\n    shl r12, r1, r12\n    mov_imm r13, 8192\n    "
    body += "iadd r13, r13, r12\n"
    body += "    mov r14, r6  mov r15, r6  mov r16, r6  mov r17, r6\n"
    body += "    mov r20, r7  mov r21, r7  mov r22, r7  mov r23, r7\n"
    count = 0
    for space, address, sizes in (("device", "r13", ("u8", "u16", "u32", "u64", "u128")),
                                  ("local", "r12", ("u8", "u16", "u32", "u64"))):
        for size in sizes:
            words = {"u64": 2, "u128": 4}.get(size, 1)
            wide = "u128" if space == "device" else "u64"
            body += f"    {space}_store_{wide} {address}, r20  "
            body += f"@p1 {space}_store_{size} {address}, r14\n"
            body += f"    {space}_load_{wide} r24, {address}\n"
            for k in range(words):
                body += f"    icmp_ne p2, r{24 + k}, r7  @p2 iadd r4, r4, r3\n"
                count += 1
    name = "guard_every_store"
    text = head("a guard shields the memory of other lanes from every store",
                "All words of a store change in odd threads, none in even ones.",
                f"expr i%2==1?{count}:0", ("memory 16384", ), out="out u32 64 at 256 = fill 99")
    return f"memory/device/{name}.wave", text + finish(body, name)


def guard_atomics():
    ops = "add sub min max and or xor exchange cas fadd imin imax".split()
    # From 0x3F800000 (1.0) every operation with these operands yields a different value.
    operand = {"max": "r11", "or": "r11", "imax": "r11", "cas": "r14, r10"}
    body = "    mov_imm r10, 0x3f000001\n    mov_imm r11, 0x40000000\n    "
    body += "mov_imm r14, 0x3f800000\n    mov_imm r12, 2\n"
    body += "    shl r12, r1, r12\n    mov_imm r13, 8192\n    iadd r13, r13, r12\n"
    # A load changes its destination only, a store memory only.
    forms = [(f"atomic_{op} r20, r13, {operand.get(op, 'r10')}",
              f"local_atomic_{op} r21, r12, {operand.get(op, 'r10')}") for op in ops]
    forms += [("atomic_load r20, r13", "local_atomic_load r21, r12"),
              ("atomic_store r13, r10", "local_atomic_store r12, r10")]
    for device, local in forms:
        body += "    device_store_u32 r13, r14  local_store_u32 r12, r14  mov r20, r6  "
        body += "mov r21, r6\n"
        body += f"    @p1 {device}, .device  "
        body += f"@p1 {local}\n"
        body += "    device_load_u32 r22, r13  local_load_u32 r23, r12\n"
        body += "    icmp_ne p2, r20, r6  @p2 iadd r4, r4, r3  icmp_ne p2, r21, r6  "
        body += "@p2 iadd r4, r4, r3\n"
        body += "    icmp_ne p2, r22, r14  @p2 iadd r4, r4, r3  icmp_ne p2, r23, r14  "
        body += "@p2 iadd r4, r4, r3\n"
    name = "guard_every_atomic"
    text = head(
        "a guard shields other lanes from every atomic, local and device",
        "Memory and destination change in odd threads only: four counts for each operation, two for "
        "a load or a store.",
        f"expr i%2==1?{4 * len(ops) + 4}:0", ("memory 16384", ), out="out u32 64 at 256 = fill 99")
    return f"memory/atomic/{name}.wave", text + finish(body, name)


def add_programs(out):
    for group in WORDS:
        out.__setitem__(*guard_words(*group))
        out.__setitem__(*overlap_words(*group))
    for make in (guard_pairs, guard_compares, guard_loads, guard_stores, guard_atomics):
        path, text = make()
        out[path] = text
