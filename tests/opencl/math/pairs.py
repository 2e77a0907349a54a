"""Functions with a second result through a pointer, with more than two arguments, on vectors and on halves."""

import math
import random

from form import drawn, f32, file_of, kernel_of

INF, NAN = math.inf, math.nan


def fract(x):
    return min(x - math.floor(x), float.fromhex("0x1.fffffep-1"))


def quotient(x, y):
    """The low 7 bits of x / y rounded to even, with its sign."""
    n = round(x / y)
    return int(math.copysign(abs(n) & 127, n))


# name: (arguments' ranges, results, their types and limits, edge cases: arguments, results)
PAIRS = {
    "sincos": ([(-40, 40)], [(math.sin, "f32", 4), (math.cos, "f32", 4)], [((0.0,), (0.0, 1.0)), ((-0.0,), (-0.0, 1.0)), ((INF,), (NAN, NAN))]),
    "fract": ([(0.25, 60)], [(fract, "f32", 0), (math.floor, "f32", 0)],
              [((-0.25,), (0.75, -1.0)), ((-0.0,), (-0.0, -0.0)), ((INF,), (0.0, INF)), ((-INF,), (-0.0, -INF)), ((NAN,), (NAN, NAN)),
               ((-1e-30,), (float.fromhex("0x1.fffffep-1"), -1.0))]),
    "modf": ([(-60, 60)], [(lambda x: math.modf(x)[0], "f32", 0), (lambda x: math.modf(x)[1], "f32", 0)],
             [((-0.0,), (-0.0, -0.0)), ((INF,), (0.0, INF)), ((-INF,), (-0.0, -INF)), ((NAN,), (NAN, NAN)), ((-3.0,), (-0.0, -3.0))]),
    "frexp": ([(-60, 60)], [(lambda x: math.frexp(x)[0], "f32", 0), (lambda x: math.frexp(x)[1], "i32", 0)],
              [((2.0 ** -149,), (0.5, -148)), ((-0.0,), (-0.0, 0)), ((1.0,), (0.5, 1))]),
    "remquo": ([(-500, 500), (0.5, 9)], [(math.remainder, "f32", 0), (quotient, "i32", 0)],
               [((5.0, 2.0), (1.0, 2)), ((7.0, 2.0), (-1.0, 4)), ((-7.0, 2.0), (1.0, -4)), ((INF, 1.0), (NAN, 0)), ((1.0, 0.0), (NAN, 0)),
                ((3.0, INF), (3.0, 0))]),
    "lgamma_r": ([(0.5, 30)], [(math.lgamma, "f32", 16), (lambda x: 1, "i32", 0)],
                 [((-0.5,), (math.lgamma(-0.5), -1)), ((-1.5,), (math.lgamma(-1.5), 1)), ((1.0,), (0.0, 1))]),
}
OPENCL_TYPES = {"f32": "float", "i32": "int"}


def pair_file(name, where):
    ranges, results, edges = PAIRS[name]
    generator = random.Random(name)
    columns = [[drawn(generator, lo, hi) for _ in range(16)] for lo, hi in ranges]
    wanted = []
    for k, (function, kind, _) in enumerate(results):
        values = [function(*row) for row in zip(*columns)] + [edge[1][k] for edge in edges]
        wanted.append([int(v) for v in values] if kind == "i32" else [f32(float(v)) for v in values])
    inputs = [("xy"[k], "f32", column + [edge[0][k] for edge in edges]) for k, column in enumerate(columns)]
    outputs = [(out, kind, limit, values) for out, (_, kind, limit), values in zip(("out", "second"), results, wanted)]
    parameters = ["global const float *%s" % i[0] for i in inputs] + ["global %s *%s" % (OPENCL_TYPES[o[1]], o[0]) for o in outputs]
    call = "%s(%s, %%s)" % (name, ", ".join("%s[i]" % i[0] for i in inputs))
    kind = OPENCL_TYPES[outputs[1][1]]
    body = {"private": "%s r;\n    out[i] = %s;\n    second[i] = r;" % (kind, call % "&r"), "global": "out[i] = %s;" % (call % "second + i")}[where]
    title = "%s, the second result to %s memory" % (name, where)
    return file_of(title, kernel_of(name, parameters, body), inputs, outputs)


def three_file(name, function, limit, ranges):
    generator = random.Random(name)
    columns = [[drawn(generator, lo, hi) for _ in range(24)] for lo, hi in ranges]
    wanted = [f32(float(function(*row))) for row in zip(*columns)]
    inputs = [("abc"[k], "f32", column) for k, column in enumerate(columns)]
    parameters = ["global const float *%s" % i[0] for i in inputs] + ["global float *out"]
    body = "out[i] = %s(a[i], b[i], c[i]);" % name
    return file_of(name, kernel_of(name, parameters, body), inputs, [("out", "f32", limit, wanted)])


def smoothstep(edge0, edge1, x):
    t = min(max((x - edge0) / (edge1 - edge0), 0.0), 1.0)
    return t * t * (3 - 2 * t)


# fma and mad of numbers with few bits are exact; mix and smoothstep have no limit in OpenCL.
THREE = {
    "mix": (lambda x, y, a: x + (y - x) * a, 4, [(1, 9), (10, 20), (0, 1)]),
    "smoothstep": (smoothstep, 8, [(-3, -2), (2, 3), (-2, 2)]),
    "clamp": (lambda x, lo, hi: min(max(x, lo), hi), 0, [(-9, 9), (-4, -1), (1, 4)]),
}


def vector_file(name, components):
    """length, distance, normalize and dot of vectors that are adjacent in memory"""
    generator = random.Random("%s %d" % (name, components))
    rows = [([f32(float(generator.randint(-99, 99))) for _ in range(components)], [f32(float(generator.randint(-99, 99))) for _ in range(components)])
            for _ in range(16)]
    results = []
    for a, b in rows:
        length = math.sqrt(sum(v * v for v in a))
        results.append({"length": length, "fast_length": length, "distance": math.dist(a, b), "fast_distance": math.dist(a, b),
                        "dot": sum(u * v for u, v in zip(a, b))}[name])
    one = name in ("length", "fast_length")
    load = "vload%d(i, %%s)" % components
    body = "out[i] = %s(%s);" % (name, load % "a" if one else ", ".join((load % "a", load % "b")))
    inputs = [("a", [v for row in rows for v in row[0]])] + ([] if one else [("b", [v for row in rows for v in row[1]])])
    parameters = ["global const float *%s" % i[0] for i in inputs] + ["global float *out"]
    limit = {"dot": 0, "fast_length": 8192, "fast_distance": 8192}.get(name, 2.75 + 2 * components)
    text = file_of("%s of %d components" % (name, components), kernel_of(name, parameters, body), [(n, "f32", v) for n, v in inputs],
                   [("out", "f32", limit, [f32(r) for r in results])])
    return text.replace("//@ group   %d" % len(inputs[0][1]), "//@ group   16").replace("out f32 %d" % len(inputs[0][1]), "out f32 16")


def files():
    for name in PAIRS:
        for where in ("private", "global"):
            yield "%s_%s" % (name, where), pair_file(name, where)
    for name, (function, limit, ranges) in THREE.items():
        yield name, three_file(name, function, limit, ranges)
    for name in ("length", "distance", "dot", "fast_length", "fast_distance"):
        for components in (2, 3, 4):
            yield "%s_%d" % (name, components), vector_file(name, components)
