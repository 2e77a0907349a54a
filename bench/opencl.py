#!/usr/bin/env python3
"""Compares kernels in OpenCL C (bench/opencl), which go through wave-cc, WBIN and wavec, with the same kernels in CUDA and HIP
(bench/opencl, or bench/cuda and bench/hip for kernels that other tables use too), as sass.py and amdgcn.py do. Figures never make
it fail; what is missing is named and left out.

usage: opencl.py [--loops]
  --loops   also print the instructions that were counted
"""

import math
import os
import sys

import amdgcn
import sass

OUT = os.path.join(sass.ROOT, "build", "bench", "opencl")
WAVE_CC = os.path.join(os.path.dirname(sass.WAVEC), "wave-cc")
GOAL = 1.10

# kernel, unit, how, marker as in sass.py; all are in the mean
PTX_ROWS = (
    ("saxpy", "kernel", "whole", None, True),
    ("gemm_tiled", "FFMA", "loop", r"FFMA", True),
    ("reduction", "16-byte load", "loop", r"LDG\.\S*128", True),
    ("nbody", "pair", "loop", r"MUFU\.RSQ", True),
)
HIP_ROWS = (
    ("saxpy", "kernel", "whole", None),
    ("gemm_tiled", "fma", "loop", amdgcn.FMA),
    ("reduction", "16-byte load", "loop", r"global_load_dwordx4"),
    ("nbody", "pair", "loop", r"v_sqrt_f32"),
)


def source(kernel, kind, folder):
    own = os.path.join(sass.ROOT, "bench", "opencl", f"{kernel}.{kind}")
    return own if os.path.exists(own) else os.path.join(sass.ROOT, "bench", folder, f"{kernel}.{kind}")


def wbin(kernel):
    path = os.path.join(OUT, f"{kernel}.wbin")
    if not os.path.exists(WAVE_CC):
        raise sass.Missing("wave-cc is not built")
    sass.run([WAVE_CC, source(kernel, "cl", "opencl"), "-o", path])
    return path


def wavec(kernel, target, arch):
    path = os.path.join(OUT, f"{kernel}.{target}")
    sass.run([sass.WAVEC, f"--target={target}", f"--arch={arch}", "-O2", wbin(kernel), "-o", path])
    return path


def ours_ptx(kernel):
    cubin = os.path.join(OUT, f"{kernel}.cubin")
    ptx = wavec(kernel, "ptx", sass.ARCH)
    return cubin, sass.run([sass.needed("ptxas"), "-O3", f"-arch={sass.ARCH}", "-v", "-o", cubin, ptx])


def cuda(kernel):
    cubin = os.path.join(OUT, f"{kernel}.cuda.cubin")
    command = [sass.needed("nvcc"), "-O3", f"-arch={sass.ARCH}", "-cubin", "-Xptxas", "-v", "-o", cubin]
    return cubin, sass.run([*command, source(kernel, "cu", "cuda")])


def attempt(make, about, notes):
    try:
        return make()
    except (sass.Missing, amdgcn.hip.Missing) as reason:
        notes.append(f"{about}: {reason}")
        return None


def ratio_of(values):
    return values[0] / values[1] if values[0] and values[1] else None


def compare_ptx(notes, show_loops):
    disassembler = sass.find_disassembler()
    lines = [["kernel", "per", "wavec", "total", "regs", "spills", "CUDA", "total", "regs", "spills", "ratio"]]
    ratios = []
    for row in PTX_ROWS:
        kernel = row[0]
        sides = [attempt(lambda: sass.Side(make(kernel), disassembler), f"{kernel}, {title}", notes)
                 for title, make in (("wavec", ours_ptx), ("nvcc", cuda))]
        values, cells = sass.figures(row, sides, notes, show_loops)
        ratios.append((ratio_of(values), kernel))
        lines.append([kernel, row[1], *cells[0], *cells[1], f"{ratios[-1][0]:.2f}" if ratios[-1][0] else ""])
    return f"SASS instructions per unit of work, from OpenCL C, {sass.ARCH}", lines, ratios


def compare_hip(notes, show_loops):
    compiler = amdgcn.hip.Compiler(OUT)
    compiler.device_libraries()
    head = ["total", "VGPR", "SGPR", "LDS", "spills"]
    lines, ratios = [["kernel", "per", "wavec", *head, "handwritten", *head, "ratio"]], []
    for row in HIP_ROWS:
        kernel, values, shown = row[0], [], []
        for title, text in (("wavec", lambda: wavec(kernel, "hip", amdgcn.ARCH)), ("handwritten", lambda: source(kernel, "hip", "hip"))):
            name = f"{kernel}.{title.replace(' ', '-')}"
            side = attempt(lambda: amdgcn.Side(compiler, kernel, name, text()), f"{kernel}, {title}", notes)
            value, cells = amdgcn.figure(side, row, title, notes, show_loops)
            values.append(value)
            shown += cells
        ratios.append((ratio_of(values), kernel))
        lines.append([kernel, row[1], *shown, f"{ratios[-1][0]:.2f}" if ratios[-1][0] else ""])
    return f"AMD instructions per unit of work, from OpenCL C, {amdgcn.ARCH}", lines, ratios


def main():
    if any(word != "--loops" for word in sys.argv[1:]):
        sys.exit(__doc__)
    os.makedirs(OUT, exist_ok=True)
    for compare in (compare_ptx, compare_hip):
        notes = []
        try:
            title, lines, ratios = compare(notes, "--loops" in sys.argv)
        except (sass.Missing, amdgcn.hip.Missing) as reason:
            print(f"code from OpenCL C: skipped: {reason}")
            continue
        print(title)
        sass.print_table(lines)
        ratios = [pair for pair in ratios if pair[0]]
        if ratios:
            mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
            worst, kernel = max(ratios)
            sass.verdict(f"worst ratio; geometric mean {mean:.3f}", f"{worst:.2f}, {kernel}", f"at most {GOAL:.2f}", worst <= GOAL)
        for note in notes:
            print(f"missing: {note}")
        print()


if __name__ == "__main__":
    main()
