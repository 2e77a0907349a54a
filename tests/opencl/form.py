"""Shared by the generators of the folders integer, math and features: tables of arguments and results as tests with one kernel each,
and writing or checking files. Tests that need more than a table use kernels.py."""

import math
import os
import sys

from kernels import f32  # noqa: F401  for the generators

PER_LINE = 8


def word(value):
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "nan"
    return repr(value) if math.isinf(value) else "%.9g" % value


def drawn(generator, lo, hi):
    """An f32 strictly inside, so that no reference is evaluated outside its domain."""
    while True:
        value = f32(generator.uniform(lo, hi))
        if lo < value < hi:
            return value


def listed(first, values):
    """A line of the test format with its continuations."""
    lines = []
    for at in range(0, len(values), PER_LINE):
        lines.append(("//@ + " if at else first) + " ".join(word(v) for v in values[at:at + PER_LINE]))
    return lines


def buffer(name, kind, values):
    return listed("//@ buffer  %s %s %d = " % (name, kind, len(values)), values)


def expectation(name, limit, values):
    mode = " ulp %d" % math.ceil(limit) if limit else ""
    return listed("//@ expect  %s%s = " % (name, mode), values)


def file_of(title, kernel, inputs, outputs, note=()):
    """inputs: (name, type, values); outputs: (name, type, limit, values)"""
    count = len(inputs[0][2])
    lines = ["//@ test    " + title, "// Written by generate.py."] + list(note)
    if any(abs(v) < 2.0 ** -126 and v != 0 for _, kind, values in inputs for v in values if kind == "f32") or any(
            abs(v) < 2.0 ** -126 and v != 0 for _, kind, _, values in outputs for v in values if kind == "f32"):
        lines.append("//@ ftz-sensitive")
    lines += ["//@ grid    1", "//@ group   %d" % count]
    for name, kind, values in inputs:
        lines += buffer(name, kind, values)
    for name, kind, _, _ in outputs:
        lines.append("//@ buffer  %s %s %d" % (name, kind, count))
    lines.append("//@ args    " + " ".join([i[0] for i in inputs] + [o[0] for o in outputs]))
    for name, _, limit, values in outputs:
        lines += expectation(name, limit, values)
    return "\n".join(lines) + "\n" + kernel


KERNEL = """
kernel void test_%s(%s) {
    size_t i = get_global_id(0);
    %s
}
"""


def kernel_of(name, parameters, body):
    return KERNEL % (name, ", ".join(parameters), body)


def main(folder, files):
    """Writes the files (name, text) of a folder, or with --check compares them."""
    check = sys.argv[1:] == ["--check"]
    stale, count = [], 0
    for name, text in files:
        path = os.path.join(folder, name + ".cl")
        count += 1
        old = open(path, encoding="ascii").read() if os.path.exists(path) else None
        if old == text:
            continue
        stale.append(name)
        if not check:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
    where = "tests/opencl/" + os.path.basename(folder)
    if check and stale:
        sys.exit("%s: not as generate.py writes them: %s" % (where, " ".join(stale)))
    print("%s: %d kernels, %d %s" % (where, count, len(stale), "stale" if check else "written"))
