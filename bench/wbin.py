#!/usr/bin/env python3
"""Measures the effect of wavec --target=wbin (docs/reference/wbin-target.md): the wave-instructions that the emulator executes for
every example and test program, before and after, and the machine code of PTX (ptxas, sm_75) and HIP (clang, gfx942) from the
optimised file and from the original.

usage: wbin.py [--judge] [--every N] [counts|ptx|hip]...
  --judge    exit status 1 where a goal is missed, or where nothing could be measured
  --every N  only every Nth test program in ptx and hip, and all examples (4)
"""

import argparse
import glob
import math
import os
import sys

import sass

sys.path.insert(0, os.path.join(sass.ROOT, "tests", "tools"))
import hip_compile as hip  # noqa: E402

BIN = os.path.join(sass.ROOT, "build", "bin")
OUT = os.path.join(sass.ROOT, "build", "bench", "wbin")
GOAL_EXECUTED, GOAL_WORST, GOAL_MACHINE = 0.75, 1.0, 1.01
BATCH = 48  # kernels in one run of clang


def programs(every=1):
    """Examples, then test programs, as relative paths."""
    found = []
    for folder, step in (("examples", 1), ("tests/programs", every)):
        paths = sorted(glob.glob(os.path.join(sass.ROOT, folder, "**", "*.wave"), recursive=True))
        found += paths[::step]
    return [os.path.relpath(path, sass.ROOT) for path in found]


def mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))


def show(title, ratios, goals):
    """Prints the figures and whether they reach their goals; goals are (name, value, text, reached)."""
    print(f"{title}: {len(ratios)} programs")
    for name, value, text, reached in goals:
        sass.verdict(name, value, text, reached)
    return bool(ratios) and all(reached for _, _, _, reached in goals)


# --- Wave-instructions ------------------------------------------------------------------------------------------------


def counts(_every):
    text = sass.run([os.path.join(BIN, "wave-test"), "--through=wbin", "-O2", "--count", *programs()])
    rows = [line.split() for line in text.splitlines()]
    ratios = [(int(after) / int(before), path) for path, before, after in (row for row in rows if len(row) == 3)]
    if not ratios:
        raise sass.Missing("wave-test counted nothing")
    worst, path = max(ratios)
    longer = sum(ratio > 1 for ratio, _ in ratios)
    goals = (
        ("geometric mean", f"{mean(ratios):.4f}", f"at most {GOAL_EXECUTED}", mean(ratios) <= GOAL_EXECUTED),
        ("programs that execute more", longer, "none", longer == 0),
        ("worst", f"{worst:.3f}, {path}", f"at most {GOAL_WORST}", worst <= GOAL_WORST),
    )
    return show("wave-instructions, optimised against original", ratios, goals)


# --- Machine code -----------------------------------------------------------------------------------------------------


def both(path, target, arch):
    """The texts that wavec generates from the original and from the optimised file, or None if it rejects one."""
    stem = os.path.join(OUT, path.replace("/", "_")[: -len(".wave")])
    texts = []
    try:
        sass.run([os.path.join(BIN, "wave-asm"), path, "-o", f"{stem}.0.wbin"])
        sass.run([sass.WAVEC, "--target=wbin", "-O2", f"{stem}.0.wbin", "-o", f"{stem}.1.wbin"])
        for k in (0, 1):
            sass.run([sass.WAVEC, f"--target={target}", f"--arch={arch}", "-O2", f"{stem}.{k}.wbin", "-o", f"{stem}.{k}.{target}"])
            texts.append(f"{stem}.{k}.{target}")
    except sass.Missing as reason:
        if reason.status != 1:  # a crash, or a missing tool
            raise
        return None  # the program tests an error
    return texts


def machine_goals(title, sums, ratios):
    if not ratios:
        raise sass.Missing("no program could be compared")
    worst, path = max(ratios)
    whole = sums[1] / sums[0]
    for ratio, name in sorted(ratios, reverse=True)[:8]:
        if ratio > GOAL_MACHINE:
            print(f"    {ratio:.3f}  {name}")
    goals = (
        ("geometric mean", f"{mean(ratios):.4f}", f"at most {GOAL_MACHINE}", mean(ratios) <= GOAL_MACHINE),
        ("all instructions", f"{whole:.4f} ({sums[1]} / {sums[0]})", f"at most {GOAL_MACHINE}", whole <= GOAL_MACHINE),
    )
    print(f"    worst {worst:.3f}, {path}; {sum(ratio > GOAL_MACHINE for ratio, _ in ratios)} programs above {GOAL_MACHINE}")
    return show(title, ratios, goals)


def instructions_of(disassembler, ptx):
    cubin = ptx[: -len(".ptx")] + ".cubin"
    sass.run([sass.needed("ptxas"), "-O3", f"-arch={sass.ARCH}", "-o", cubin, ptx])
    code = sass.disassemble(disassembler, cubin)
    return sum(i.op != "NOP" and i.target != i.address for i in code)


def ptx(every):
    disassembler = sass.find_disassembler()
    sums, ratios = [0, 0], []
    for path in programs(every):
        texts = both(path, "ptx", sass.ARCH)
        if not texts:
            continue
        sizes = [instructions_of(disassembler, text) for text in texts]
        ratios.append((sizes[1] / sizes[0], path))
        sums = [sums[0] + sizes[0], sums[1] + sizes[1]]
    return machine_goals(f"machine code of PTX ({sass.ARCH}), from optimised against original", sums, ratios)


def hip_sizes(compiler, command, items, name):
    """The instructions of texts in one translation unit, by the number of the file."""
    status, messages, assembly = compiler.assemble(name, hip.joined(items), command)
    if status != 0:
        raise sass.Missing(hip.first_line(messages))
    sizes = {}
    for function, body in hip.functions(assembly):
        number = function[1:].split("_")[0]
        lines = [line.split(";")[0].rstrip() for line in body.splitlines()]
        if number.isdigit():
            count = sum(line.startswith("\t") and not line.lstrip().startswith(".") for line in lines)
            sizes[int(number)] = sizes.get(int(number), 0) + count
    return sizes


def hip_code(every):
    try:
        compiler = hip.Compiler(OUT)
        command = [compiler.clang, "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", *compiler.device_libraries(), "-O3"]
    except hip.Missing as reason:
        raise sass.Missing(str(reason)) from reason
    found = [(path, both(path, "hip", "gfx942")) for path in programs(every)]
    found = [(path, texts) for path, texts in found if texts]
    sums, ratios = [0, 0], []
    for start in range(0, len(found), BATCH):
        part = found[start : start + BATCH]
        sides = []
        for k in (0, 1):
            items = []
            for number, (path, texts) in enumerate(part):
                with open(texts[k], encoding="utf-8") as file:
                    items.append((number, path, file.read()))
            sides.append(hip_sizes(compiler, command, items, f"batch{start}.{k}"))
        for number, (path, _) in enumerate(part):
            sizes = [side.get(number, 0) for side in sides]
            if all(sizes):
                ratios.append((sizes[1] / sizes[0], path))
                sums = [sums[0] + sizes[0], sums[1] + sizes[1]]
    return machine_goals("machine code of HIP (gfx942), from optimised against original", sums, ratios)


def main():
    parts = {"counts": counts, "ptx": ptx, "hip": hip_code}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("part", nargs="*")
    options = parser.parse_args()
    if any(part not in parts for part in options.part) or options.every < 1:
        parser.error(f"parts are {', '.join(parts)}")
    os.makedirs(OUT, exist_ok=True)
    os.chdir(sass.ROOT)
    reached = True
    for part in options.part or parts:
        try:
            reached &= parts[part](options.every)
        except sass.Missing as reason:
            print(f"{part}: missing: {reason}")
            reached = False
    sys.exit(1 if options.judge and not reached else 0)


if __name__ == "__main__":
    main()
