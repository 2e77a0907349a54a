#!/usr/bin/env python3
"""Writes the kernels of this folder: OpenCL's integer functions for each of the eight types, on edge cases and random
numbers.

usage: generate.py [--check]     --check: fails if a file is out of date

Results are computed with Python's integers from the definitions of OpenCL C 3.0, 6.15.3. Values are written without
sign.
"""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from form import kernel_of, listed, main

TYPES = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True), "uint": (32, False),
         "long": (64, True), "ulong": (64, False)}
WIDER = {"char": "short", "uchar": "ushort", "short": "int", "ushort": "uint", "int": "long", "uint": "ulong"}
COUNT = 40


def limits(bits, signed):
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def saturated(value, bits, signed):
    lo, hi = limits(bits, signed)
    return min(max(value, lo), hi)


def rotated(x, count, bits):
    x, count = x & ((1 << bits) - 1), count % bits
    return x << count | x >> (bits - count)


def functions(bits, signed):
    """OpenCL C of each result, and the result"""
    mask = (1 << bits) - 1
    return [
        ("abs(x)", lambda x, y, z: abs(x)),
        ("abs_diff(x, y)", lambda x, y, z: abs(x - y)),
        ("add_sat(x, y)", lambda x, y, z: saturated(x + y, bits, signed)),
        ("sub_sat(x, y)", lambda x, y, z: saturated(x - y, bits, signed)),
        ("hadd(x, y)", lambda x, y, z: (x + y) >> 1),
        ("rhadd(x, y)", lambda x, y, z: (x + y + 1) >> 1),
        ("clamp(x, min(y, z), max(y, z))", lambda x, y, z: min(max(x, min(y, z)), max(y, z))),
        ("clz(x)", lambda x, y, z: bits - (x & mask).bit_length()),
        ("ctz(x)", lambda x, y, z: bits if x == 0 else (x & -x).bit_length() - 1),
        ("mad_hi(x, y, z)", lambda x, y, z: (x * y >> bits) + z),
        ("mad_sat(x, y, z)", lambda x, y, z: saturated(x * y + z, bits, signed)),
        ("max(x, y)", lambda x, y, z: max(x, y)),
        ("min(x, y)", lambda x, y, z: min(x, y)),
        ("mul_hi(x, y)", lambda x, y, z: x * y >> bits),
        ("rotate(x, y)", lambda x, y, z: rotated(x, y, bits)),
        ("popcount(x)", lambda x, y, z: bin(x & mask).count("1")),
    ] + ([] if bits != 32 else [
        ("mul24(x >> 8, y >> 8)", lambda x, y, z: (x >> 8) * (y >> 8)),
        ("mad24(x >> 8, y >> 8, z)", lambda x, y, z: (x >> 8) * (y >> 8) + z),
    ])


def arguments(name):
    bits, signed = TYPES[name]
    lo, hi = limits(bits, signed)
    edges = [0, 1, 2, hi, hi - 1, lo, lo + 1, hi // 2] + ([-1, -2] if signed else [])
    generator = random.Random(name)
    columns = []
    for _ in range(3):
        column = [generator.choice(edges) for _ in range(COUNT // 2)]
        columns.append(column + [generator.randint(lo, hi) >> generator.randint(0, bits // 2) for _ in range(COUNT - len(column))])
    return columns


def body_of(name, calls):
    lines = ["%s x = a[i], y = b[i], z = c[i];" % name]
    lines += ["out[%d * i + %d] = (%s)%s;" % (len(calls), k, name, call) for k, (call, _) in enumerate(calls)]
    if name in WIDER:
        low = "lo" if TYPES[name][1] else "y"
        lines += ["%s lo = (%s)y;" % ("u" + name, "u" + name)] if TYPES[name][1] else []
        lines.append("wide[i] = upsample(x, %s);" % low)
    return "\n    ".join(lines)


def file_for(name):
    bits, signed = TYPES[name]
    mask = (1 << bits) - 1
    calls = functions(bits, signed)
    columns = arguments(name)
    rows = list(zip(*columns))
    out = [function(*row) & mask for row in rows for _, function in calls]
    lines = ["//@ test    the integer functions of " + name, "// Written by generate.py.", "//@ grid    1", "//@ group   %d" % COUNT]
    for letter, column in zip("abc", columns):
        lines += listed("//@ buffer  %s u%d %d = " % (letter, bits, COUNT), [v & mask for v in column])
    lines.append("//@ buffer  out u%d %d" % (bits, len(out)))
    parameters = ["global const %s *%s" % (name, letter) for letter in "abc"] + ["global %s *out" % name]
    if name in WIDER:
        lines.append("//@ buffer  wide u%d %d" % (2 * bits, COUNT))
        parameters.append("global %s *wide" % WIDER[name])
    lines.append("//@ args    a b c out" + (" wide" if name in WIDER else ""))
    lines += listed("//@ expect  out = ", out)
    if name in WIDER:
        lines += listed("//@ expect  wide = ", [(x & mask) << bits | (y & mask) for x, y, _ in rows])
    return "\n".join(lines) + "\n" + kernel_of(name, parameters, body_of(name, calls))


if __name__ == "__main__":
    main(HERE, ((name, file_for(name)) for name in TYPES))
