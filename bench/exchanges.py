#!/usr/bin/env python3
"""Counts the instructions that exchange values between lanes in AMD's machine code of the examples with shuffles: DPP modifiers and
moves, permlane, ds_swizzle, ds_bpermute, readlane. wavec -O2, clang -O3. Prints a table; figures never make it fail.

usage: exchanges.py [KERNEL]...
"""

import os
import re
import sys

import amdgcn
import sass

ARCHS = ("gfx942", "gfx1100")
KERNELS = ("softmax", "layer_norm", "block_reduction", "scan")
# A DPP operand has a control: quad_perm:[…], row_mirror, row_ror:8. bank_mask alone is not an exchange.
KINDS = (
    ("DPP", r".*\b(quad_perm|row_\w+|wave_\w+)\b"),
    ("permlane", r"v_permlane"),
    ("ds_swizzle", r"ds_swizzle"),
    ("ds_bpermute", r"ds_bpermute"),
    ("readlane", r"v_readlane"),
)


def main():
    wanted = sys.argv[1:] or KERNELS
    os.makedirs(amdgcn.OUT, exist_ok=True)
    lines = [["kernel", "for", *(title for title, _ in KINDS), "total"]]
    try:
        compiler = amdgcn.hip.Compiler(amdgcn.OUT)
        compiler.device_libraries()
    except amdgcn.hip.Missing as reason:
        print(f"exchanges between lanes: skipped: {reason}")
        return
    for kernel in wanted:
        for arch in ARCHS:
            amdgcn.ARCH = arch
            try:
                code = amdgcn.Side(compiler, kernel, f"{kernel}.{arch}", amdgcn.wavec_text(kernel)).code
            except sass.Missing as reason:
                print(f"missing: {kernel}: {reason}")
                continue
            lines.append([kernel, arch, *(str(sum(bool(re.match(form, i.text)) for i in code)) for _, form in KINDS), str(len(code))])
    print("Exchanges between lanes in AMD's machine code")
    sass.print_table(lines)


if __name__ == "__main__":
    main()
