#!/usr/bin/env python3
"""A test program of one long block: usage: long_program.py [INSTRUCTIONS]

Random integer operations on sixteen registers, with an occasional load or store of the thread's own words. Every thread's
results are calculated here, in Python's own integers, and written to the file as expected values.
"""
import random
import sys

THREADS, WORDS, FIRST, REGISTERS = 32, 16, 8, 16
ADDRESS = FIRST + REGISTERS
MASK = 0xFFFFFFFF
OPERATIONS = {
    "iadd": lambda a, b: a + b,
    "isub": lambda a, b: a - b,
    "imul": lambda a, b: a * b,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "shl": lambda a, b: a << (b & 31),
    "shr": lambda a, b: a >> (b & 31),
}


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.registers = [[0] * THREADS for _ in range(REGISTERS)]
        self.memory = [[0] * THREADS for _ in range(WORDS)]

    def set(self, register, values):
        self.registers[register] = [value & MASK for value in values]

    def start(self):
        """Every register starts as a different multiple of the thread's number, which is in r1. The addresses of the
        thread's words follow, from r2 on in steps of r4."""
        for k in range(REGISTERS):
            factor = self.random.randrange(1, 1 << 16)
            self.lines.append(f"mov_imm r{FIRST + k}, {factor}\n    imul r{FIRST + k}, r{FIRST + k}, r1")
            self.set(k, [factor * thread for thread in range(THREADS)])
        for word in range(WORDS):
            self.lines.append(f"mov r{ADDRESS + word}, r2\n    iadd r2, r2, r4")

    def step(self):
        kind = self.random.randrange(16)
        to, a, b = (self.random.randrange(REGISTERS) for _ in range(3))
        word = self.random.randrange(WORDS)
        if kind == 0:
            self.lines.append(f"device_load_u32 r{FIRST + to}, r{ADDRESS + word}")
            self.registers[to] = list(self.memory[word])
        elif kind == 1:
            self.lines.append(f"device_store_u32 r{ADDRESS + word}, r{FIRST + a}")
            self.memory[word] = list(self.registers[a])
        else:
            name = self.random.choice(list(OPERATIONS))
            self.lines.append(f"{name} r{FIRST + to}, r{FIRST + a}, r{FIRST + b}")
            self.set(to, map(OPERATIONS[name], self.registers[a], self.registers[b]))

    def text(self, count):
        self.start()
        for _ in range(count - 2 * REGISTERS - 3 * WORDS - 6):
            self.step()
        for word in range(WORDS):
            self.lines.append(f"device_store_u32 r{ADDRESS + word}, r{FIRST + word}")
            self.memory[word] = list(self.registers[word])
        values = [str(self.memory[word][thread]) for thread in range(THREADS) for word in range(WORDS)]
        head = [f";@ test    a block of {count} instructions", ";@ widths  8 16 32 64", f";@ group   {THREADS}",
                f";@ buffer  out u32 {THREADS * WORDS} at 256", ";@ args    out", ";@ expect  out = " + " ".join(values[:WORDS])]
        head += [";@ + " + " ".join(values[k:k + WORDS]) for k in range(WORDS, len(values), WORDS)]
        head += [".kernel long", f".registers {ADDRESS + WORDS}", "    mov_sr r1, sr_thread_id_x", "    mov_imm r3, 6",
                 "    mov_imm r4, 4", "    shl r2, r1, r3", "    iadd r2, r0, r2"]
        return "\n".join(head) + "\n" + "".join(f"    {line}\n" for line in self.lines) + "    halt\n.end\n"


if __name__ == "__main__":
    sys.stdout.write(Program(1).text(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
