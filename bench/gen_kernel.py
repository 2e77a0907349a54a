#!/usr/bin/env python3
"""Writes a valid kernel of exactly N instructions in assembly. The same N always yields the same text.

The instructions come from src/isa/isa.def, so every kind occurs. The weights below produce the mix of ordinary kernels
(moves, address arithmetic, f32, memory, some control flow, a little of the rest). The kernel is meant for measuring the
assembler, disassembler and validator, not for running.

usage: gen_kernel.py N >kernel.wave
"""

import re
import sys

REGISTERS = 64
MAX_DEPTH = 6
FUNCTIONS = 8
SCOPES = (".wave", ".workgroup", ".device", ".system")
SPECIALS = ("sr_thread_id_x", "sr_lane_id", "sr_workgroup_id_x", "sr_workgroup_size_x", "sr_wave_width")

# Share of each group among the instructions that are not structure (if, loop, call, …).
WEIGHTS = {
    "move": 18, "integer": 22, "bits": 8, "compare": 7, "float": 20, "convert": 3, "half": 3, "double": 2,
    "device": 9, "local": 4, "atomic": 1.5, "wave": 1.5, "mma": 0.5, "sync": 0.5,
}


def group_of(opcode):
    """The group that an opcode belongs to, or None for structure, which is placed separately."""
    ranges = (
        (0x00, 0x0F, "integer"), (0x10, 0x1B, "float"), (0x1C, 0x1D, "half"), (0x1E, 0x1F, "double"),
        (0x20, 0x27, "bits"), (0x28, 0x2B, "compare"), (0x2C, 0x2C, "convert"), (0x2D, 0x2E, "half"),
        (0x30, 0x31, "local"), (0x38, 0x39, "device"), (0x3C, 0x3D, "atomic"), (0x3E, 0x3E, "wave"),
        (0x40, 0x40, "mma"), (0x41, 0x41, "move"),
    )
    for low, high, name in ranges:
        if low <= opcode <= high:
            return name
    return None


def read_table(path):
    """Rows of isa.def as {group: [(mnemonic, roles, tail)]}."""
    row = re.compile(r'^INSN\(\w+,\s*"(\w+)",\s*(0x\w+),\s*(\d+),\s*\d,\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),')
    groups = {name: [] for name in WEIGHTS}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = row.match(line)
            if not match:
                continue
            mnemonic, opcode, modifier = match.group(1), int(match.group(2), 16), int(match.group(3))
            group = group_of(opcode)
            if opcode == 0x40 and modifier >= 8:  # tiles, which have operands that no other instruction has
                group = None
            if (opcode == 0x3F and modifier >= 11) or mnemonic == "assert":  # fences, wait, nop
                group = "sync"
            if group:
                groups[group].append((mnemonic, match.group(4, 5, 6, 7, 8), match.group(9)))
    return groups


class Writer:
    def __init__(self, total):
        self.left = total
        self.lines = []
        self.frames = []  # "if", "else", "loop"
        self.state = 0x9E3779B97F4A7C15

    def random(self, bound):
        """A number below bound, from a 64-bit xorshift: the same in every version of Python."""
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= (x << 17) & 0xFFFFFFFFFFFFFFFF
        self.state = x
        return (x >> 33) % bound

    def emit(self, text):
        self.lines.append("    " * (1 + len(self.frames)) + text)
        self.left -= 1

    def operand(self, role):
        if role in ("W", "R"):
            return f"r{self.random(REGISTERS)}"
        if role == "WA":
            return f"r{1 + self.random(REGISTERS - 1)}"
        if role in ("W2", "R2"):
            return f"r{2 * self.random(REGISTERS // 2)}"
        if role in ("W4", "R4"):
            return f"r{4 * self.random(REGISTERS // 4)}"
        if role in ("PW", "PR", "PN"):
            return f"p{self.random(4)}"
        if role == "SR":
            return SPECIALS[self.random(len(SPECIALS))]
        return f"r{self.random(4)}"  # an MMA fragment

    def plain(self, row):
        mnemonic, roles, tail = row
        operands = [self.operand(role) for role in roles if role != "NONE"]
        if tail == "SCOPE":
            operands.append(SCOPES[self.random(4)])
        elif tail == "IMM":
            value = self.random(1 << 31) >> self.random(31)
            operands.append(f"{value}" if self.random(2) else f"0x{value:X}")
        guard = ("", "!")[self.random(2)]
        guard = f"@{guard}p{1 + self.random(3)} " if self.random(10) == 0 else ""
        self.emit(f"{guard}{mnemonic} {', '.join(operands)}".rstrip())

    def close(self):
        kind = self.frames.pop()
        self.emit("endloop" if kind == "loop" else "endif")

    def structure(self):
        """One step of control flow; False when the choice does not fit here."""
        choice = self.random(10)
        if choice < 4 and len(self.frames) < MAX_DEPTH:
            kind = "if" if choice < 3 else "loop"
            self.emit("loop" if kind == "loop" else f"if p{self.random(4)}")
            self.frames.append(kind)
        elif choice < 7 and self.frames:
            self.close()
        elif choice == 7 and self.frames and self.frames[-1] == "if":
            self.frames.pop()
            self.emit("else")
            self.frames.append("else")
        elif choice == 8 and "loop" in self.frames:
            self.emit(f"{('break', 'continue')[self.random(2)]} p{self.random(4)}")
        elif choice == 9:
            self.emit("barrier" if not self.frames and self.random(4) == 0 else f"call function_{self.random(FUNCTIONS)}")


def main():
    total = int(sys.argv[1])
    groups = read_table(re.sub(r"bench/gen_kernel\.py$", "src/isa/isa.def", __file__))
    wheel = []
    for name, weight in WEIGHTS.items():
        assert groups[name], f"isa.def has no instruction of the group {name}"
        wheel += [name] * int(weight * 4)

    writer = Writer(total)
    functions = 3 * FUNCTIONS if total >= 100 else 0
    # Room for closing every frame, the halt, and the functions.
    while writer.left > functions + len(writer.frames) + 2:
        if functions and writer.random(9) == 0:
            writer.structure()
        else:
            rows = groups[wheel[writer.random(len(wheel))]]
            writer.plain(rows[writer.random(len(rows))])
    while writer.frames:
        writer.close()
    while writer.left > functions + 1:
        writer.emit("nop")
    writer.emit("halt")
    if functions:
        for index in range(FUNCTIONS):
            writer.lines.append(f"function_{index}:")
            writer.plain(groups["integer"][0])
            writer.plain(groups["float"][0])
            writer.emit("return")
    assert writer.left == 0

    print(f"; {total} instructions, written by bench/gen_kernel.py")
    print(f".kernel generated\n.registers {REGISTERS}\n.local_memory 16384\n.workgroup_size 256, 1, 1")
    sys.stdout.write("\n".join(writer.lines))
    print("\n.end")


if __name__ == "__main__":
    main()
