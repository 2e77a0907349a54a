#!/usr/bin/env python3
"""Writes kernels for measuring the compiler. The same arguments always yield the same text.

  gen_compile.py straight N      N straight-line instructions: address arithmetic, f32 and integer work, loads, stores
  gen_compile.py mix N           N instructions of every kind, one in ten under a predicate
  gen_compile.py ifs N           N ifs one after the other, each with a little work
  gen_compile.py loops N         N loops one after the other
  gen_compile.py nested-ifs N    N nested ifs (at most 256)
  gen_compile.py nested-loops N  N nested loops (at most 256)
"""

import re
import sys

import gen_kernel


def straight(n):
    """Chains of arithmetic that end in stores, as in unrolled kernels; every value is used."""
    lines, x = [], 12345
    while len(lines) < n - 1:
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        a, b, c = 2 + (x >> 8) % 20, 2 + (x >> 13) % 20, 2 + (x >> 18) % 20
        kind = (x >> 23) % 10
        if kind < 3:
            lines.append("iadd r%d, r%d, r%d" % (a, b, c))
        elif kind == 3:
            lines.append("fma r%d, r%d, r%d, r%d" % (a, b, c, a))
        elif kind == 4:
            lines.append("fadd r%d, r%d, r%d" % (a, b, c))
        elif kind == 5:
            lines.append("mov_imm r%d, %d" % (a, x & 0xFFFF))
        elif kind == 6:
            lines.append("xor r%d, r%d, r%d" % (a, b, c))
        elif kind == 7:
            lines.append("shl r%d, r%d, r%d" % (a, b, c))
        elif kind == 8:
            lines.append("device_load_u32 r%d, r%d" % (a, b))
        else:
            lines.append("device_store_u32 r%d, r%d" % (a, b))
    return lines


# Not in the mix: f64, which Metal does not have; instructions that expand to a whole function; and asserts, which may end the
# kernel where both operands of a compare are the same register.
NOT_IN_MIX = re.compile("f64|^(fsin|fcos|fexp2|flog2|assert)$")


def mix(n):
    """The kinds and weights of gen_kernel.py. Every register starts with a loaded value, so that nothing is constant."""
    table = gen_kernel.read_table(re.sub(r"bench/gen_compile\.py$", "src/isa/isa.def", __file__))
    groups = {name: [row for row in rows if not NOT_IN_MIX.search(row[0])]
              for name, rows in table.items() if name not in ("double", "mma")}
    wheel = [name for name in groups for _ in range(int(gen_kernel.WEIGHTS[name] * 4))]
    writer = gen_kernel.Writer(n - 1)
    writer.emit("mov_sr r0, sr_thread_id_x")
    for first in range(gen_kernel.REGISTERS - 4, -1, -4):
        writer.emit(f"device_load_u128 r{first}, r0")
    for k in range(4):
        writer.emit(f"icmp_lt p{k}, r{k}, r{k + 5}")
    while writer.left > 0:
        rows = groups[wheel[writer.random(len(wheel))]]
        writer.plain(rows[writer.random(len(rows))])
    return [line.strip() for line in writer.lines]


def ifs(n):
    lines = []
    for k in range(n):
        lines += ["icmp_lt p1, r%d, r1" % (2 + k % 8), "if p1", "iadd r%d, r2, r3" % (2 + k % 8), "else",
                  "device_store_u32 r0, r%d" % (2 + k % 8), "endif"]
    return lines


def loops(n):
    lines = []
    for k in range(n):
        lines += ["mov_imm r9, 0", "loop", "icmp_ge p1, r9, r1", "break p1", "iadd r%d, r%d, r9" % (2 + k % 7, 2 + k % 7),
                  "iadd r9, r9, r8", "endloop"]
    return lines + ["device_store_u32 r0, r%d" % k for k in range(2, 9)]


def nested_ifs(n):
    head, tail = [], []
    for k in range(n):
        head += ["icmp_lt p1, r%d, r1" % (2 + k % 8), "if p1", "iadd r%d, r2, r3" % (2 + k % 8)]
        tail += ["iadd r%d, r4, r5" % (2 + k % 8), "endif"]
    return head + tail + ["device_store_u32 r0, r%d" % k for k in range(2, 10)]


def nested_loops(n):
    head, tail = [], []
    for k in range(n):
        r = 2 + k % 8
        head += ["loop", "icmp_ge p1, r%d, r1" % r, "break p1", "iadd r%d, r%d, r10" % (r, r)]
        tail += ["endloop"]
    return head + tail + ["device_store_u32 r0, r%d" % k for k in range(2, 10)]


SHAPES = {"straight": straight, "mix": mix, "ifs": ifs, "loops": loops, "nested-ifs": nested_ifs, "nested-loops": nested_loops}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    lines = SHAPES[sys.argv[1]](int(sys.argv[2]))
    mixed = sys.argv[1] == "mix"
    print(".kernel bench\n.workgroup_size 64, 1, 1")
    print(f".registers {gen_kernel.REGISTERS}\n.local_memory 16384" if mixed else ".registers 32")
    print("\n".join("    " + line for line in lines + ["halt"]))
    print(".end")


main()
