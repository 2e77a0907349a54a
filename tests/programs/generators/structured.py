"""Programs with generated control flow: deep nesting, and random structured code.

Random programs are trees of statements. `Wave.run` executes such a tree for one wave by
recursion over sets of lanes, written straight from the execution model of the ISA and without a
frame stack; it gives the expected memory. Called by generate.py; the table programs are in
tables.py.
"""
from exact import MASK32, s32
from tables import Random
import textform

THREADS = 64
WIDTHS = (4, 8, 16, 32, 64)

PROLOGUE = """    mov_sr r1, sr_thread_id_x
    mov_imm r2, 2
    shl r2, r1, r2
    iadd r2, r0, r2                  ; address of out[thread]
    mov_imm r3, 1
    mov_imm r4, 0
    mov_imm r5, 0
"""


def header(title, why, flags=()):
    lines = [f";@ test    {title}", f"; {why}", ";@ widths  4 8 16 32 64", f";@ group   {THREADS}"]
    lines += [f";@ {f}" for f in flags]
    return "\n".join(lines + [f";@ buffer  out u32 {THREADS} at 256", ";@ args    out"]) + "\n"


def program(name, title, why, expect, body, registers=16, flags=()):
    return (header(title, why, flags) + expect + f".kernel {name}\n.registers {registers}\n" +
            PROLOGUE + body + "    device_store_u32 r2, r4\n    halt\n.end\n")


# -- nesting -----------------------------------------------------------------------------------


def nest_programs(out):

    def deep_if(depth, scale):
        body = f"    mov_imm r6, {scale}\n    imul r6, r1, r6\n"
        body += "    icmp_gt p1, r6, r5  if p1  iadd r4, r4, r3  iadd r5, r5, r3\n" * depth
        return body + "    endif\n" * depth

    why = "Level d is entered where {0}*thread exceeds d, so {1} levels count min({0}*thread, {1})."
    for depth, scale, flags in ((32, 1, ()), (256, 5, ("warning W_DEPTH", ))):
        out[f"control/nesting/nest_if_{depth}.wave"] = program(
            f"nest_if_{depth}", f"{depth} nested divergent ifs", why.format(scale, depth),
            f";@ expect  out = expr min({scale}*i,{depth})\n", deep_if(depth, scale), flags=flags)

    steps = 1100
    body = "    iadd r6, r1, r3\n" + "    shl r7, r4, r3  xor r4, r4, r7  iadd r4, r4, r6\n" * steps
    values = [0] * THREADS
    for _ in range(steps):
        values = [(x ^ x << 1) + thread + 1 & 0xFFFFFFFF for thread, x in enumerate(values)]
    rows = [" ".join(f"{x:#x}" for x in values[k:k + 8]) for k in range(0, THREADS, 8)]
    out["control/nesting/long_block.wave"] = program(
        "long_block", "a block too long for most compilers",
        f"{steps} times x = (x ^ x << 1) + thread + 1, from 0 on.",
        ";@ expect  out = " + "\n;@ + ".join(rows) + "\n", body)

    body = "    mov_imm r6, 100\n"
    body += "    icmp_eq p1, r1, r5  if p1  iadd r4, r6, r5\n    else\n    iadd r5, r5, r3\n" * 32
    body += "    mov_imm r4, 7\n" + "    endif\n" * 32
    out["control/nesting/nest_if_else_32.wave"] = program(
        "nest_if_else_32", "32 nested else branches",
        "Thread d < 32 leaves at level d with 100+d; the rest reach the bottom.",
        ";@ expect  out = expr i<32?100+i:7\n", body)

    body = ""
    for d in range(32):
        body += f"    mov_imm r{8 + d}, 0\n    loop\n"
    body += "    iadd r4, r4, r3\n"
    for d in reversed(range(32)):
        body += f"    mov_imm r6, {d}\n    shr r6, r1, r6\n    and r6, r6, r3\n" if d < 6 else \
            "    mov_imm r6, 0\n"
        body += f"    icmp_ge p1, r{8 + d}, r6\n    iadd r{8 + d}, r{8 + d}, r3\n    break p1\n  "
        body += "  endloop\n"
    # A loop that runs again restarts its inner counters: each level resets its own counter at the
    # top.
    out["control/nesting/nest_loop_32.wave"] = program(
        "nest_loop_32", "32 nested loops, six of them with divergent trip counts",
        "Level d < 6 runs 1 + bit d of the thread number times: 2^popcount innermost bodies.",
        ";@ expect  out = expr 1<<popcount(i)\n", body, registers=48)

    for depth, flags in ((32, ()), (256, ("warning W_DEPTH", ))):
        body = "    icmp_eq p2, r3, r3\n"
        for _ in range(depth // 2):
            body += "    icmp_ge p1, r1, r5  if p1\n    loop\n    iadd r4, r4, r3  "
            body += "iadd r5, r5, r3\n"
        body += "    break p2\n    endloop\n    endif\n" * (depth // 2)
        out[f"control/nesting/nest_mixed_{depth}.wave"] = program(
            f"nest_mixed_{depth}", f"{depth} levels of alternating if and loop",
            f"Threads >= d enter level d; each loop runs once: min(thread+1, {depth // 2}).",
            f";@ expect  out = expr min(i+1,{depth // 2})\n", body, flags=flags)


def depth_through_calls(out):
    """Frames of the caller and of the called function count together against the limit of 256."""
    for inner, name, title, extra in (
        (50, "control_depth_through_call_clean",
         "250 open ifs, 50 of them in a called function, are allowed",
         ";@ expect  out = fill 250\n"),
        (60, "control_depth_through_call",
         "260 open ifs, 60 of them in a called function, are too many",
         ";@ error   E_CONTROL_DEPTH\n;@ expect  out = fill 0\n")):
        text = header(title, "The function is within the limit on its own.",
                      ("targets emu", "warning W_DEPTH")) + extra
        text += f".kernel {name}\n.registers 16\n{PROLOGUE}    icmp_eq p1, r3, r3\n"
        text += "    if p1  iadd r4, r4, r3\n" * 200 + "    call deeper\n" + "    endif\n" * 200
        text += "    device_store_u32 r2, r4\n    halt\ndeeper:\n"
        text += "    if p1  iadd r4, r4, r3\n" * inner + "    endif\n" * inner
        text += "    return\n.end\n"
        out[f"errors/limits/{name}.wave"] = text


# -- random structured code --------------------------------------------------------------------

DATA = range(4, 10)  # r4..r9 hold data, r16.. the loop counters, p3 the loop limits
ALU = {
    "iadd": lambda a, b: a + b & MASK32,
    "isub": lambda a, b: a - b & MASK32,
    "xor": lambda a, b: a ^ b,
    "imul": lambda a, b: a * b & MASK32,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "imax": lambda a, b: a if s32(a) > s32(b) else b,
    "imin": lambda a, b: a if s32(a) < s32(b) else b,
}
TEST = {
    "icmp_lt": lambda a, b: s32(a) < s32(b),
    "ucmp_lt": lambda a, b: a < b,
    "icmp_ge": lambda a, b: s32(a) >= s32(b),
    "icmp_eq": lambda a, b: a == b,
    "icmp_ne": lambda a, b: a != b,
    "ucmp_le": lambda a, b: a <= b,
}
WAVE_OPS = ("wave_reduce_add", "wave_reduce_min", "wave_reduce_max", "wave_prefix_sum",
            "wave_ballot", "wave_any", "wave_all")


class Maker:
    """Generates a random statement tree; `calls` and `wave` enable those features."""

    def __init__(self, seed, wave=False, calls=False):
        self.r = Random(seed)
        self.wave, self.calls = wave, calls
        self.counters = 0  # loop counters live in r16 and up
        self.functions = []

    def pick(self, values):
        return list(values)[self.r.word() % len(list(values))]

    def guard(self):
        return self.pick([None] * 5 + [(1, 0), (2, 0), (1, 1), (2, 1), (0, 1)])

    def simple(self):
        k = self.r.word() % 10
        if self.wave and k < 3:
            op = self.pick(WAVE_OPS)
            src = self.pick(range(3)) if op in ("wave_ballot", "wave_any",
                                                "wave_all") else self.pick(DATA)
            dst = self.pick(range(3)) if op in ("wave_any", "wave_all") else self.pick(DATA)
            return ("wave", self.guard(), op, dst, src)
        if k < 6:
            return ("alu", self.guard(), self.pick(ALU), self.pick(DATA), self.pick(DATA),
                    self.pick(DATA))
        if k < 7:
            return ("imm", self.guard(), self.pick(DATA), self.r.word(7))
        return ("cmp", self.guard(), self.pick(TEST), self.pick(range(3)), self.pick(DATA),
                self.pick(DATA))

    def block(self, depth, loops, function):
        body = []
        for _ in range(2 + self.r.word() % 3):
            body.append(self.simple())
            k = self.r.word() % 12
            if depth and k < 3:
                other = self.block(depth - 1, loops, function) if self.r.word(1) else None
                body += [
                    self.test(),
                    ("if", self.pick(range(3)), self.block(depth - 1, loops, function), other)
                ]
            elif depth and k < 5 and loops < 2:
                self.counters += 1
                counter = 15 + self.counters
                body.append(("loop", counter, 2 + self.r.word() % 4,
                             self.block(depth - 1, loops + 1, function)))
            elif loops and k < 7:
                body += [
                    self.test(),
                    (self.pick(["break", "continue"]), self.guard(), self.pick(range(3)))
                ]
            elif function and k < 8:
                body.append(("return", self.pick([(1, 0), (2, 1), (0, 1)])))
            elif k < 9 and depth < 2:
                body.append(("halt", self.pick([(1, 0), (2, 0), (0, 1)])))
            elif self.calls and not function and k < 11:
                body.append(("call", self.function()))
        return body

    def test(self):
        return ("cmp", None, self.pick(TEST), self.pick(range(3)), self.pick(DATA), self.pick(DATA))

    def function(self):
        if len(self.functions) < 2:
            self.functions.append(self.block(2, 0, True))
            return len(self.functions) - 1
        return self.pick(range(2))


def guard_text(g):
    return "" if g is None else f"@{'!' if g[1] else ''}p{g[0]} "


STORE_HASH = [
    "mov_imm r14, 31", "imad r15, r4, r14, r5", "imad r15, r15, r14, r6", "imad r15, r15, r14, r7",
    "imad r15, r15, r14, r8", "imad r15, r15, r14, r9", "device_store_u32 r2, r15"
]


def emit(block, indent=1):
    pad, lines = "    " * indent, []
    for st in block:
        kind = st[0]
        if kind == "alu":
            lines.append(f"{pad}{guard_text(st[1])}{st[2]} r{st[3]}, r{st[4]}, r{st[5]}")
        elif kind == "imm":
            lines.append(f"{pad}{guard_text(st[1])}mov_imm r{st[2]}, {st[3]}")
        elif kind == "cmp":
            lines.append(f"{pad}{guard_text(st[1])}{st[2]} p{st[3]}, r{st[4]}, r{st[5]}")
        elif kind == "wave":
            d = "p" if st[2] in ("wave_any", "wave_all") else "r"
            s = "p" if st[2] in ("wave_ballot", "wave_any", "wave_all") else "r"
            lines.append(f"{pad}{guard_text(st[1])}{st[2]} {d}{st[3]}, {s}{st[4]}")
        elif kind == "if":
            lines += [f"{pad}if p{st[1]}"] + emit(st[2], indent + 1)
            if st[3] is not None:
                lines += [f"{pad}else"] + emit(st[3], indent + 1)
            lines.append(f"{pad}endif")
        elif kind == "loop":
            lines += [
                f"{pad}mov_imm r{st[1]}, 0", f"{pad}loop", f"{pad}    mov_imm r15, {st[2]}",
                f"{pad}    icmp_ge p3, r{st[1]}, r15", f"{pad}    break p3",
                f"{pad}    iadd r{st[1]}, r{st[1]}, r3"
            ]
            lines += emit(st[3], indent + 1) + [f"{pad}endloop"]
        elif kind in ("break", "continue"):
            lines.append(f"{pad}{guard_text(st[1])}{kind} p{st[2]}")
        elif kind == "call":
            lines.append(f"{pad}call f{st[1]}")
        elif kind == "return":
            lines.append(f"{pad}{guard_text(st[1])}return")
        elif kind == "halt":
            lines += [
                f"{pad}{guard_text(st[1])}device_store_u32 r2, r4", f"{pad}{guard_text(st[1])}halt"
            ]
    return lines


class Wave:
    """The threads first..first+width-1, executed by sets of lanes."""

    def __init__(self, first, width, functions, memory):
        self.functions, self.memory, self.first = functions, memory, first
        self.lanes = range(width)
        self.r = [[0] * 48 for _ in self.lanes]
        self.p = [[False] * 4 for _ in self.lanes]
        self.path = [[] for _ in self.lanes]
        for lane in self.lanes:
            t = first + lane
            self.r[lane][4:10] = [t & 7, (t ^ 21) & 15, (t * 77 >> 3) & 15, t & 3, 5, t * t & 31]

    def hash(self, lane):
        h = self.r[lane][4]
        for k in range(5, 10):
            h = h * 31 + self.r[lane][k] & MASK32
        return h

    def holds(self, g, lane):
        return g is None or self.p[lane][g[0]] != bool(g[1])

    def start(self, tree):
        for lane in self.run(tree, set(self.lanes), {}):
            self.memory[self.first + lane] = self.hash(lane)

    def run(self, block, active, sets):
        """Executes the block for the active lanes and returns those that reach its end."""
        for st in block:
            if not active:
                break
            for lane in active:
                self.path[lane].append(id(st))
            active = self.step(st, active, sets)
        return active

    def step(self, st, active, sets):
        kind = st[0]
        if kind == "if":
            taken = {k for k in active if self.p[k][st[1]]}
            rest = active - taken
            done = self.run(st[2], taken, sets)
            return done | (self.run(st[3], rest, sets) if st[3] is not None else rest)
        if kind == "loop":
            return self.loop(st, active, sets)
        if kind == "call":
            inner = {"return": set()}
            return self.run(self.functions[st[1]], active, inner) | inner["return"]
        executing = {k for k in active if self.holds(st[1], k)}
        if kind in ("break", "continue"):
            leaving = {k for k in executing if self.p[k][st[2]]}
            sets[kind] |= leaving
            return active - leaving
        if kind == "return":
            sets["return"] |= executing
            return active - executing
        if kind == "halt":
            for k in executing:
                self.memory[self.first + k] = self.r[k][4]
            return active - executing
        self.plain(st, executing)
        return active

    def loop(self, st, active, sets):
        _, counter, limit, body = st
        for k in active:
            self.r[k][counter] = 0
        inner = dict(sets, **{"break": set()})
        while active:
            inner["continue"] = set()
            for k in active:
                self.p[k][3] = self.r[k][counter] >= limit
            inner["break"] |= {k for k in active if self.p[k][3]}
            active = {k for k in active if not self.p[k][3]}
            for k in active:
                self.r[k][counter] += 1
            active = self.run(body, active, inner) | inner["continue"]
        return inner["break"]

    def plain(self, st, lanes):
        r, p = self.r, self.p
        if st[0] == "alu":
            for k in lanes:
                r[k][st[3]] = ALU[st[2]](r[k][st[4]], r[k][st[5]])
        elif st[0] == "imm":
            for k in lanes:
                r[k][st[2]] = st[3]
        elif st[0] == "cmp":
            for k in lanes:
                p[k][st[3]] = TEST[st[2]](r[k][st[4]], r[k][st[5]])
        elif lanes:
            self.wave_op(st[2], st[3], st[4], sorted(lanes))

    def wave_op(self, op, dst, src, lanes):
        if op in ("wave_any", "wave_all"):
            value = (any if op == "wave_any" else all)(self.p[k][src] for k in lanes)
            for k in lanes:
                self.p[k][dst] = value
            return
        if op == "wave_ballot":
            result = [sum(1 << k for k in lanes if self.p[k][src]) & MASK32] * len(lanes)
        else:
            values = [self.r[k][src] for k in lanes]
            if op == "wave_prefix_sum":
                result = [sum(values[:j]) & MASK32 for j in range(len(lanes))]
            else:
                fold = {"wave_reduce_add": sum, "wave_reduce_min": min, "wave_reduce_max": max}[op]
                result = [fold(values) & MASK32] * len(lanes)
        for k, v in zip(lanes, result):
            self.r[k][dst] = v


INITIAL = """    mov_imm r14, 7
    and r4, r1, r14                  ; t & 7
    mov_imm r5, 21
    xor r5, r1, r5
    mov_imm r14, 15
    and r5, r5, r14                  ; (t ^ 21) & 15
    mov_imm r6, 77
    imul r6, r1, r6
    mov_imm r7, 3
    shr r6, r6, r7
    and r6, r6, r14                  ; (t * 77 >> 3) & 15
    and r7, r1, r7                   ; t & 3
    mov_imm r8, 5
    mov_imm r14, 31
    imul r9, r1, r1
    and r9, r9, r14                  ; t * t & 31
"""


def simulate(maker, tree, width):
    """Memory after a run, and how many different paths the threads took."""
    memory, paths = [0] * THREADS, set()
    for first in range(0, THREADS, width):
        wave = Wave(first, width, maker.functions, memory)
        wave.start(tree)
        paths |= {tuple(p) for p in wave.path}
    return memory, len(paths)


def random_text(name, maker, tree, wave, calls):
    results = {w: simulate(maker, tree, w)[0] for w in WIDTHS}
    what = "random structured control flow" + (" with wave operations"
                                               if wave else "") + (" and calls" if calls else "")
    text = header(what,
                  "Expected by executing the statement tree over sets of lanes (structured.py).")
    code = emit(tree) + [line for function in maker.functions for line in emit(function)]
    if any("wave_ballot " in line for line in code):
        text += ";@ allow   W_BALLOT_WIDTH\n"
    if wave:
        for width in WIDTHS:
            text += "\n".join(
                textform.listing(f"expect  out width={width} =", results[width], "u32")) + "\n"
    else:
        assert all(m == results[4] for m in results.values())
        text += "\n".join(textform.listing("expect  out =", results[4], "u32")) + "\n"
    text += f".kernel {name}\n.registers 48\n{PROLOGUE}{INITIAL}" + "\n".join(emit(tree)) + "\n"
    text += "\n".join("    " + s for s in STORE_HASH) + "\n    halt\n"
    for k, function in enumerate(maker.functions):
        text += f"f{k}:\n" + "\n".join(emit(function)) + "\n    return\n"
    return text + ".end\n"


def random_programs(out):
    """Of several random trees per program, keeps the one whose threads take the most different
    paths."""
    plans = [("control/random", "random_flow", 12, False, False),
             ("control/random", "random_calls", 6, False, True),
             ("wave/random", "random_divergence", 12, True, False),
             ("wave/random", "random_calls", 4, True, True)]
    for p, (folder, stem, count, wave, calls) in enumerate(plans):
        for k in range(count):
            best, most = None, 0
            for draw in range(60):
                maker = Maker(p * 100000 + k * 1000 + draw, wave, calls)
                tree = maker.block(3, 0, False)
                size = len(emit(tree)) + sum(len(emit(f)) for f in maker.functions)
                if not 16 <= size <= 75 or maker.counters > 4 or (calls and not maker.functions):
                    continue
                paths = simulate(maker, tree, 32)[1]
                if paths > most:
                    best, most = (maker, tree), paths
            name = f"{stem}_{k + 1:02d}"
            out[f"{folder}/{name}.wave"] = random_text(name, *best, wave, calls)


def add_programs(out):
    nest_programs(out)
    depth_through_calls(out)
    random_programs(out)
