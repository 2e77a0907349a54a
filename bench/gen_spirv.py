#!/usr/bin/env python3
"""Writes SPIR-V modules for measuring the reader and the compiler. The same arguments always yield the same bytes.
Prints the number of instructions of the module.

  gen_spirv.py straight N FILE   N straight-line instructions: address arithmetic, f32 and integer work, loads, stores
  gen_spirv.py ifs N FILE        N ifs one after the other, each with a little work and a phi
  gen_spirv.py loops N FILE      N loops one after the other
  gen_spirv.py calls N FILE      N calls of a function of five instructions, which are inlined
  gen_spirv.py library N FILE    N calls of OpenCL's exp
"""

import struct
import sys

# The opcodes used here, by the specification's names
OP = dict(ExtInstImport=11, ExtInst=12, MemoryModel=14, EntryPoint=15, Capability=17, TypeVoid=19, TypeBool=20, TypeInt=21,
          TypeFloat=22, TypePointer=32, TypeFunction=33, Constant=43, Function=54, FunctionParameter=55, FunctionEnd=56,
          FunctionCall=57, Load=61, Store=62, InBoundsPtrAccessChain=70, ShiftLeftLogical=196, BitwiseXor=198, BitwiseAnd=199,
          IAdd=128, FAdd=129, IMul=132, FMul=133, ULessThan=176, Phi=245, Label=248, Branch=249, BranchConditional=250, Return=253,
          ReturnValue=254)
EXP = 19
ALIGNED = (2, 4)


class Module:
    """Words of a module with one kernel: k(global uint *u, global float *f, uint n)."""

    def __init__(self):
        self.words, self.count, self.bound = [], 0, 1
        self.library = self.id()
        self.kernel = self.id()
        for capability in (6, 4, 5):  # Kernel, Addresses, Linkage
            self.add("Capability", capability)
        self.add("ExtInstImport", self.library, *text("OpenCL.std"))
        self.add("MemoryModel", 1, 2)  # Physical32, OpenCL
        self.add("EntryPoint", 6, self.kernel, *text("k"))
        self.void, self.bool, self.uint, self.float = (self.id() for _ in range(4))
        self.add("TypeVoid", self.void)
        self.add("TypeBool", self.bool)
        self.add("TypeInt", self.uint, 32, 0)
        self.add("TypeFloat", self.float, 32)
        self.to_uint, self.to_float, self.signature, self.helper_type = (self.id() for _ in range(4))
        self.add("TypePointer", self.to_uint, 5, self.uint)
        self.add("TypePointer", self.to_float, 5, self.float)
        self.add("TypeFunction", self.signature, self.void, self.to_uint, self.to_float, self.uint)
        self.add("TypeFunction", self.helper_type, self.uint, self.uint, self.uint)
        self.zero, self.one, self.mask = (self.constant(value) for value in (0, 1, 31))

    def id(self):
        self.bound += 1
        return self.bound - 1

    def add(self, op, *operands):
        self.words += [(len(operands) + 1) << 16 | OP[op], *operands]
        self.count += 1

    def value(self, op, type_id, *operands):
        result = self.id()
        self.add(op, type_id, result, *operands)
        return result

    def constant(self, value):
        return self.value("Constant", self.uint, value)

    def label(self, name=None):
        name = name or self.id()
        self.add("Label", name)
        return name

    def open_kernel(self):
        self.add("Function", self.void, self.kernel, 0, self.signature)
        self.u, self.f, self.n = (self.value("FunctionParameter", t) for t in (self.to_uint, self.to_float, self.uint))
        return self.label()

    def element(self, of_float, index):
        kind, base = (self.to_float, self.f) if of_float else (self.to_uint, self.u)
        return self.value("InBoundsPtrAccessChain", kind, base, index)

    def load(self, of_float, index):
        return self.value("Load", self.float if of_float else self.uint, self.element(of_float, index), *ALIGNED)

    def store(self, of_float, index, value):
        self.add("Store", self.element(of_float, index), value, *ALIGNED)

    def close(self, path):
        self.add("Return")
        self.add("FunctionEnd")
        words = [0x07230203, 0x00010400, 0, self.bound, 0, *self.words]
        with open(path, "wb") as file:
            file.write(struct.pack(f"<{len(words)}I", *words))
        print(self.count)


def text(string):
    data = string.encode() + b"\0"
    return struct.unpack(f"<{(len(data) + 3) // 4}I", data + b"\0" * (-len(data) % 4))


def straight(m, n):
    """Chains of arithmetic over eight integers and eight floats that end in stores, as in unrolled kernels."""
    m.open_kernel()
    ints = [m.load(False, m.mask) for _ in range(8)]
    floats = [m.load(True, m.mask) for _ in range(8)]
    start, x = m.count, 12345
    while m.count - start < n:
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        a, b, c, kind = (x >> 8) % 8, (x >> 13) % 8, (x >> 18) % 8, (x >> 23) % 8
        if kind < 2:
            ints[a] = m.value("IAdd", m.uint, ints[b], ints[c])
        elif kind == 2:
            floats[a] = m.value("FAdd", m.float, m.value("FMul", m.float, floats[b], floats[c]), floats[a])
        elif kind == 3:
            ints[a] = m.value("BitwiseXor", m.uint, ints[b], ints[c])
        elif kind == 4:
            ints[a] = m.value("ShiftLeftLogical", m.uint, ints[b], m.value("BitwiseAnd", m.uint, ints[c], m.mask))
        elif kind == 5:
            floats[a] = m.value("FAdd", m.float, floats[b], floats[c])
        elif kind == 6:
            ints[a] = m.load(False, ints[b])
        else:
            m.store(True, ints[b], floats[a])
    for k in range(8):
        m.store(False, m.one, ints[k])
        m.store(True, m.one, floats[k])


def ifs(m, n):
    before = m.open_kernel()
    total = m.zero
    for _ in range(n):
        inside, after = m.id(), m.id()
        m.add("BranchConditional", m.value("ULessThan", m.bool, total, m.n), inside, after)
        m.label(inside)
        more = m.load(False, total)
        m.add("Branch", after)
        m.label(after)
        total = m.value("Phi", m.uint, more, inside, total, before)
        before = after
    m.store(False, m.zero, total)


def loops(m, n):
    before = m.open_kernel()
    total = m.zero
    for _ in range(n):
        head, after, next_i, next_total = (m.id() for _ in range(4))
        m.add("Branch", head)
        m.label(head)
        i = m.value("Phi", m.uint, m.zero, before, next_i, head)
        summed = m.value("Phi", m.uint, total, before, next_total, head)
        m.add("IAdd", m.uint, next_total, summed, m.load(False, i))
        m.add("IAdd", m.uint, next_i, i, m.one)
        m.add("BranchConditional", m.value("ULessThan", m.bool, next_i, m.n), head, after)
        m.label(after)
        total, before = next_total, after
    m.store(False, m.zero, total)


def calls(m, n):
    helper = m.id()
    m.add("Function", m.uint, helper, 0, m.helper_type)
    a, b = (m.value("FunctionParameter", m.uint) for _ in range(2))
    m.label()
    mixed = m.value("BitwiseXor", m.uint, m.value("IAdd", m.uint, a, b), m.value("IMul", m.uint, a, m.mask))
    m.add("ReturnValue", m.value("IAdd", m.uint, mixed, m.value("ShiftLeftLogical", m.uint, b, m.one)))
    m.add("FunctionEnd")
    m.open_kernel()
    total = m.n
    for _ in range(n):
        total = m.value("FunctionCall", m.uint, helper, total, m.n)
    m.store(False, m.zero, total)
    m.count += 5 * n  # what is inlined counts


def library(m, n):
    m.open_kernel()
    total = m.load(True, m.n)
    for _ in range(n):
        total = m.value("ExtInst", m.float, m.library, EXP, total)
    m.store(True, m.zero, total)


SHAPES = {"straight": straight, "ifs": ifs, "loops": loops, "calls": calls, "library": library}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in SHAPES or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    module = Module()
    SHAPES[sys.argv[1]](module, int(sys.argv[2]))
    module.close(sys.argv[3])


main()
