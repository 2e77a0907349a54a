#!/usr/bin/env python3
"""Compares the machine code of wavec's PTX with that of handwritten CUDA (bench/cuda): instructions per unit of work
in the hottest loop, so that unrolling does not distort the figure, and totals, registers and spills.
Prints a table and the goals. Figures never make it fail; what is missing is named and left out.

usage: sass.py [--arch=sm_NN] [--loops] [KERNEL]...
  --arch    another architecture
  --loops   also print the instructions that were counted
"""

import glob
import math
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build", "bench", "sass")
WHEELS = os.path.join(ROOT, "build", "cuda-tools")
WAVEC = os.environ.get("WAVEC", os.path.join(ROOT, "build", "bin", "wavec"))
ARCH = "sm_75"
GOAL_MEAN, GOAL_WORST = 0.98, 1.05


class Words(str):
    """A marker of loads or stores that counts the words they move, so that LDS.64 is two units and LDS.128 four."""


# What is counted, and the instruction that counts as one unit of work, or the access whose words do:
#   whole   the whole kernel; without a marker it is one unit
#   loop    the innermost loop with the most markers; the whole kernel if it is fully unrolled and has no loop
#   tree    the same for a tree that is a loop; otherwise the steps that tree_steps finds
# Rows that are not in the mean show a second loop of a kernel.
ROWS = (
    # kernel, unit, how, marker, in the mean
    ("saxpy", "kernel", "whole", None, True),
    ("block_reduction", "tree step", "tree", r"SHFL", True),
    ("block_reduction", "16-byte load", "loop", r"LDG\.\S*128", False),
    ("gemm_tiled", "FFMA", "loop", r"FFMA", True),
    ("gemm_register_blocked", "FFMA", "loop", r"FFMA", True),
    ("gemm_mma", "HMMA", "loop", r"HMMA", True),
    ("transpose", "element", "whole", Words(r"STG"), True),
    ("histogram", "shared atomic", "loop", r"ATOMS", True),
    ("softmax", "exponential", "loop", r"F2I", True),
    ("mandelbrot", "iteration", "loop", r"FFMA", True),
    ("nbody", "pair of bodies", "loop", r"MUFU\.RCP", True),
    ("nbody_fast", "pair of bodies", "loop", r"MUFU\.RSQ", True),
    ("layer_norm", "element", "loop", Words(r"STG"), True),
    ("scan", "kernel", "whole", None, True),
    ("stencil", "kernel", "whole", None, True),
    ("bitonic_sort", "key", "loop", r"IMNMX|VIMNMX", True),
    ("chacha20", "kernel", "whole", None, True),
    ("stream_compaction", "wave before", "loop", Words(r"LDS"), True),
    ("f16_dot", "kernel", "whole", None, True),
    ("reduction.cl", "16-byte load", "loop", r"LDG\.\S*128", True),
    ("nbody.cl", "pair of bodies", "loop", r"MUFU\.RSQ", True),
)

# The most units that a thread has, for kernels where that is known. A loop with more of them in an iteration never runs and
# is not counted: nvcc adds up to sixteen waves at once, but the last of eight has seven before it.
MOST = {"stream_compaction": 7}

# Rows whose kernel is another example with different options. Those named *.cl are OpenCL C (bench/opencl), through wave-cc.
VARIANTS = {"nbody_fast": ("nbody", ["--fp=fast"])}


class Missing(Exception):
    """A tool or a result is missing; the message is the reason. The status is that of a tool that failed."""

    def __init__(self, reason, status=None):
        super().__init__(reason)
        self.status = status


# --- Tools ------------------------------------------------------------------------------------------------------------


def find_tool(name):
    """The path of a CUDA tool: PATH, CUDA_HOME or CUDA_PATH, the usual place, a wheel of this project or of Python."""
    places = [os.path.join(os.environ[var], "bin") for var in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(var)]
    places.append("/usr/local/cuda/bin")
    for folder in [WHEELS, *sys.path]:
        places += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "bin")))
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(places))


def find_disassembler():
    """nvdisasm or cuobjdump. nvdisasm's package is small, so it is fetched if CUDA was installed without either."""
    for name, options in (("nvdisasm", ["-c"]), ("cuobjdump", ["-sass"])):
        path = find_tool(name)
        if path:
            return [path, *options]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", WHEELS, "nvidia-cuda-nvdisasm"]
    subprocess.run(pip, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    path = find_tool("nvdisasm")
    if not path:
        raise Missing("nvdisasm and cuobjdump are missing, and pip could not install nvidia-cuda-nvdisasm")
    return [path, "-c"]


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = result.stdout.decode(errors="replace")
    if result.returncode != 0:
        lines = text.strip().splitlines() or ["no message"]
        raise Missing(f"{os.path.basename(command[0])}: exit status {result.returncode}: {lines[0]}", result.returncode)
    return text


def needed(name):
    path = find_tool(name)
    if not path:
        raise Missing(f"{name} is missing")
    return path


def compile_cuda(kernel):
    """The cubin of the CUDA kernel, and the report of ptxas about it."""
    cubin = os.path.join(OUT, f"{kernel}.cuda.cubin")
    source = hand_written(kernel, "cuda", "cu")
    return cubin, run([needed("nvcc"), "-O3", f"-arch={ARCH}", "-cubin", "-Xptxas", "-v", "-o", cubin, source])


def hand_written(kernel, folder, kind):
    """The source of the other side of a row."""
    if kernel.endswith(".cl"):
        return os.path.join(ROOT, "bench", "opencl", f"{kernel[:-3]}.{kind}")
    return os.path.join(ROOT, "bench", folder, f"{kernel}.{kind}")


def example(kernel):
    """The options and the source of wavec's side of a row."""
    if kernel.endswith(".cl"):
        wave_cc, wbin = os.path.join(os.path.dirname(WAVEC), "wave-cc"), os.path.join(OUT, f"{kernel}.wbin")
        if not os.path.exists(wave_cc):
            raise Missing("wave-cc is not built")
        os.makedirs(OUT, exist_ok=True)
        run([wave_cc, os.path.join(ROOT, "bench", "opencl", kernel), "-o", wbin])
        return [wbin]
    name, options = VARIANTS.get(kernel, (kernel, []))
    return [*options, os.path.join(ROOT, "examples", f"{name}.wave")]


def compile_ours(kernel):
    """The same for the example, through wavec and ptxas."""
    if not os.path.exists(WAVEC):
        raise Missing("wavec is not built")
    ptx, cubin = (os.path.join(OUT, f"{kernel}.{kind}") for kind in ("ptx", "cubin"))
    run([WAVEC, "--target=ptx", f"--arch={ARCH}", "-O2", "--mma=native", *example(kernel), "-o", ptx])
    return cubin, run([needed("ptxas"), "-O3", f"-arch={ARCH}", "-v", "-o", cubin, ptx])


# --- Machine code -----------------------------------------------------------------------------------------------------


class Instruction:
    """Address, text without its address, operation, whether a predicate guards it, and where it may jump."""

    def __init__(self, address, text):
        self.address = address
        self.text = text
        guard = re.match(r"@!?U?P\w+\s+", text)
        self.guarded = guard is not None and not guard.group().startswith("@PT")
        self.body = text[guard.end() :] if guard else text
        self.op = self.body.split()[0]
        self.target = None  # address, filled in by disassemble

    def is_branch(self):
        return self.op.split(".")[0] in ("BRA", "BRX", "JMP")

    def ends(self):
        """Whether execution never continues with the next instruction."""
        return not self.guarded and (self.is_branch() and self.is_plain() or self.op.split(".")[0] in ("EXIT", "RET"))

    def is_plain(self):
        """A jump without a predicate operand: BRA P0, target is conditional too."""
        return not re.search(r"\b!?U?P\d\b", self.body)


def disassemble(disassembler, cubin):
    """The instructions of a cubin with one kernel, without the padding after it."""
    code, labels, pending = [], {}, []
    for line in run([*disassembler, cubin]).splitlines():
        label = re.match(r"^\s*([.$\w]+):\s*$", line)
        if label:
            pending.append(label.group(1))
            continue
        found = re.search(r"/\*([0-9a-f]{4,8})\*/\s+(\S.*?)\s*;", line)
        if found:
            address = int(found.group(1), 16)
            labels.update((name, address) for name in pending)
            pending = []
            code.append(Instruction(address, found.group(2).replace("{", "").strip()))
    for instruction in code:
        if instruction.is_branch():
            to = re.search(r"`\(([.$\w]+)\)|\b0x([0-9a-f]+)", instruction.body)
            if to:
                instruction.target = labels.get(to.group(1)) if to.group(1) else int(to.group(2), 16)
    # A jump to itself and NOPs up to the alignment follow the last instruction.
    while code and (code[-1].op == "NOP" or code[-1].target == code[-1].address):
        code.pop()
    if not code:
        raise Missing(f"no instructions in {os.path.basename(cubin)}")
    return code


def blocks_of(code):
    """Basic blocks as ranges of indices, and for each the blocks that may follow it."""
    index = {instruction.address: i for i, instruction in enumerate(code)}
    starts = {0}
    for i, instruction in enumerate(code):
        if instruction.is_branch() or instruction.ends():
            starts.add(i + 1)
            if instruction.target in index:
                starts.add(index[instruction.target])
    starts = sorted(start for start in starts if start < len(code))
    blocks = list(zip(starts, [*starts[1:], len(code)]))
    number = {start: n for n, (start, _) in enumerate(blocks)}
    follow = []
    for n, (_, end) in enumerate(blocks):
        last = code[end - 1]
        to = [number[index[last.target]]] if last.target in index else []
        if not last.ends() and n + 1 < len(blocks):
            to.append(n + 1)
        follow.append(to)
    return blocks, follow


def loops_of(blocks, follow):
    """The natural loops as sets of blocks: for each back edge (a jump to the same or an earlier address), the blocks that
    reach its start without passing its target. Loops with the same target are one."""
    before = [[] for _ in blocks]
    for n, to in enumerate(follow):
        for m in to:
            before[m].append(n)
    loops = {}
    for n, to in enumerate(follow):
        for head in (m for m in to if m <= n):
            body, work = loops.setdefault(head, {head}), [n]
            while work:
                block = work.pop()
                if block not in body:
                    body.add(block)
                    work += before[block]
    return list(loops.values())


def hottest_loop(code, marker, most=math.inf):
    """Instructions of the innermost loop with the most units of work, at most `most` in an iteration, or None."""
    blocks, follow = blocks_of(code)
    found = []
    loops = loops_of(blocks, follow)
    for body in loops:
        part = [code[i] for n in sorted(body) for i in range(*blocks[n])]
        units = count(part, marker)
        inner = any(other < body and count_blocks(code, blocks, other, marker) for other in loops)
        if 0 < units <= most and not inner:
            found.append((units, -len(part), part))
    return max(found, key=lambda f: f[:2])[2] if found else None


def count_blocks(code, blocks, body, marker):
    return sum(count(code[slice(*blocks[n])], marker) for n in body)


def count(part, marker):
    return sum(units_of(instruction.op, marker) for instruction in part if re.match(marker, instruction.body))


def units_of(op, marker):
    """The units of work of an operation that a marker matches; AMD's packed operations compute two results."""
    return words_of(op) if isinstance(marker, Words) else 2 if op.startswith("v_pk_") else 1


def words_of(op):
    """How many words a load or store moves: LDS.U.64, global_store_dwordx2 and ds_read2_b32 two, ds_read_b128 four."""
    bits = re.search(r"(?:\.|_b)(64|96|128)\b", op)
    words = re.search(r"_dwordx(\d)\b", op)
    each = int(bits.group(1)) // 32 if bits else int(words.group(1)) if words else 1
    return each * (2 if re.search(r"(read|write)2", op) else 1)


def operands(instruction):
    """The registers an instruction writes and those it reads, predicates included."""
    written, _, read = instruction.body.partition(",")
    if re.match(r"\S+\s+P\w+$", written):  # a predicate first, then the result
        result, _, read = read.partition(",")
        written += " " + result
    if "[" in written:  # a store
        written, read = "", instruction.body
    guard = instruction.text[: len(instruction.text) - len(instruction.body)]
    return registers_in(written), registers_in(read + " " + guard)


def registers_in(text):
    return set(re.findall(r"\bU?[RP]\d+\b", text))


def tree_steps(code, marker):
    """The steps of the reduction trees and their number. A step is a shuffle, and the instructions that its result passes
    through on the way to the next shuffle. No step includes other work that the scheduler put between the two, or the
    last shuffle of a tree, which has no next one."""
    part, steps, path, derived = [], 0, [], set()
    for instruction in code:
        written, read = operands(instruction)
        if re.match(marker, instruction.body):
            if read & derived:
                part += leading_to(read, path)
                steps += 1
            path, derived = [instruction], written
        elif read & derived:
            path.append(instruction)
            derived |= written
        else:
            derived -= written
    return part, steps


def leading_to(wanted, path):
    """The instructions of a path whose results reach the wanted registers."""
    kept = []
    for instruction in reversed(path):
        written, read = operands(instruction)
        if written & wanted:
            kept.insert(0, instruction)
            wanted = wanted | read
    return kept


# --- Figures ----------------------------------------------------------------------------------------------------------


class Side:
    """The code of one compiler for a kernel."""

    def __init__(self, compiled, disassembler):
        cubin, messages = compiled
        self.code = disassemble(disassembler, cubin)
        self.total = len(self.code)
        self.registers = int(re.search(r"Used (\d+) registers", messages).group(1))
        self.spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", messages))

    def counted(self, how, marker, most=math.inf):
        """The instructions counted for a row and the units in them."""
        if how == "whole":
            return self.code, count(self.code, marker) if marker else 1
        part = hottest_loop(self.code, marker, most)
        if not part and how == "tree":
            part, steps = tree_steps(self.code, marker)
            if steps:
                return part, steps
        part = part or self.code
        if not count(part, marker):
            raise Missing(f"no {marker}")
        return part, count(part, marker)


def sides_of(kernel, disassembler, notes):
    sides = []
    for title, compiler in (("wavec", compile_ours), ("nvcc", compile_cuda)):
        try:
            sides.append(Side(compiler(kernel), disassembler))
        except Missing as reason:
            notes.append(f"{kernel}, {title}: {reason}")
            sides.append(None)
    return sides


def figures(row, sides, notes, show_loops):
    """For each side: instructions per unit, or None, and the cells of the table."""
    kernel, unit, how, marker, _ = row
    values, cells = [], []
    for title, side in zip(("wavec", "nvcc"), sides):
        if side is None:
            values.append(None)
            cells.append(["missing", "", "", ""])
            continue
        try:
            part, units = side.counted(how, marker, MOST.get(kernel, math.inf))
        except Missing as reason:
            notes.append(f"{kernel}, {title}: {reason}")
            values.append(None)
            cells.append(["missing", str(side.total), str(side.registers), str(side.spills)])
            continue
        values.append(len(part) / units)
        figure = f"{values[-1]:.2f}" if marker else str(len(part))
        cells.append([f"{figure} ({len(part)}/{units})" if marker else figure, str(side.total), str(side.registers), str(side.spills)])
        if show_loops:
            print(f"--- {kernel}, {title}: {len(part)} instructions for {units} x {unit}")
            print("\n".join(f"    {i.address:04x}  {i.text}" for i in part))
    return values, cells


def print_table(lines):
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


def verdict(text, value, goal, met):
    print(f"{text}: {value} (goal: {goal}, {'met' if met else 'not met'})")


def take_arch(arguments):
    """The arguments without --arch, which sets the architecture of both sides."""
    global ARCH
    for word in [word for word in arguments if word.startswith("--arch=")]:
        ARCH = word.split("=")[1]
    return [word for word in arguments if not word.startswith("--arch=")]


def main():
    arguments = take_arch(sys.argv[1:])
    show_loops = "--loops" in arguments
    wanted = [a for a in arguments if a != "--loops"]
    names = {row[0] for row in ROWS}
    if any(a not in names for a in wanted):
        sys.exit(__doc__)
    os.makedirs(OUT, exist_ok=True)
    try:
        disassembler = find_disassembler()
    except Missing as reason:
        print(f"generated code: skipped: {reason}")
        return

    notes, sides, ratios, lines = [], {}, [], []
    lines.append(["kernel", "per", "wavec", "total", "regs", "spills", "CUDA", "total", "regs", "spills", "ratio"])
    for row in ROWS:
        kernel = row[0]
        if wanted and kernel not in wanted:
            continue
        if kernel not in sides:
            sides[kernel] = sides_of(kernel, disassembler, notes)
        (ours, theirs), cells = figures(row, sides[kernel], notes, show_loops)
        ratio = ours / theirs if ours and theirs else None
        if ratio and row[4]:
            ratios.append((ratio, kernel))
        shown = "" if ratio is None else f"{ratio:.2f}" if row[4] else f"({ratio:.2f})"
        lines.append([kernel, row[1], *cells[0], *cells[1], shown])

    print(f"SASS instructions per unit of work in the hottest loop, {ARCH}")
    print_table(lines)
    if ratios:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        worst, kernel = max(ratios)
        spills = sum(pair[0].spills for pair in sides.values() if pair[0])
        verdict(f"geometric mean ({len(ratios)} of {sum(row[4] for row in ROWS)} kernels)", f"{mean:.3f}", f"at most {GOAL_MEAN}", mean <= GOAL_MEAN)
        verdict("worst ratio", f"{worst:.2f}, {kernel}", f"at most {GOAL_WORST:.2f}", worst <= GOAL_WORST)
        verdict("bytes spilled by wavec's kernels", spills, "none", spills == 0)
    for note in notes:
        print(f"missing: {note}")


if __name__ == "__main__":
    main()
