"""Programs for the optional features of ISA.md 2.9: 64-bit atomics, wave_ballot64, cache hints. Expected values come from
Python's integers and from sets of lanes. Called by generate.py."""
import textform
from rules import finish, head
from tables import Random, cross
from tables_wide import MASK64, s64

WIDTHS = (4, 8, 16, 32, 64)
NO_METAL = ";@ targets -msl\n"
GROUP = 64

# -- 64-bit atomics: one lane, one word ---------------------------------------------------------

EDGES = [0, 1, 0xFFFFFFFF, 0x100000000, (1 << 63) - 1, 1 << 63, 0xDEADBEEFCAFEBABE, MASK64]


def least(a, b):
    return a if s64(a) < s64(b) else b


def most(a, b):
    return a if s64(a) > s64(b) else b


# name, the new memory from (old, value[, desired]), the rule; None: no such part
OPS = [
    ("add", lambda a, b: a + b, "Carries into the upper word and wraps modulo 2^64."),
    ("sub", lambda a, b: a - b, "Borrows from the upper word and wraps modulo 2^64."),
    ("min", min, "Unsigned, over all 64 bits."),
    ("max", max, "Unsigned, over all 64 bits."),
    ("and", lambda a, b: a & b, "All 64 bits."),
    ("or", lambda a, b: a | b, "All 64 bits."),
    ("xor", lambda a, b: a ^ b, "All 64 bits."),
    ("exchange", lambda a, b: b, "Memory takes the value."),
    ("cas", lambda a, b, c: c if a == b else a,
     "Both halves must be as expected; the old value is the result in any case."),
    ("imin", least, "Signed, over all 64 bits."),
    ("imax", most, "Signed, over all 64 bits."),
    ("load", lambda a: a, "Memory stays as it is."),
    ("store", lambda a, b: b, "Memory takes the value; there is no result."),
]


def rows_of(op):
    r = Random(2900)
    rows = cross(EDGES, EDGES) + [(r.word(64), r.word(64)) for _ in range(24)]
    if op == "load":
        return [(a, ) for a, _ in rows]
    if op != "cas":
        return rows
    # the expected value; others that differ in the lower half, in the upper half, in both
    return [(a, e, b) for a, b in rows for e in (a, a ^ 1 << 7, a ^ 1 << 40, b)][::3]


def edge_program(op, fn, rule):
    rows = rows_of(op)
    n, name = len(rows), f"atomic64_{op}_edges"
    after = [fn(*row) & MASK64 for row in rows]
    columns = ["word", "value", "desired"][:len(rows[0])]
    text = [
        f";@ test    atomic64_{op} and local_atomic64_{op} over edge values", f"; {rule}",
        "; The lists are written by generate.py.", ";@ widths  4 8 16 32 64", NO_METAL.strip(),
        f";@ grid    {(n + GROUP - 1) // GROUP}", f";@ group   {GROUP}", ";@ check   uninit"
    ]
    for k, column in enumerate(columns):
        text += textform.listing(f"buffer  {column} u64 {n}{'' if k else ' at 256'} =",
                                 [row[k] for row in rows], "u64")
    results = ["local_word"] + (["old", "local_old"] if op != "store" else [])
    text += [f";@ buffer  {b} u64 {n}" for b in results]
    text.append(f";@ args    {' '.join(columns + results)} {n}")
    for b in ("word", "local_word"):
        text += textform.listing(f"expect  {b} =", after, "u64")
    for b in results[1:]:
        text += textform.listing(f"expect  {b} =", [row[0] for row in rows], "u64")
    code = [
        f".kernel {name}", ".registers 48", "    mov_sr r16, sr_workgroup_id_x",
        "    mov_sr r17, sr_workgroup_size_x", "    mov_sr r18, sr_thread_id_x",
        "    imad r16, r16, r17, r18          ; row of this thread",
        f"    icmp_ge p1, r16, r{len(columns + results)}", "    @p1 halt", "    mov_imm r19, 8",
        "    imul r20, r18, r19               ; its local word"
    ]
    code += [f"    imad r{24 + k}, r16, r19, r{k}" for k in range(len(columns + results))]
    code += [f"    device_load_u64 r{32 + 2 * k}, r{24 + k}" for k in range(1, len(columns))]
    code += ["    device_load_u64 r40, r24", "    local_store_u64 r20, r40"]
    operands = "".join(f", r{32 + 2 * k}" for k in range(1, len(columns)))
    old = "" if op == "store" else "r42, "
    code += [f"    atomic64_{op} {old}r24{operands}, .device"]
    if op != "store":
        code += [f"    device_store_u64 r{24 + len(columns) + 1}, r42"]
    code += [f"    local_atomic64_{op} {old}r20{operands}"]
    if op != "store":
        code += [f"    device_store_u64 r{24 + len(columns) + 2}, r42"]
    code += [
        "    local_load_u64 r42, r20", f"    device_store_u64 r{24 + len(columns)}, r42",
        "    halt", ".end"
    ]
    return f"memory/atomic64/{name}.wave", "\n".join(text + code) + "\n"


# -- 64-bit atomics: many lanes, one word -------------------------------------------------------

SHARED = ["add", "sub", "min", "max", "and", "or", "xor", "imin", "imax"]
FACTOR, START = 0x9E3779B97F4A7C15, 0x7FFFFFFF00000001


def value_of(thread, op):
    value = thread * FACTOR & MASK64
    return value | 0x0F0F0F0F0F0F0F0F if op == "and" else value


def shared_program(local):
    """Every lane changes each of nine words; the results do not depend on the order."""
    groups = 4
    fns = {op: fn for op, fn, _ in OPS}
    words = [[START] * len(SHARED) for _ in range(groups if local else 1)]
    for group in range(groups):
        mine = words[group if local else 0]
        for t in range(group * GROUP, (group + 1) * GROUP):
            for k, op in enumerate(SHARED):
                mine[k] = fns[op](mine[k], value_of(t, op)) & MASK64
    expected = [w for part in words for w in part]
    name = f"atomic64_{'local' if local else 'device'}_words_of_all_lanes"
    text = [
        f";@ test    64-bit {'local' if local else 'device'} atomics of every lane on the same words",
        "; The operations commute; the value of a thread is its number times an odd constant.",
        ";@ widths  4 8 16 32 64", NO_METAL.strip(), f";@ grid    {groups}", f";@ group   {GROUP}",
        ";@ check   uninit", f";@ buffer  out u64 {len(expected)} at 256 = fill 0x{START:X}",
        ";@ args    out"
    ] + textform.listing("expect  out =", expected, "u64")
    code = [
        f".kernel {name}", ".registers 48", "    mov_sr r1, sr_thread_id_x",
        "    mov_sr r2, sr_workgroup_id_x", f"    mov_imm r3, {GROUP}",
        "    imad r4, r2, r3, r1              ; thread of the grid", "    mov_imm r5, 0",
        f"    mov_imm r6, 0x{FACTOR & 0xFFFFFFFF:X}", f"    mov_imm r7, 0x{FACTOR >> 32:X}",
        "    lmul r8, r4, r6                  ; its value", "    mov_imm r10, 0x0F0F0F0F",
        "    or r12, r8, r10", "    or r13, r9, r10                  ; for `and`"
    ]
    if local:
        code += [
            f"    mov_imm r14, {8 * len(SHARED)}", "    mov_imm r15, 3", "    shl r16, r1, r15", "    ucmp_lt p1, r16, r14",
            f"    mov_imm r20, 0x{START & 0xFFFFFFFF:X}", f"    mov_imm r21, 0x{START >> 32:X}",
            "    @p1 local_store_u64 r16, r20", "    barrier"
        ]
    for k, op in enumerate(SHARED):
        value = "r12" if op == "and" else "r8"
        code.append(f"    mov_imm r30, {8 * k}")
        if local:
            code.append(f"    local_atomic64_{op} r30, {value}")
        else:
            code += ["    iadd r30, r30, r0", f"    atomic64_{op} r30, {value}, .device"]
    if local:
        code += [
            "    barrier", "    imad r22, r2, r14, r16", "    iadd r22, r22, r0",
            "    if p1", "    local_load_u64 r24, r16", "    device_store_u64 r22, r24",
            "    endif"
        ]
    return f"memory/atomic64/{name}.wave", "\n".join(text + code + ["    halt", ".end"]) + "\n"


def ticket_program(local):
    """Old values are tickets: each number is drawn once, also when the lower word overflows."""
    where = "local" if local else "device"
    grid = 1 if local else 4
    n, start = grid * GROUP, 0xFFFFFFF0
    name = f"atomic64_{where}_tickets"
    text = f""";@ test    each lane draws a different ticket from a 64-bit {where} counter
; The counter starts 16 below 2^32: the old values run on in the upper word.
;@ widths  4 8 16 32 64
{NO_METAL};@ grid    {grid}
;@ group   {GROUP}
;@ check   uninit
;@ buffer  counter u64 1 at 256 = fill 0x{start:X}
;@ buffer  out u32 {n} = fill 0
;@ args    counter out
;@ expect  counter = 0x{start + n:X}
;@ expect  out = fill 1
.kernel {name}
.registers 32
    mov_imm r4, 1
    mov_imm r5, 0
    mov_imm r6, 0x{start:X}
    mov_imm r7, 0
    mov_imm r8, 2
"""
    if local:
        text += """    mov_sr r1, sr_thread_id_x
    mov_imm r12, 0
    icmp_eq p1, r1, r12
    @p1 local_store_u64 r12, r6
    mov r9, r0
    mov_imm r10, 256
    iadd r10, r10, r0                ; out
    barrier
    local_atomic64_add r14, r12, r4
"""
    else:
        text += "    mov r10, r1\n    atomic64_add r14, r0, r4, .device\n"
    text += """    lsub r14, r14, r6                ; the ticket's number
    lshl r14, r14, r8
    iadd r15, r15, r14               ; the upper word is 0
    iadd r10, r10, r15
    device_store_u32 r10, r4
"""
    if local:
        text += "    barrier\n    @p1 local_load_u64 r14, r12\n    @p1 device_store_u64 r9, r14\n"
    return f"memory/atomic64/{name}.wave", text + "    halt\n.end\n"


def cas_loop(local):
    """Each lane adds its own number by compare-and-swap, again until it succeeds."""
    where, n = ("local", GROUP) if local else ("device", 4 * GROUP)
    total = sum(t * 0x100000003 for t in range(n)) & MASK64
    name = f"atomic64_{where}_cas_loop"
    scope = "" if local else ", .device"
    prefix = "local_" if local else ""
    text = f""";@ test    a sum by 64-bit compare-and-swap in {where} memory
; Thread t adds t * (2^32 + 3): both halves of the word change.
;@ widths  4 8 16 32 64
{NO_METAL};@ grid    {1 if local else 4}
;@ group   {GROUP}
;@ check   uninit
;@ buffer  out u64 1 at 256 = fill 0
;@ args    out
;@ expect  out = 0x{total:X}
.kernel {name}
.registers 32
    mov_sr r1, sr_thread_id_x
    mov_sr r2, sr_workgroup_id_x
    mov_imm r3, {GROUP}
    imad r4, r2, r3, r1
    mov_imm r5, 0
    mov_imm r6, 3
    mov_imm r7, 1
    lmul r8, r4, r6                  ; what this thread adds
    mov_imm r20, 0
    mov_imm r21, 0
"""
    if local:
        text += "    mov_imm r22, 8\n    mov_imm r24, 0\n    icmp_eq p1, r1, r24\n"
        text += "    @p1 local_store_u64 r22, r20\n    barrier\n"
    else:
        text += "    mov r22, r0\n"
    text += f"""    {prefix}atomic64_load r10, r22{scope}
    loop
        ladd r12, r10, r8
        {prefix}atomic64_cas r14, r22, r10, r12{scope}
        lcmp_eq p2, r14, r10
        break p2
        mov r10, r14
        mov r11, r15
    endloop
"""
    if local:
        text += "    barrier\n    @p1 local_load_u64 r14, r22\n    @p1 device_store_u64 r0, r14\n"
    return f"memory/atomic64/{name}.wave", text + "    halt\n.end\n"


def guard_program():
    """As guard_every_atomic of rules.py, with pairs."""
    operand = {"max": "r14", "or": "r14", "imax": "r14", "cas": "r16, r10"}
    body = """    mov_imm r10, 0x00000001
    mov_imm r11, 0x3f000001
    mov_imm r14, 0x00000000
    mov_imm r15, 0x40000000
    mov_imm r16, 0x00000000
    mov_imm r17, 0x3f800000
    mov_imm r12, 3
    shl r12, r1, r12
    mov_imm r13, 8192
    iadd r13, r13, r12
    mov r7, r6                       ; r6 and r7: the mark
"""
    count = 0
    for op, _, _ in OPS:
        value = "" if op == "load" else ", " + operand.get(op, "r10")
        for prefix, at, tail, space in (("", "r13", ", .device", "device"),
                                        ("local_", "r12", "", "local")):
            old = "" if op == "store" else "r20, "
            body += f"    {space}_store_u64 {at}, r16  mov r20, r6  mov r21, r6\n"
            body += f"    @p1 {prefix}atomic64_{op} {old}{at}{value}{tail}\n"
            body += f"    {space}_load_u64 r22, {at}\n"
            if op != "store":
                body += "    lcmp_ne p2, r20, r6  @p2 iadd r4, r4, r3\n"
                count += 1
            if op != "load":
                body += "    lcmp_ne p2, r22, r16  @p2 iadd r4, r4, r3\n"
                count += 1
    name = "guard_every_atomic64"
    text = head("a guard shields other lanes from every 64-bit atomic, local and device",
                "Memory and destination change in odd threads only.", f"expr i%2==1?{count}:0",
                ("memory 16384", "targets -msl"), out="out u32 64 at 256 = fill 99")
    return f"memory/atomic64/{name}.wave", text + finish(body, name)


def overlap_program():
    """The destination over the address, over the value, half over either; the sources are read first."""
    old, value, desired = 0x1122334455667788, 0x0102030405060708, 0x99AABBCCDDEEFF00
    # destination, address, value, desired value
    shapes = [(10, 10, 14, 18), (10, 11, 14, 18), (14, 10, 14, 18), (13, 10, 14, 18),
              (15, 10, 14, 18), (18, 10, 14, 18), (17, 10, 14, 18), (10, 10, 14, 14),
              (11, 12, 14, 16)]
    lines, expected = [], []
    for rd, at, v, d in shapes:
        for op, fn in (("add", lambda a, b, c: a + b), ("cas", lambda a, b, c: c if a == b else a),
                       ("cas", None)):
            hit = op == "cas" and fn is None
            start = value if hit else old
            want = value if v == d else desired
            lines += ["    mov r%d, r2" % at, f"    mov_imm r{v}, 0x{value & 0xFFFFFFFF:X}"]
            lines += [f"    mov_imm r{v + 1}, 0x{value >> 32:X}"]
            if d != v:
                lines += [f"    mov_imm r{d}, 0x{desired & 0xFFFFFFFF:X}"]
                lines += [f"    mov_imm r{d + 1}, 0x{desired >> 32:X}"]
            lines += [f"    mov_imm r24, 0x{start & 0xFFFFFFFF:X}"]
            lines += [f"    mov_imm r25, 0x{start >> 32:X}", "    device_store_u64 r2, r24"]
            operands = f"r{v}, r{d}" if op == "cas" else f"r{v}"
            lines += [f"    atomic64_{op} r{rd}, r{at}, {operands}, .device"]
            lines += [f"    mov r26, r{rd}", f"    mov r27, r{rd + 1}"]
            lines += ["    device_load_u64 r24, r2", "    device_store_u64 r3, r26"]
            lines += ["    iadd r3, r3, r5", "    device_store_u64 r3, r24", "    iadd r3, r3, r5"]
            after = want if hit else fn(start, value, want) & MASK64
            expected += [start, after]
    n = len(expected)
    name = "atomic64_result_over_operands"
    text = [
        ";@ test    the result of a 64-bit atomic over its own operands",
        "; All sources are read first; the old value comes last, in both registers.",
        ";@ widths  4 8 16 32 64", NO_METAL.strip(), ";@ group   16", ";@ check   uninit",
        ";@ buffer  word u64 16 at 256", f";@ buffer  out u64 {n * 16}", ";@ args    word out"
    ]
    for t in range(16):
        text += textform.listing(f"expect  out[{t * n}..{(t + 1) * n}] =", expected, "u64")
    code = [
        f".kernel {name}", ".registers 32", "    mov_sr r4, sr_thread_id_x", "    mov_imm r5, 8",
        "    imad r2, r4, r5, r0", f"    mov_imm r6, {8 * n}", "    imad r3, r4, r6, r1"
    ]
    return f"memory/atomic64/{name}.wave", "\n".join(text + code + lines + ["    halt", ".end"]) + "\n"


def scope_program():
    spellings = [".wave", ".workgroup", ".device", ".system", "device", "system"]
    body = "".join(f"    atomic64_add r2, r10, {s}\n" for s in spellings)
    body += "".join(f"    atomic64_add{s} r2, r10\n" for s in spellings[:4])
    body += "    atomic64_add r0, r2, r10, .device  ; r0: no result\n"
    n = len(spellings) + 5
    name = "atomic64_scopes"
    return f"memory/atomic64/{name}.wave", f""";@ test    64-bit atomics of every scope and spelling; r0 as destination discards
; One lane alone; r0 and r1 keep what they have.
;@ widths  4 8 16 32 64
{NO_METAL};@ warning W_ATOMIC_R0
;@ group   1
;@ buffer  out u64 2 at 256 = fill 0x00000005FFFFFFFF
;@ args    out 77
;@ expect  out = 0x{0x5FFFFFFFF + n * 0x100000001:X} 0x0000004D00000100
.kernel {name}
.registers 32
    mov r2, r0
    mov_imm r10, 1
    mov_imm r11, 1
{body}    mov_imm r3, 8
    iadd r3, r3, r2
    device_store_u64 r3, r0
    halt
.end
"""


def error_program(name, title, code, address, space, bounded=False):
    prefix, tail = ("local_", "") if space == "local" else ("", ", .device")
    lines = f";@ test    {title}\n;@ widths  32\n"
    lines += f";@ error   {code}\n" if code else ""
    lines += ";@ bounded\n;@ targets -msl\n" if bounded else ";@ targets -msl\n" if not code else ";@ targets emu\n"
    text = f"""{lines};@ group   1
;@ memory  1024
;@ buffer  out u64 2 at 256 = fill 7
;@ args    out
"""
    if bounded:
        text += ";@ expect  out = 0 7\n"
    elif not code:
        text += f";@ expect  out = {7 if address == 256 else 0} 7\n"
    folder = "alignment" if "misaligned" in name else "bounds"
    return f"errors/{folder}/{name}.wave", text + f""".kernel {name}
.registers 32
.local_memory 64
    mov_imm r2, {address}
    mov_imm r4, 1
    mov_imm r5, 1
    {prefix}atomic64_add r6, r2, r4{tail}
    device_store_u64 r0, r6
    halt
.end
"""


# -- wave_ballot64 ------------------------------------------------------------------------------

BALLOT = """    mov_sr r1, sr_thread_id_x
    mov_imm r2, 3
    shl r2, r1, r2
    iadd r2, r0, r2                  ; address of out[thread]
    mov_sr r3, sr_lane_id
    mov_imm r5, 1
    mov_imm r6, 0
    mov_imm r8, 0x55555555           ; what the pair r8 holds before
    mov_imm r9, 0x66666666
    mov_imm r7, 3
    imod r10, r3, r7
    icmp_eq p1, r10, r6              ; lane % 3 = 0
    and r11, r3, r5
    icmp_eq p2, r11, r5              ; odd lanes
"""
BEFORE = 0x6666666655555555


def threes(lane):
    return lane % 3 == 0


def odd(lane):
    return lane % 2 == 1


def ballot_program(name, title, why, body, result, threads=lambda width: 2 * width, group="2*W"):
    """result(lane, lanes): the result of a lane in a wave with these lanes."""
    text = f";@ test    {title}\n; {why}\n;@ widths  {' '.join(map(str, WIDTHS))}\n;@ group   {group}\n"
    text += f";@ buffer  out u64 {group} at 256 = fill 9\n;@ args    out\n"
    for width in WIDTHS:
        values = []
        for first in range(0, threads(width), width):
            lanes = range(min(width, threads(width) - first))
            values += [result(lane, lanes) for lane in lanes]
        text += "\n".join(textform.listing(f"expect  out width={width} =", values, "u64")) + "\n"
    return f"wave/ballot/{name}.wave", (f"{text}.kernel {name}\n.registers 32\n{BALLOT}{body}"
                                        "    device_store_u64 r2, r8\n    halt\n.end\n")


def bits(lanes, vote):
    return sum(1 << lane for lane in lanes if vote(lane))


def ballot_programs():
    yield ballot_program("ballot64", "wave_ballot64 gives a bit for each lane of up to 64",
                         "Lanes with lane % 3 = 0; bits from W on are 0.",
                         "    wave_ballot64 r8, p1\n", lambda lane, lanes: bits(lanes, threes))
    yield ballot_program("ballot64_none_and_all", "wave_ballot64 of false, less that of true",
                         "All lanes: 2^W - 1; none: 0.",
                         "    icmp_ne p1, r6, r6\n    icmp_eq p2, r6, r6\n    wave_ballot64 r12, p1\n"
                         "    wave_ballot64 r8, p2\n    lsub r8, r8, r12\n",
                         lambda lane, lanes: bits(lanes, lambda _: True))
    yield ballot_program("ballot64_guarded", "wave_ballot64 under a guard",
                         "Odd lanes take part and get the bits of odd lanes; the others keep their pair.",
                         "    @p2 wave_ballot64 r8, p1\n", lambda lane, lanes: bits(
                             lanes, lambda k: threes(k) and odd(k)) if odd(lane) else BEFORE)
    yield ballot_program("ballot64_in_both_branches", "wave_ballot64 in both sides of a divergent if",
                         "Each side sees its own lanes only.",
                         "    if p2\n        wave_ballot64 r8, p1\n    else\n        wave_ballot64 r8, p1\n    endif\n",
                         lambda lane, lanes: bits(lanes, lambda k: threes(k) and odd(k) == odd(lane)))
    yield ballot_program("ballot64_after_halt", "wave_ballot64 after lanes have halted",
                         "Odd lanes halt before they store; the bits of the others remain.",
                         "    device_store_u64 r2, r8\n    @p2 halt\n    wave_ballot64 r8, p1\n",
                         lambda lane, lanes: BEFORE if odd(lane) else bits(
                             lanes, lambda k: threes(k) and not odd(k)))
    yield ballot_program("ballot64_in_loop_with_divergent_break", "wave_ballot64 in a loop that lanes leave one by one",
                         "Lane k leaves in round k: it sees the lanes from k on.",
                         "    mov_imm r12, 0\n    icmp_eq p3, r6, r6\n    loop\n        wave_ballot64 r8, p3\n"
                         "        icmp_eq p1, r12, r3\n        break p1\n        iadd r12, r12, r5\n    endloop\n",
                         lambda lane, lanes: bits(lanes, lambda k: k >= lane))
    yield ballot_program("ballot64_counted", "how many lanes vote, by the bits of both words",
                         "bitcount of the two registers; the count is in the lower word of the result.",
                         "    wave_ballot64 r8, p1\n    bitcount r8, r8\n    bitcount r9, r9\n    iadd r8, r8, r9\n"
                         "    mov_imm r9, 0\n", lambda lane, lanes: len([k for k in lanes if threes(k)]))
    yield ballot_program("ballot64_odd_pair", "wave_ballot64 into a pair that starts at an odd register",
                         "r13 and r14, copied to where the test looks.",
                         "    wave_ballot64 r13, p1\n    mov r8, r13\n    mov r9, r14\n",
                         lambda lane, lanes: bits(lanes, threes))
    yield ballot_program("ballot64_partial", "wave_ballot64 of a wave that is not full",
                         "The last wave has three lanes; those that do not exist have no bits.",
                         "    icmp_eq p1, r6, r6\n    wave_ballot64 r8, p1\n",
                         lambda lane, lanes: bits(lanes, lambda _: True),
                         lambda width: 2 * width + 3, "2*W+3")


# -- Cache hints --------------------------------------------------------------------------------

def hint_program(hint):
    """Loads and stores of every width with a hint: the same bytes as without."""
    name, body, expected = f"cache_hint_{hint}", "", bytearray()
    sizes = (("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8), ("u128", 16))
    for t in range(GROUP):
        mine = bytes((t * 32 + k) * 37 % 251 for k in range(32))
        out = bytearray(64)
        for _, size in sizes:
            out[2 * size:3 * size] = mine[size:2 * size]
        expected += out
    for kind, size in sizes:
        body += f"    mov_imm r4, {size}\n    iadd r5, r2, r4\n    device_load_{kind}.{hint} r8, r5\n"
        body += f"    iadd r5, r4, r4\n    iadd r5, r5, r3\n    device_store_{kind}.{hint} r5, r8\n"
    data = bytes(k * 37 % 251 for k in range(GROUP * 32))
    text = [
        f";@ test    device loads and stores of every width with .{hint}",
        "; A hint changes no result.", ";@ widths  4 8 16 32 64", f";@ group   {GROUP}"
    ]
    text += textform.listing(f"buffer  in u8 {GROUP * 32} at 256 =", list(data), "u8")
    text += [f";@ buffer  out u8 {GROUP * 64} = fill 0", ";@ args    in out", ";@ unchanged in"]
    text += textform.listing("expect  out =", list(expected), "u8")
    code = [
        f".kernel {name}", ".registers 32", "    mov_sr r6, sr_thread_id_x", "    mov_imm r7, 32",
        "    imad r2, r6, r7, r0", "    mov_imm r7, 64", "    imad r3, r6, r7, r1"
    ]
    return f"memory/device/{name}.wave", "\n".join(text + code) + "\n" + body + "    halt\n.end\n"


def add_programs(out):
    for op, fn, rule in OPS:
        out.__setitem__(*edge_program(op, fn, rule))
    for local in (False, True):
        out.__setitem__(*shared_program(local))
        out.__setitem__(*ticket_program(local))
        out.__setitem__(*cas_loop(local))
    for make in (guard_program, overlap_program, scope_program):
        out.__setitem__(*make())
    for path, text in ballot_programs():
        out[path] = text
    for hint in ("uncached", "streaming"):
        out.__setitem__(*hint_program(hint))
    out.__setitem__(*error_program("atomic64_misaligned", "a 64-bit atomic aligned to 4 bytes only",
                                   "E_MISALIGNED", 260, "device"))
    out.__setitem__(*error_program("atomic64_misaligned_clean", "a 64-bit atomic aligned to 8 bytes", None, 256,
                                   "device"))
    out.__setitem__(*error_program("atomic64_past_the_end_clean", "a 64-bit atomic on the last eight bytes of memory",
                                   None, 1016, "device"))
    out.__setitem__(*error_program("local_atomic64_misaligned",
                                   "a local 64-bit atomic aligned to 4 bytes only", "E_MISALIGNED", 12, "local"))
    out.__setitem__(*error_program("atomic64_past_the_end", "a 64-bit atomic past the end of memory",
                                   "E_OUT_OF_BOUNDS", 1024, "device", bounded=True))
    out.__setitem__(*error_program("local_atomic64_past_the_end",
                                   "a local 64-bit atomic past the end of local memory",
                                   "E_OUT_OF_BOUNDS", 64, "local", bounded=True))
