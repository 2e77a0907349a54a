#!/usr/bin/env python3
"""Measures the effect of --fp=fast on the machine code of the examples with division, square root or exp2: instructions per unit of
work in the hottest loop, exact and fast, and calls of slow paths. wavec -O2, then ptxas or clang -O3. Prints a table; figures never
make it fail.

usage: fast.py
"""

import os

import amdgcn
import sass

# kernel, unit, what counts as a unit in SASS and in AMD's code, exact and fast
ROWS = (
    ("nbody", "body", r"MUFU\.RSQ", r"v_(sqrt|rsq)_f32"),
    ("softmax", "exponential", r"(F2I|MUFU\.EX2)", r"v_(cvt_i32|exp)_f32"),
)


def nvidia(kernel, arch, mode, disassembler, marker):
    ptx, cubin = (os.path.join(sass.OUT, f"{kernel}.{mode}.{kind}") for kind in ("ptx", "cubin"))
    source = os.path.join(sass.ROOT, "examples", f"{kernel}.wave")
    sass.run([sass.WAVEC, "--target=ptx", f"--arch={arch}", "-O2", f"--fp={mode}", source, "-o", ptx])
    sass.run([sass.needed("ptxas"), "-O3", f"-arch={arch}", "-o", cubin, ptx])
    part = sass.hottest_loop(sass.disassemble(disassembler, cubin), marker)
    if not part:
        raise sass.Missing(f"{kernel}: no {marker} in a loop")
    return part


def amd(kernel, arch, mode, compiler, marker):
    amdgcn.ARCH = arch
    path = os.path.join(amdgcn.OUT, f"{kernel}.{mode}.hip")
    source = os.path.join(sass.ROOT, "examples", f"{kernel}.wave")
    sass.run([sass.WAVEC, "--target=hip", f"--arch={arch}", "-O2", f"--fp={mode}", source, "-o", path])
    return amdgcn.hottest_loop(amdgcn.Side(compiler, kernel, f"{kernel}.{mode}.{arch}", path).code, marker)


def cells(part, units):
    calls = sum(i.op.startswith(("CALL", "s_swappc")) for i in part)
    return [f"{len(part) / units:.2f} ({len(part)}/{units})", str(calls)]


def main():
    for folder in (sass.OUT, amdgcn.OUT):
        os.makedirs(folder, exist_ok=True)
    disassembler, compiler, notes = None, None, []
    try:
        disassembler = sass.find_disassembler()
        compiler = amdgcn.hip.Compiler(amdgcn.OUT)
        compiler.device_libraries()
    except (sass.Missing, amdgcn.hip.Missing) as reason:
        notes.append(str(reason))
    lines = [["kernel", "for", "per", "exact", "calls", "fast", "calls"]]
    for kernel, unit, in_sass, in_gcn in ROWS:
        for arch in ("sm_75", "sm_90", "gfx942", "gfx1100"):
            line = [kernel, arch, unit]
            try:
                for mode in ("exact", "fast"):
                    if arch.startswith("sm"):
                        part = nvidia(kernel, arch, mode, disassembler, in_sass)
                        line += cells(part, sass.count(part, in_sass))
                    else:
                        part = amd(kernel, arch, mode, compiler, in_gcn)
                        line += cells(part, sass.count(part, in_gcn))
            except (sass.Missing, TypeError, AttributeError) as reason:
                notes.append(f"{kernel} {arch}: {reason}")
                continue
            lines.append(line)
    print("Exact and fast floats: instructions per unit of work in the hottest loop")
    sass.print_table(lines)
    for note in notes:
        print(f"missing: {note}")


if __name__ == "__main__":
    main()
