#!/usr/bin/env python3
"""Tiled matrix products of many shapes, written for wavec and, the same algorithm, for CUDA: tiles of 32 to 256, 4 x 4 to 8 x 8
results per thread, f32 and packed f16, with and without GELU at the end. Prints registers, spills, bytes of code and
instructions per 64 fused multiply-adds in the hottest loop, both sides through ptxas. Figures never make it fail.

usage: gemm.py [--arch=sm_NN] [--wave SHAPE | --cuda SHAPE] [SHAPE]...
  --wave, --cuda   print the text of one shape and stop
  SHAPE            TILE-ROWSxCOLUMNS-TYPE[-gelu], as in the table: 128-8x8-f32-gelu
"""

import os
import re
import sys

import sass

STEP = 8  # along K
SHAPES = [f"{tile}-{side}-{kind}" for tile in (32, 64, 128, 256) for side in ("4x4", "8x4", "8x8") for kind in ("f32", "f16")]
SHAPES += ["128-8x8-f32-gelu", "64-4x4-f32-gelu"]


class Shape:
    """The numbers of one shape. For f16, two columns form one word, a column pair."""

    def __init__(self, name):
        found = re.fullmatch(r"(\d+)-(\d)x(\d)-(f32|f16)(-gelu)?", name)
        if not found:
            sys.exit(__doc__)
        self.name = name
        self.tile, self.rows, self.columns = (int(found.group(k)) for k in (1, 2, 3))
        self.half, self.gelu = found.group(4) == "f16", bool(found.group(5))
        self.pairs = self.columns // 2 if self.half else self.columns  # words of a row of results
        self.across, self.down = self.tile // self.columns, self.tile // self.rows
        self.threads = self.across * self.down
        self.row_words = self.tile // 2 if self.half else self.tile  # of B in local memory
        self.a_loads = self.tile * STEP // self.threads
        self.b_loads = self.row_words * STEP // self.threads

    def possible(self):
        return 32 <= self.threads <= 1024 and self.a_loads > 0 and self.b_loads > 0


# --- WAVE -------------------------------------------------------------------------------------------------------------

# 0.5 x (1 + tanh(u)) = x - x / (exp(2u) + 1), u = sqrt(2 / pi) (x + 0.044715 x^3); exp(2u) = 2^(2u / ln 2)
GELU_WAVE = """    fmul    a0, {v}, {v}
    fmul    a0, a0, {v}
    fma     a0, a0, 0.044715, {v}
    fmul    a0, a0, 2.3022082
    fexp2   a0, a0
    fadd    a0, a0, 1.0
    fdiv    a0, {v}, a0
    fsub    {v}, {v}, a0"""


def wave_head(s):
    size = 2 if s.half else 4
    yield f".kernel gemm\n.workgroup_size {s.across}, {s.down}, 1\n.local_memory {STEP * (s.tile + s.row_words) * 4}"
    for name, way in (("A", "in"), ("B", "in"), ("C", "out")):
        yield f".arg {name} buffer f{8 * size} {way}"
    yield ".arg N u32\n.arg K u32"
    sums = [f"s{i}_{j}" for i in range(s.rows) for j in range(s.pairs)]
    parts = [f"a{i}" for i in range(s.rows)] + [f"b{j}" for j in range(s.pairs)]
    parts += [f"pa{q}" for q in range(s.a_loads)] + [f"pb{q}" for q in range(s.b_loads)]
    for first in range(0, len(sums + parts), 16):
        yield ".reg " + ", ".join((sums + parts)[first : first + 16])
    yield ".reg tx, ty, t, e, at, to_a, to_b, from_a, from_b, step_b, k, kk, v\n.pred done"


def wave_start(s):
    size, words = (2, s.row_words) if s.half else (4, s.tile)
    yield f"    mov     tx, sr_thread_id_x\n    mov     ty, sr_thread_id_y\n    imad    t, ty, {s.across}, tx"
    for q in range(s.a_loads):  # A[row][k]: element e of the tile is row e / STEP, step e mod STEP
        yield f"    iadd    e, t, {q * s.threads}\n    shr     at, e, 3\n    imad    at, sr_workgroup_id_y, {s.tile}, at"
        yield f"    and     e, e, {STEP - 1}\n    imad    at, at, K, e\n    imad    pa{q}, at, {size}, A"
    for q in range(s.b_loads):  # B[k][column]: word e of the tile
        yield f"    iadd    e, t, {q * s.threads}\n    udiv    at, e, {words}\n    umod    e, e, {words}"
        yield f"    imul    at, at, N\n    imul    at, at, {size}\n    imad    at, e, 4, at"
        yield f"    imad    at, sr_workgroup_id_x, {words * 4}, at\n    iadd    pb{q}, B, at"
    yield "    and     e, t, 7\n    shr     at, t, 3"  # A is stored transposed: [k][row]
    yield f"    imad    to_a, e, {s.tile * 4}, 0\n    imad    to_a, at, 4, to_a\n    imad    to_b, t, 4, {STEP * s.tile * 4}"
    yield f"    imul    from_a, ty, {s.rows * 4}\n    imad    from_b, tx, {s.pairs * 4}, {STEP * s.tile * 4}"
    yield f"    imul    step_b, N, {STEP * size}"
    for i in range(s.rows):
        for j in range(s.pairs):
            yield f"    mov     s{i}_{j}, 0"


def wave_loop(s):
    size = 2 if s.half else 4
    yield "    mov     k, 0\n    loop"
    for q in range(s.a_loads):
        yield f"        device_load_u{8 * size} v, [pa{q}]"
        if s.half:
            yield "        imul    v, v, 0x10001"  # the same in both halves
        yield f"        local_store_u32 [to_a + {q * s.threads // STEP * 4}], v\n        iadd    pa{q}, pa{q}, {STEP * size}"
    for q in range(s.b_loads):
        yield f"        device_load_u32 v, [pb{q}]\n        local_store_u32 [to_b + {q * s.threads * 4}], v\n        iadd    pb{q}, pb{q}, step_b"
    yield "        barrier\n        mov     kk, 0\n        mov     t, from_a\n        mov     e, from_b\n        loop"
    for i in range(s.rows):
        yield f"            local_load_u32 a{i}, [t + {4 * i}]"
    for j in range(s.pairs):
        yield f"            local_load_u32 b{j}, [e + {4 * j}]"
    for i in range(s.rows):
        for j in range(s.pairs):
            yield f"            {'hma2' if s.half else 'fma'} s{i}_{j}, a{i}, b{j}, s{i}_{j}"
    yield f"            iadd    t, t, {s.tile * 4}\n            iadd    e, e, {s.row_words * 4}"
    yield f"            iadd    kk, kk, 1\n            icmp_ge done, kk, {STEP}\n            break   done\n        endloop\n        barrier"
    yield f"        iadd    k, k, {STEP}\n        icmp_ge done, k, K\n        break   done\n    endloop"


def wave_end(s):
    size = 2 if s.half else 4
    yield f"    imul    at, ty, {s.rows}\n    imad    at, sr_workgroup_id_y, {s.tile}, at\n    imul    at, at, N"
    yield f"    imad    at, tx, {s.columns}, at\n    imad    at, sr_workgroup_id_x, {s.tile}, at\n    imad    at, at, {size}, C\n    imul    e, N, {size}"
    for i in range(s.rows):
        for j in range(s.pairs):
            if s.gelu:
                yield GELU_WAVE.format(v=f"s{i}_{j}")
            yield f"    device_store_u32 [at + {4 * j}], s{i}_{j}"
        yield "    iadd    at, at, e"
    yield "    halt\n.end"


def wave_text(s):
    return "\n".join([*wave_head(s), *wave_start(s), *wave_loop(s), *wave_end(s), ""])


# --- CUDA -------------------------------------------------------------------------------------------------------------


def cuda_text(s):
    element, word = ("__half", "__half2") if s.half else ("float", "float")
    exact = open(os.path.join(sass.ROOT, "bench", "cuda", "softmax.cu"), encoding="utf-8").read()
    exp2 = exact[exact.index("// 2^x") : exact.index("static __device__ __forceinline__ float warp_max")]
    gelu = """static __device__ __forceinline__ float finish(float v) {
    float u = __fmul_rn(__fmaf_rn(__fmul_rn(__fmul_rn(v, v), v), 0.044715f, v), 2.3022082f);
    return __fsub_rn(v, __fdiv_rn(v, __fadd_rn(exact_exp2(u), 1.0f)));
}"""
    head = f"#include <cuda_fp16.h>\n{exp2 + gelu if s.gelu else f'static __device__ {word} finish({word} v) {{ return v; }}'}\n"
    fma = "__hfma2" if s.half else "__fmaf_rn"
    splat = "__half2half2" if s.half else ""
    return head + f"""
extern "C" __global__ void __launch_bounds__({s.threads})
gemm(const {element} *__restrict__ A, const {element} *__restrict__ B, {element} *__restrict__ C, int N, int K) {{
    __shared__ __align__(16) {word} tile_a[{STEP}][{s.tile}], tile_b[{STEP}][{s.row_words}];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * {s.across} + tx;
    {word} sum[{s.rows}][{s.pairs}] = {{}};
    const {element} *a[{s.a_loads}];
    const {word} *b[{s.b_loads}];
#pragma unroll
    for (int q = 0; q < {s.a_loads}; q++) {{
        int e = t + q * {s.threads};
        a[q] = A + (blockIdx.y * {s.tile} + e / {STEP}) * K + e % {STEP};
    }}
#pragma unroll
    for (int q = 0; q < {s.b_loads}; q++) {{
        int e = t + q * {s.threads};
        b[q] = reinterpret_cast<const {word} *>(B + (e / {s.row_words}) * N + blockIdx.x * {s.tile}) + e % {s.row_words};
    }}
    int k = 0;
    do {{
#pragma unroll
        for (int q = 0; q < {s.a_loads}; q++) {{
            tile_a[t % {STEP}][t / {STEP} + q * {s.threads // STEP}] = {splat}(*a[q]);
            a[q] += {STEP};
        }}
#pragma unroll
        for (int q = 0; q < {s.b_loads}; q++) {{
            (&tile_b[0][0])[t + q * {s.threads}] = *b[q];
            b[q] = reinterpret_cast<const {word} *>(reinterpret_cast<const {element} *>(b[q]) + {STEP} * N);
        }}
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < {STEP}; kk++)
#pragma unroll
            for (int i = 0; i < {s.rows}; i++)
#pragma unroll
                for (int j = 0; j < {s.pairs}; j++)
                    sum[i][j] = {fma}(tile_a[kk][ty * {s.rows} + i], tile_b[kk][tx * {s.pairs} + j], sum[i][j]);
        __syncthreads();
        k += {STEP};
    }} while (k < K);
#pragma unroll
    for (int i = 0; i < {s.rows}; i++)
#pragma unroll
        for (int j = 0; j < {s.pairs}; j++)
            reinterpret_cast<{word} *>(C + (blockIdx.y * {s.tile} + ty * {s.rows} + i) * N + blockIdx.x * {s.tile} + tx * {s.columns})[j] = finish(sum[i][j]);
}}
"""


# --- Figures ----------------------------------------------------------------------------------------------------------


def side_of(shape, title, disassembler):
    """What the compilers make of one side, and the bytes of its machine code."""
    base = os.path.join(sass.OUT, f"gemm.{shape.name}.{title}")
    text, source = (wave_text(shape), base + ".wave") if title == "wavec" else (cuda_text(shape), base + ".cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    if title == "wavec":
        sass.run([sass.WAVEC, "--target=ptx", f"--arch={sass.ARCH}", "-O2", source, "-o", base + ".ptx"])
        messages = sass.run([sass.needed("ptxas"), "-O3", f"-arch={sass.ARCH}", "-v", "-o", base + ".cubin", base + ".ptx"])
    else:
        messages = sass.run([sass.needed("nvcc"), "-O3", f"-arch={sass.ARCH}", "-cubin", "-Xptxas", "-v", "-o", base + ".cubin", source])
    side = sass.Side((base + ".cubin", messages), disassembler)
    part, units = side.counted("loop", "HFMA2" if shape.half else "FFMA")
    return [f"{64 * len(part) / units:.1f}", str(side.registers), str(side.spills), f"{os.path.getsize(base + '.cubin') / 1000:.1f}"]


def main():
    words = sass.take_arch(sys.argv[1:])
    if words[:1] in (["--wave"], ["--cuda"]) and len(words) == 2:
        print((wave_text if words[0] == "--wave" else cuda_text)(Shape(words[1])), end="")
        return
    os.makedirs(sass.OUT, exist_ok=True)
    disassembler = sass.find_disassembler()
    head = ["per 64", "regs", "spills", "KB"]
    lines = [["shape", *head, *(f"CUDA {h}" for h in head)]]
    for shape in map(Shape, words or SHAPES):
        if not shape.possible():
            continue
        cells = [shape.name]
        for title in ("wavec", "cuda"):
            try:
                cells += side_of(shape, title, disassembler)
            except sass.Missing as reason:
                print(f"missing: {shape.name}, {title}: {reason}")
                cells += [""] * 4
        lines.append(cells)
    print(f"SASS instructions per 64 multiply-adds in the hottest loop, registers, spilled bytes, size of the cubin, {sass.ARCH}")
    sass.print_table(lines)


if __name__ == "__main__":
    main()
