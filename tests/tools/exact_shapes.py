"""Kernels whose results depend on every rounding in their text, one shape each: the places where a compiler is tempted
to round once instead of twice, or not at all. check_exact_code.py compiles them and reads the machine code."""

# Words at the address in r0: r4, r5, r6, and as pairs r10, r12, r14. Results are stored from r8, and also from r9
# for some shapes. Each shape is (name, code); the code may use p1, which differs between lanes.
PRELUDE = """
    mov_sr r2, sr_thread_id_x
    mov_imm r3, 6
    shl r3, r2, r3
    iadd r0, r0, r3
    iadd r1, r1, r3
    mov_imm r3, 4
    device_load_u32 r4, r0
    iadd r0, r0, r3
    device_load_u32 r5, r0
    iadd r0, r0, r3
    device_load_u32 r6, r0
    iadd r0, r0, r3
    ucmp_lt p1, r4, r2
"""

PAIRS = """
    iadd r0, r0, r3
    device_load_u64 r10, r0
    iadd r0, r0, r3
    iadd r0, r0, r3
    device_load_u64 r12, r0
    iadd r0, r0, r3
    iadd r0, r0, r3
    device_load_u64 r14, r0
"""

# f32 arithmetic: name, code that puts the result of r4, r5, r6 into %s.
F32 = [
    ("fadd", "fadd %s, r4, r5"),
    ("fsub", "fsub %s, r4, r5"),
    ("fmul", "fmul %s, r4, r5"),
    ("fma", "fma %s, r4, r5, r6"),
    ("fdiv", "fdiv %s, r4, r5"),
    ("fsqrt", "fsqrt %s, r4"),
    ("frcp", "frcp %s, r4"),
    ("fmul_add", "fmul r7, r4, r5\n    fadd %s, r7, r6"),
    ("fmul_neg", "fmul r7, r4, r5\n    fneg %s, r7"),
    ("fmul_abs", "fmul r7, r4, r5\n    fabs %s, r7"),
    ("twice", "mov_imm r7, 0x40000000\n    fmul %s, r4, r7"),
    ("half_of", "mov_imm r7, 0x3F000000\n    fmul %s, r4, r7"),
    ("by_constant", "mov_imm r7, 0x3F8CCCCD\n    fmul %s, r4, r7"),
    ("fmin", "fmin %s, r4, r5"),
    ("fmax", "fmax %s, r4, r5"),
    ("fmul_fmax", "fmul r7, r4, r5\n    fmax %s, r7, r6"),
    ("fmul_fsat", "fmul r7, r4, r5\n    fsat %s, r7"),
    ("fmul_fclamp", "fmul r7, r4, r5\n    mov_imm r16, 0\n    mov_imm r17, 0x40C00000\n    fclamp %s, r7, r16, r17"),
    ("from_i32", "cvt_f32_i32 %s, r4"),
    ("from_u32", "cvt_f32_u32 %s, r4"),
    ("chosen", "fmul r7, r4, r5\n    fadd r16, r4, r6\n    select %s, p1, r7, r16"),
    ("guarded", "mov r7, r6\n    @p1 fmul r7, r4, r5\n    mov %s, r7"),
]


def widened(operation):
    """An f32 operation on values that come from f16."""
    return ("cvt_f32_f16 r4, r4\n    cvt_f32_f16 r5, r5\n    cvt_f32_f16 r6, r6\n    " + operation)


def shapes():
    made = []
    for name, code in F32:
        made.append((name + "_to_f16", code % "r7" + "\n    cvt_f16_f32 r8, r7"))
        made.append((name + "_of_f16", widened(code % "r8")))
        made.append((name + "_of_f16_to_f16", widened(code % "r7") + "\n    cvt_f16_f32 r8, r7"))
        # also stores the f32
        made.append((name + "_to_both", code % "r9" + "\n    cvt_f16_f32 r8, r9"))
    made += [
        ("two_packed", "fmul r7, r4, r5\n    fmul r16, r5, r6\n    cvt_f16_f32 r7, r7\n    cvt_f16_f32 r16, r16\n"
                       "    mov_imm r17, 16\n    shl r16, r16, r17\n    or r8, r7, r16"),
        ("phi_to_f16", "mov r7, r6\n    if p1\n    fmul r7, r4, r5\n    device_store_u32 r1, r4\n    endif\n"
                       "    cvt_f16_f32 r8, r7"),
        ("loop_to_f16", "mov r7, r6\n    loop\n    fmul r7, r7, r5\n    fcmp_lt p2, r7, r4\n    break p2\n    endloop\n"
                        "    cvt_f16_f32 r8, r7"),
        ("there_and_back", "fmul r7, r4, r5\n    cvt_f16_f32 r7, r7\n    cvt_f32_f16 r8, r7"),
        ("there_back_add", "fmul r7, r4, r5\n    cvt_f16_f32 r7, r7\n    cvt_f32_f16 r7, r7\n    fadd r8, r7, r6"),
        ("hadd", "hadd r8, r4, r5"), ("hsub", "hsub r8, r4, r5"), ("hmul", "hmul r8, r4, r5"),
        ("hma", "hma r8, r4, r5, r6"),
        ("hmul_hadd", "hmul r7, r4, r5\n    hadd r8, r7, r6"),
        ("hadd_hmul", "hadd r7, r4, r5\n    hmul r8, r7, r6"),
        ("hmul_widened", "hmul r7, r4, r5\n    cvt_f32_f16 r8, r7"),
        ("hadd_widened", "hadd r7, r4, r5\n    cvt_f32_f16 r8, r7"),
        ("hmul_widened_fadd", "hmul r7, r4, r5\n    cvt_f32_f16 r7, r7\n    fadd r8, r7, r6"),
        ("hma_widened", "hma r7, r4, r5, r6\n    cvt_f32_f16 r8, r7"),
        ("hadd2", "hadd2 r8, r4, r5"), ("hmul2", "hmul2 r8, r4, r5"), ("hma2", "hma2 r8, r4, r5, r6"),
        ("hmul2_hadd2", "hmul2 r7, r4, r5\n    hadd2 r8, r7, r6"),
        ("badd", "badd r8, r4, r5"), ("bmul", "bmul r8, r4, r5"), ("bma", "bma r8, r4, r5, r6"),
        ("bmul_badd", "bmul r7, r4, r5\n    badd r8, r7, r6"),
        ("fmul_to_bf16", "fmul r7, r4, r5\n    cvt_bf16_f32 r8, r7"),
        ("fmin_of_loads", "fmin r8, r4, r5"), ("fmax_of_loads", "fmax r8, r4, r5"),
        ("times_one", "mov_imm r7, 0x3F800000\n    fmul r8, r4, r7"),
        ("times_minus_one", "mov_imm r7, 0xBF800000\n    fmul r8, r4, r7"),
        ("plus_zero", "mov_imm r7, 0\n    fadd r8, r4, r7"),
        ("zero_minus", "mov_imm r7, 0\n    fsub r8, r7, r4"),
        ("minus_itself", "fsub r8, r4, r4"),
        ("times_zero", "mov_imm r7, 0\n    fmul r8, r4, r7"),
        ("plus_minus", "fadd r7, r4, r5\n    fsub r8, r7, r5"),
        ("product_of_constants", "mov_imm r7, 0x3F8CCCCD\n    fmul r16, r4, r7\n    fmul r8, r16, r7"),
        ("divided_by_two", "mov_imm r7, 0x40000000\n    fdiv r8, r4, r7"),
        ("divided_by_three", "mov_imm r7, 0x40400000\n    fdiv r8, r4, r7"),
    ]
    for name in ("dadd", "dmul", "ddiv"):
        made.append((name + "_to_f32", PAIRS + "    %s r10, r10, r12\n    cvt_f32_f64 r8, r10" % name))
        made.append((name + "_of_f32_to_f32", "cvt_f64_f32 r10, r4\n    cvt_f64_f32 r12, r5\n    %s r10, r10, r12\n"
                                              "    cvt_f32_f64 r8, r10" % name))
    made += [
        ("dma_of_f32_to_f32", "cvt_f64_f32 r10, r4\n    cvt_f64_f32 r12, r5\n    cvt_f64_f32 r14, r6\n"
                              "    dma r10, r10, r12, r14\n    cvt_f32_f64 r8, r10"),
        ("dmul_dadd_to_f32", PAIRS + "    dmul r10, r10, r12\n    dadd r10, r10, r14\n    cvt_f32_f64 r8, r10"),
        ("f64_to_f16", PAIRS + "    cvt_f32_f64 r7, r10\n    cvt_f16_f32 r8, r7"),
        ("dmul_to_f16", PAIRS + "    dmul r10, r10, r12\n    cvt_f32_f64 r7, r10\n    cvt_f16_f32 r8, r7"),
        ("f16_to_f64", "cvt_f32_f16 r7, r4\n    cvt_f64_f32 r10, r7\n    mov r8, r11\n    mov r9, r10"),
        ("fmul_to_f64", "fmul r7, r4, r5\n    cvt_f64_f32 r10, r7\n    mov r8, r11\n    mov r9, r10"),
    ]
    return made


def source(name, code):
    store = "    device_store_u32 r1, r8\n"
    if "r9" in code:
        store += "    iadd r1, r1, r3\n    device_store_u32 r1, r9\n"
    return f".kernel {name}\n.registers 32\n{PRELUDE}    {code.strip()}\n{store}    halt\n.end\n"


def all_sources():
    return "".join(source(name, code) for name, code in shapes())
