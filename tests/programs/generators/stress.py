#!/usr/bin/env python3
"""Runs many random programs with known results: stress.py RUNNER [SEED [COUNT]].

RUNNER is the program that takes .wave files (build/bin/wave-test). Half of the programs are random
structured control flow with wave operations and calls, the rest random operands for the scalar
instructions. Only failing programs are kept, in the folder named at the end. This is for long runs
by hand: the generated programs are a fixed selection of the same kinds.
"""
import os
import subprocess
import sys
import tempfile

from exact import F16, F32, F64, bf16_of_f32, convert, f32_to_int, s32
import structured
import tables
import tables_float

ROWS = 512


def flow(seed):
    maker = structured.Maker(seed, wave=seed % 2 == 0, calls=seed % 3 != 0)
    tree = maker.block(3 + seed % 2, 0, False)
    if maker.counters > 30 or len(structured.emit(tree)) > 600:
        return None
    return structured.random_text("random_flow", maker, tree, maker.wave, maker.calls)


def any_bits(r, bits):
    """Uniform bits, or an end of one of the relevant ranges, or a float of moderate size."""
    kind = r.word(2)
    if kind == 0:
        return r.word(bits)
    if kind == 1:
        low = r.word(2)
        return (r.word(1) <<
                (bits - 1)) ^ (((1 << bits) - low) & ((1 << bits) - 1) if r.word(1) else low)
    fmt = {16: F16, 32: F32, 64: F64}[bits]
    exponent = fmt.bias - 12 + r.word() % 25
    return r.word(1) << (bits - 1) | min(exponent, fmt.exp_mask) << fmt.fb | r.word(fmt.fb)


def scalar_table():
    out = [(op, len(rows[0]), fn, "u32", "u32", 32, ()) for _, op, rows, fn, _ in tables.INTEGER]
    out += [(op, arity, fn, "f32", "f32", 32, ("ftz-sensitive", ))
            for op, arity, fn, _ in tables_float.FLOAT]
    out += [(op, arity, fn, "u32", "f16", 16, ())
            for op, arity, fn in (("hadd", 2, F16.add), ("hsub", 2, F16.sub), ("hmul", 2, F16.mul),
                                  ("hma", 3, F16.fma))]
    out += [(op, arity, tables_float.bf16_op(fn), "u32", "bf16", 16, ("ftz-sensitive", ))
            for op, arity, fn in (("badd", 2, F32.add), ("bsub", 2, F32.sub), ("bmul", 2, F32.mul),
                                  ("bma", 3, F32.fma))]
    out += [(op, arity, fn, "f64", "f64", 64, ("targets -msl", ))
            for op, arity, fn in (("dadd", 2, F64.add), ("dsub", 2, F64.sub), ("dmul", 2, F64.mul),
                                  ("ddiv", 2, F64.div), ("dma", 3, F64.fma), ("dsqrt", 1, F64.sqrt))
            ]
    out += [
        ("cvt_f32_i32", 1, lambda a: F32.round(s32(a)), "u32", "f32", 32, ()),
        ("cvt_f32_u32", 1, F32.round, "u32", "f32", 32, ()),
        ("cvt_i32_f32", 1, lambda a: f32_to_int(a, -1 << 31, (1 << 31) - 1), "f32", "u32", 32, ()),
        ("cvt_u32_f32", 1, lambda a: f32_to_int(a, 0, (1 << 32) - 1), "f32", "u32", 32, ()),
        ("cvt_f16_f32", 1, lambda a: convert(F32, F16, a), "f32", "f16", 32, ()),
        ("cvt_bf16_f32", 1, bf16_of_f32, "f32", "bf16", 32, ()),
        ("cvt_f32_f64", 1, lambda a: convert(F64, F32, a), "f64", "f32", 64, ("targets -msl", ))
    ]
    return out


def scalar(seed, entries):
    op, arity, fn, src, dst, bits, flags = entries[seed % len(entries)]
    r = tables.Random(seed)
    rows = [tuple(any_bits(r, bits) for _ in range(arity)) for _ in range(ROWS)]
    flushing = tables_float.flushing if bits == 32 else tables_float.flushing_bf16
    flushed = [flushing(fn)(*row) for row in rows] if "ftz-sensitive" in flags else None
    return tables.table_program("random_operands", f"{op} of random operands", "Exact arithmetic.",
                                op, rows, [fn(*row) for row in rows], src=src, dst=dst, flags=flags,
                                flushed=flushed)


def main(arguments):
    if not 1 <= len(arguments) <= 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    count = int(arguments[2]) if len(arguments) > 2 else 1000
    entries, status = scalar_table(), 0
    folder = tempfile.mkdtemp(prefix="wave-stress-")
    for first in range(seed, seed + count, 100):
        names = []
        for s in range(first, min(first + 100, seed + count)):
            text = flow(s // 2) if s % 2 else scalar(s // 2, entries)
            if text:
                names.append(os.path.join(folder, f"{s}.wave"))
                with open(names[-1], "w", encoding="utf-8") as f:
                    f.write(text)
        result = subprocess.run([arguments[0]] + names, capture_output=True, text=True)
        print(f"seeds {first} to {min(first + 100, seed + count) - 1}: " +
              (result.stdout + result.stderr).strip().splitlines()[-1])
        if result.returncode:
            status = 1
            print(result.stdout + result.stderr)
            print(f"the programs are in {folder}")
            break
        for name in names:
            os.remove(name)
    if not status:
        os.rmdir(folder)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
