#!/usr/bin/env python3
"""Compares the machine code of wavec's HIP with that of handwritten HIP (bench/hip), both through clang -O3 for gfx942
with the device libraries: instructions per unit of work in the hottest loop, and totals, registers, spills and LDS. Prints a
table and the goals. Figures never make it fail; what is missing is named and left out.

usage: amdgcn.py [--loops] [KERNEL]...
  --loops   also print the instructions that were counted
"""

import math
import os
import re
import sys

import sass

sys.path.insert(0, os.path.join(sass.ROOT, "tests", "tools"))
import hip_compile as hip  # noqa: E402

OUT = os.path.join(sass.ROOT, "build", "bench", "amdgcn")
ARCH = "gfx942"
GOAL_MEAN, GOAL_WORST = 0.96, 1.05

FMA = r"v_(pk_)?fma(c|ak|mk)?_f32"
# As in sass.py: what is counted, and the instruction that counts as one unit of work, or the access whose words do.
# v_pk_fma_f32 counts as two.
ROWS = (
    # kernel, unit, how, marker
    ("saxpy", "kernel", "whole", None),
    ("block_reduction", "16-byte load", "loop", r"global_load_dwordx4"),
    ("gemm_tiled", "fma", "loop", FMA),
    ("gemm_register_blocked", "fma", "loop", FMA),
    ("gemm_mma", "mfma", "loop", r"v_mfma"),
    ("transpose", "element", "whole", sass.Words(r"global_store_dword")),
    ("histogram", "LDS atomic", "loop", r"ds_add_u32"),
    ("softmax", "exponential", "loop", r"v_cvt_i32_f32"),
    ("mandelbrot", "iteration", "loop", FMA),
    ("nbody", "pair of bodies", "loop", r"v_sqrt_f32"),
    ("nbody_fast", "pair of bodies", "loop", r"v_rsq_f32"),
    ("layer_norm", "element", "loop", sass.Words(r"global_store_dword")),
    ("scan", "kernel", "whole", None),
    ("stencil", "kernel", "whole", None),
    ("bitonic_sort", "key", "loop", r"v_m(in|ax)_i32"),
    ("chacha20", "kernel", "whole", None),
    ("stream_compaction", "wave before", "loop", sass.Words(r"ds_read")),
    ("f16_dot", "kernel", "whole", None),
    ("reduction.cl", "16-byte load", "loop", r"global_load_dwordx4"),
    ("nbody.cl", "pair of bodies", "loop", r"v_sqrt_f32"),
)

# As in sass.py: a workgroup has four waves of 64 lanes, and the last one has three before it.
MOST = {"stream_compaction": 3}


class Instruction:
    """The same interface as sass.Instruction, for a line of AMD assembly."""

    def __init__(self, address, text):
        self.address = address
        self.text = self.body = text
        self.op = text.split()[0]
        self.target = None

    def is_branch(self):
        return self.op.startswith(("s_branch", "s_cbranch"))

    def ends(self):
        return self.op in ("s_branch", "s_endpgm", "s_setpc_b64")


def instructions(body):
    """The code of a function, with its jumps resolved."""
    code, labels = [], {}
    for line in body.splitlines():
        line = line.split(";")[0].rstrip()
        label = re.match(r"^([.\w]+):$", line)
        if label:
            labels[label.group(1)] = len(code)
        elif re.match(r"^\s+[a-z]", line):
            code.append(Instruction(len(code), line.strip().replace("\t", " ")))
    for instruction in code:
        if instruction.is_branch():
            instruction.target = labels.get(instruction.text.split()[-1])
    return code


def dominators(follow):
    """For each block the set of blocks that dominate it; none for unreachable blocks."""
    before = [[n for n, to in enumerate(follow) if m in to] for m in range(len(follow))]
    order, seen, work = [], {0}, [(0, iter(follow[0]))]
    while work:  # reverse post-order
        block, rest = work[-1]
        following = next((m for m in rest if m not in seen), None)
        if following is None:
            order.insert(0, block)
            work.pop()
        else:
            seen.add(following)
            work.append((following, iter(follow[following])))
    dominating, changed = {0: {0}}, True
    while changed:
        changed = False
        for block in order[1:]:
            known = [dominating[b] for b in before[block] if b in dominating]
            new = set.intersection(*known) | {block}
            changed |= dominating.get(block) != new
            dominating[block] = new
    return dominating, before


def loops_of(follow):
    """The natural loops as sets of blocks. The compiler places blocks in any order, so a backward jump does not always close
    a loop: it does if its target dominates it."""
    dominating, before = dominators(follow)
    loops = {}
    for n, to in enumerate(follow):
        for head in (m for m in to if m in dominating.get(n, ())):
            body, work = loops.setdefault(head, {head}), [n]
            while work:
                block = work.pop()
                if block not in body:
                    body.add(block)
                    work += before[block]
    return list(loops.values())


def hottest_loop(code, marker, most=math.inf):
    """Instructions of the innermost loop with the most units of work, at most `most` in an iteration, or None."""
    blocks, follow = sass.blocks_of(code)
    parts = [(body, [code[i] for n in sorted(body) for i in range(*blocks[n])]) for body in loops_of(follow)]
    parts = [(body, part) for body, part in parts if sass.count(part, marker)]
    found = [part for body, part in parts if not any(other < body for other, _ in parts) and sass.count(part, marker) <= most]
    return max(found, key=lambda part: (sass.count(part, marker), -len(part)), default=None)


class Side:
    """The compiler's code for one text of a kernel."""

    def __init__(self, compiler, kernel, name, source):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        command = [compiler.clang, "-x", "hip", f"--offload-arch={ARCH}", "--cuda-device-only", *compiler.device_libraries(), "-O3"]
        status, messages, assembly = compiler.assemble(name, text, command)
        if status != 0:
            raise sass.Missing(hip.first_line(messages))
        bodies = [body for function, body in hip.functions(assembly) if kernel.startswith(function)]
        self.code = [i for body in bodies for i in instructions(body)]
        if not self.code:
            raise sass.Missing(f"no kernel {kernel} in the assembly")
        self.total = len(self.code)
        figures = {key: int(value) for key, value in re.findall(r"^\s+\.(\w+):\s+(\d+)$", assembly, re.M)}
        self.vgprs, self.sgprs, self.lds = figures["vgpr_count"], figures["sgpr_count"], figures["group_segment_fixed_size"]
        self.spills = figures["vgpr_spill_count"] + figures["sgpr_spill_count"] + figures["private_segment_fixed_size"]

    def counted(self, how, marker, most=math.inf):
        part = how == "loop" and hottest_loop(self.code, marker, most) or self.code
        units = sass.count(part, marker) if marker else 1
        if not units:
            raise sass.Missing(f"no {marker}")
        return part, units

    def cells(self):
        return [str(self.total), str(self.vgprs), str(self.sgprs), str(self.lds), str(self.spills)]


def wavec_text(kernel):
    if not os.path.exists(sass.WAVEC):
        raise sass.Missing("wavec is not built")
    path = os.path.join(OUT, f"{kernel}.wavec.hip")
    sass.run([sass.WAVEC, "--target=hip", "--mma=native", f"--arch={ARCH}", "-O2", *sass.example(kernel), "-o", path])
    return path


def hand_text(kernel):
    return sass.hand_written(kernel, "hip", "hip")


def figure(side, row, title, notes, show_loops):
    """Instructions per unit, or None, and the cells of the table."""
    kernel, unit, how, marker = row
    if side is None:
        return None, ["missing", "", "", "", "", ""]
    try:
        part, units = side.counted(how, marker, MOST.get(kernel, math.inf))
    except sass.Missing as reason:
        notes.append(f"{kernel}, {title}: {reason}")
        return None, ["missing", *side.cells()]
    if show_loops:
        print(f"--- {kernel}, {title}: {len(part)} instructions for {units} x {unit}")
        print("\n".join(f"    {i.address:4}  {i.text}" for i in part))
    shown = f"{len(part) / units:.2f} ({len(part)}/{units})" if marker else str(len(part))
    return len(part) / units, [shown, *side.cells()]


def main():
    show_loops = "--loops" in sys.argv[1:]
    wanted = [word for word in sys.argv[1:] if word != "--loops"]
    if any(word not in {row[0] for row in ROWS} for word in wanted):
        sys.exit(__doc__)
    os.makedirs(OUT, exist_ok=True)
    try:
        compiler = hip.Compiler(OUT)
        compiler.device_libraries()
    except hip.Missing as reason:
        print(f"generated HIP code: skipped: {reason}")
        return

    notes, ratios, spills = [], [], 0
    head = ["total", "VGPR", "SGPR", "LDS", "spills"]
    lines = [["kernel", "per", "wavec", *head, "handwritten", *head, "ratio"]]
    for row in ROWS:
        if wanted and row[0] not in wanted:
            continue
        values, cells = [], []
        for title, text in (("wavec", wavec_text), ("handwritten", hand_text)):
            side = None
            try:
                side = Side(compiler, row[0], f"{row[0]}.{title.replace(' ', '-')}", text(row[0]))
                spills += side.spills if title == "wavec" else 0
            except sass.Missing as reason:
                notes.append(f"{row[0]}, {title}: {reason}")
            value, shown = figure(side, row, title, notes, show_loops)
            values.append(value)
            cells += shown
        ratio = values[0] / values[1] if values[0] and values[1] else None
        if ratio:
            ratios.append((ratio, row[0]))
        lines.append([row[0], row[1], *cells, f"{ratio:.2f}" if ratio else ""])

    print(f"AMD instructions per unit of work in the hottest loop, {ARCH}")
    sass.print_table(lines)
    if ratios:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        worst, kernel = max(ratios)
        sass.verdict(f"geometric mean ({len(ratios)} of {len(ROWS)} kernels)", f"{mean:.3f}", f"at most {GOAL_MEAN}", mean <= GOAL_MEAN)
        sass.verdict("worst ratio", f"{worst:.2f}, {kernel}", f"at most {GOAL_WORST:.2f}", worst <= GOAL_WORST)
        sass.verdict("spills of wavec's kernels", spills, "none", spills == 0)
    for note in notes:
        print(f"missing: {note}")


if __name__ == "__main__":
    main()
