#!/usr/bin/env python3
"""Writes the kernels of this folder: every mathematical function of OpenCL C on random arguments and edge cases
(tables.py).

usage: generate.py [--check]     --check: fails if a file is out of date

Expected values are correctly rounded; a kernel may differ by OpenCL's own limit. None of our code is run.
"""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import pairs
import tables
from form import drawn, f32, file_of, kernel_of, main

DRAWN = 24


def one_argument(name):
    reference, limit, lo, hi, edges = tables.ONE[name]
    generator = random.Random(name)
    x = [drawn(generator, lo, hi) for _ in range(DRAWN)]
    results = [f32(float(reference(v))) for v in x] + [f32(float(want)) for _, want in edges]
    x += [float(v) for v, _ in edges]
    kernel = kernel_of(name, ["global const float *x", "global float *out"], "out[i] = %s(x[i]);" % name)
    return file_of(name, kernel, [("x", "f32", x)], [("out", "f32", limit, results)])


def two_arguments(name):
    reference, limit, lo, hi, y_lo, y_hi, edges = tables.TWO[name]
    generator = random.Random(name)
    count = DRAWN if reference else 0
    x = [drawn(generator, lo, hi) for _ in range(count)]
    y = [drawn(generator, y_lo, y_hi) for _ in range(count)]
    results = [f32(float(reference(a, b))) for a, b in zip(x, y)] + [f32(float(want)) for _, _, want in edges]
    x += [float(a) for a, _, _ in edges]
    y += [float(b) for _, b, _ in edges]
    kernel = kernel_of(name, ["global const float *x", "global const float *y", "global float *out"], "out[i] = %s(x[i], y[i]);" % name)
    return file_of(name, kernel, [("x", "f32", x), ("y", "f32", y)], [("out", "f32", limit, results)])


def int_argument(name):
    reference, limit, lo, hi, ints, edges = tables.INT[name]
    generator = random.Random(name)
    x = [drawn(generator, lo, hi) for _ in range(DRAWN)]
    n = [generator.randint(*ints) for _ in range(DRAWN)]
    results = [f32(float(reference(a, b))) for a, b in zip(x, n)] + [f32(float(want)) for _, _, want in edges]
    x += [float(a) for a, _, _ in edges]
    n += [b for _, b, _ in edges]
    kernel = kernel_of(name, ["global const float *x", "global const int *n", "global float *out"], "out[i] = %s(x[i], n[i]);" % name)
    return file_of(name, kernel, [("x", "f32", x), ("n", "i32", n)], [("out", "f32", limit, results)])


def files():
    for table, make in ((tables.ONE, one_argument), (tables.TWO, two_arguments), (tables.INT, int_argument)):
        for name in table:
            yield name, make(name)
    yield from pairs.files()


if __name__ == "__main__":
    main(HERE, files())
