"""Realistic programs; the calculation rounds every float step as the kernel does."""
import hashlib
import math
import struct
import zlib

from kernels import Random, f32, to_bits

DATA = Random(91).list(1024, 1 << 16)
SMALL = [f32(v / 256 - 128) for v in DATA]


def linear_algebra(files):
    files.add("programs/saxpy.cl", "saxpy with a bounds check", """
kernel void saxpy(global const float *x, global float *y, float a, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
""", [("x", "f32", (256, "iota 0 0.5")), ("y", "f32", (256, "fill 2"))], "x y f32:1.5 250", [("y[0..250]", "expr 2.0 + i * 0.75"), ("y[250..256]", "fill 2")], grid="4")
    n = 16
    a, b = [float(v % 13 - 6) for v in DATA[:n * n]], [float(v % 11 - 5) for v in DATA[n * n:2 * n * n]]
    files.add("programs/gemm_tiled.cl", "a matrix product with tiles in local memory", """
#define TILE 8

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void gemm(global const float *a, global const float *b, global float *c, uint n) {
    local float as[TILE][TILE], bs[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint t = 0; t < n; t += TILE) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
""", [("a", "f32", a), ("b", "f32", b), ("c", "f32", n * n)], "a b c 16",
              [("c", [sum(a[n * r + k] * b[n * k + c] for k in range(n)) for r in range(n) for c in range(n)])], group=None, grid="2 2")
    files.add("programs/transpose.cl", "a transpose through a padded tile of local memory", """
kernel void transpose(global const int *x, global int *out, uint width, uint height) {
    local int tile[8][9];
    uint lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 8, gy = get_group_id(1) * 8;
    tile[ly][lx] = x[(gy + ly) * width + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + ly) * height + gy + lx] = tile[lx][ly];
}
""", [("x", "i32", (512, "iota 0")), ("out", "i32", 512)], "x out 32 16", [("out", [32 * (k % 16) + k // 16 for k in range(512)])], group="8 8", grid="4 2")
    m = [float(v % 9 - 4) for v in DATA[:1024]]
    v = [float(k % 5) for k in range(32)]
    files.add("programs/matvec.cl", "a matrix times a vector, rows as float4", """
kernel void matvec(global const float4 *m, global const float4 *v, global float *out) {
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += dot(m[row * 8 + k], v[k]);
    out[row] = sum;
}
""", [("m", "f32", m), ("v", "f32", v), ("out", "f32", 32)], "m v out", [("out", [sum(m[32 * r + k] * v[k] for k in range(32)) for r in range(32)])], group="32")
    starts, columns = [0], []
    for r in range(32):
        columns += [(r * 7 + 5 * k) % 32 for k in range(r % 5)]
        starts.append(len(columns))
    values = [float(k % 7 - 3) for k in range(len(columns))]
    files.add("programs/spmv.cl", "a sparse matrix in rows times a vector", """
kernel void spmv(global const uint *starts, global const uint *columns, global const float *values, global const float *x, global float *y) {
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
""", [("starts", "u32", starts), ("columns", "u32", columns), ("values", "f32", values), ("x", "f32", v), ("y", "f32", 32)], "starts columns values x y",
              [("y", [sum(values[k] * v[columns[k]] for k in range(starts[r], starts[r + 1])) + 0.0 for r in range(32)])], group="32")


def grids(files):
    cells = [v & 1 for v in DATA[:256]]
    def alive(k):
        x, y = k % 16, k // 16
        n = sum(cells[16 * ((y + dy) % 16) + (x + dx) % 16] for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
        return int(n == 3 or (n == 2 and cells[k]))
    files.add("programs/game_of_life.cl", "a step of the game of life on bytes, edges joined", """
kernel void life(global const uchar *x, global uchar *out) {
    int gx = get_global_id(0), gy = get_global_id(1), n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += x[((gy + dy) & 15) * 16 + ((gx + dx) & 15)];
    out[gy * 16 + gx] = n == 3 || (n == 2 && x[gy * 16 + gx]);
}
""", [("x", "u8", cells), ("out", "u8", 256)], "x out", [("out", [alive(k) for k in range(256)])], group="8 8", grid="2 2")
    g = SMALL[:256]
    def at(x, y):
        return g[16 * min(max(y, 0), 15) + min(max(x, 0), 15)]
    files.add("programs/stencil.cl", "a five-point stencil with clamped edges", """
kernel void stencil(global const float *x, global float *out) {
    int gx = get_global_id(0), gy = get_global_id(1);
    float centre = x[gy * 16 + gx];
    float sum = x[gy * 16 + max(gx - 1, 0)] + x[gy * 16 + min(gx + 1, 15)] + x[max(gy - 1, 0) * 16 + gx] + x[min(gy + 1, 15) * 16 + gx];
    out[gy * 16 + gx] = centre + 0.125f * (sum - 4.0f * centre);
}
""", [("x", "f32", g), ("out", "f32", 256)], "x out",
              [("out", [f32(g[k] + f32(0.125 * f32(f32(f32(f32(at(x - 1, y) + at(x + 1, y)) + at(x, y - 1)) + at(x, y + 1)) - f32(4 * g[k]))))
                        for k in range(256) for x, y in [(k % 16, k // 16)]])], group="8 8", grid="2 2")
    def jacobi():
        old = g[:64]
        for _ in range(5):
            old = [old[k] if k in (0, 63) else f32(f32(f32(old[k - 1] + old[k + 1]) + g[64 + k]) / 3) for k in range(64)]
        return old
    files.add("programs/jacobi.cl", "five sweeps of Jacobi's method in local memory", """
kernel void jacobi(global const float *x, global const float *right, global float *out) {
    local float now[64], next[64];
    int l = get_local_id(0);
    now[l] = x[l];
    for (int sweep = 0; sweep < 5; sweep++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        next[l] = l == 0 || l == 63 ? now[l] : (now[l - 1] + now[l + 1] + right[l]) / 3.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        now[l] = next[l];
    }
    out[l] = now[l];
}
""", [("x", "f32", g[:64]), ("right", "f32", g[64:128]), ("out", "f32", 64)], "x right out", [("out", jacobi())])
    image = [v & 255 for v in DATA[:256]]
    weights = [1, 2, 1, 2, 4, 2, 1, 2, 1]
    def blurred(x, y):
        total = 0
        for k, w in enumerate(weights):
            px, py = x + k % 3 - 1, y + k // 3 - 1
            total += w * (image[16 * py + px] if 0 <= px < 16 and 0 <= py < 16 else 0)
        return total + 8 >> 4
    files.add("programs/convolution.cl", "a 3 by 3 blur of bytes with weights in constant memory", """
constant int weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

kernel void blur(global const uchar *x, global uchar *out) {
    int gx = get_global_id(0), gy = get_global_id(1), total = 0;
    for (int k = 0; k < 9; k++) {
        int px = gx + k % 3 - 1, py = gy + k / 3 - 1;
        if (px >= 0 && px < 16 && py >= 0 && py < 16)
            total += weights[k] * x[py * 16 + px];
    }
    out[gy * 16 + gx] = (uchar)((total + 8) >> 4);
}
""", [("x", "u8", image), ("out", "u8", 256)], "x out", [("out", [blurred(k % 16, k // 16) for k in range(256)])], group="8 8", grid="2 2")
    def median(x, y):
        return sorted(image[16 * min(max(y + dy, 0), 15) + min(max(x + dx, 0), 15)] for dy in (-1, 0, 1) for dx in (-1, 0, 1))[4]
    files.add("programs/median.cl", "a median of nine bytes, sorted in a private array", """
kernel void median(global const uchar *x, global uchar *out) {
    int gx = get_global_id(0), gy = get_global_id(1), n = 0;
    uchar v[9];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            v[n++] = x[clamp(gy + dy, 0, 15) * 16 + clamp(gx + dx, 0, 15)];
    for (int a = 0; a < 5; a++)
        for (int b = a + 1; b < 9; b++)
            if (v[b] < v[a]) {
                uchar t = v[a];
                v[a] = v[b];
                v[b] = t;
            }
    out[gy * 16 + gx] = v[4];
}
""", [("x", "u8", image), ("out", "u8", 256)], "x out", [("out", [median(k % 16, k // 16) for k in range(256)])], group="8 8", grid="2 2")
    def escape(px, py):
        cx, cy = f32(f32(f32(px * 0.09375)) - 2.25), f32(f32(py * 0.15625) - 1.25)
        x = y = 0.0
        for k in range(64):
            xx, yy = f32(x * x), f32(y * y)
            if f32(xx + yy) > 4:
                return k
            y = f32(f32(f32(2 * x) * y) + cy)
            x = f32(f32(xx - yy) + cx)
        return 64
    files.add("programs/mandelbrot.cl", "how many steps points take to escape; every step is rounded", """
kernel void mandelbrot(global uint *out) {
    uint px = get_global_id(0), py = get_global_id(1), k;
    float cx = px * 0.09375f - 2.25f, cy = py * 0.15625f - 1.25f, x = 0.0f, y = 0.0f;
    for (k = 0; k < 64; k++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
    }
    out[py * 32 + px] = k;
}
""", [("out", "u32", 512)], "out", [("out", [escape(k % 32, k // 32) for k in range(512)])], group="8 8", grid="4 2")
    pixels = DATA[:256]
    files.add("programs/grey.cl", "colours to grey: uchar4 in, uchar out, by widened integers", """
kernel void grey(global const uchar4 *x, global uchar *out) {
    size_t i = get_global_id(0);
    ushort4 c = convert_ushort4(x[i]);
    out[i] = convert_uchar_sat((c.x * 77 + c.y * 151 + c.z * 28 + 128) >> 8);
}
""", [("x", "u8", [v & 255 for v in pixels]), ("out", "u8", 64)], "x out",
              [("out", [((pixels[4 * k] & 255) * 77 + (pixels[4 * k + 1] & 255) * 151 + (pixels[4 * k + 2] & 255) * 28 + 128) >> 8 for k in range(64)])])


def lists(files):
    x = DATA[:256]
    files.add("programs/reduction.cl", "a sum in two steps: a loop over the grid, then a tree", """
kernel void reduce(global const uint *x, uint n, global uint *out) {
    local uint shared[64];
    uint l = get_local_id(0), sum = 0;
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        sum += x[k];
    shared[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 32; step > 0; step /= 2) {
        if (l < step)
            shared[l] += shared[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        atomic_add(out, shared[0]);
}
""", [("x", "u32", DATA[:1000]), ("out", "u32", (1, "zero"))], "x 1000 out", [("out", [sum(DATA[:1000])])], grid="3")
    files.add("programs/scan.cl", "Blelloch's exclusive scan in local memory", """
kernel void scan(global const uint *x, global uint *out) {
    local uint t[128];
    uint l = get_local_id(0), offset = 1;
    t[2 * l] = x[2 * l];
    t[2 * l + 1] = x[2 * l + 1];
    for (uint d = 64; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    if (l == 0)
        t[127] = 0;
    for (uint d = 1; d < 128; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1, v = t[a];
            t[a] = t[b];
            t[b] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * l] = t[2 * l];
    out[2 * l + 1] = t[2 * l + 1];
}
""", [("x", "u32", x[:128]), ("out", "u32", 128)], "x out", [("out", [sum(x[:k]) for k in range(128)])])
    files.add("programs/histogram.cl", "a histogram in local memory, added to the global one", """
kernel void histogram(global const uint *x, global uint *out) {
    local uint bins[32];
    uint l = get_local_id(0);
    if (l < 32)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[x[get_global_id(0)] & 31]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32 && bins[l])
        atomic_add(&out[l], bins[l]);
}
""", [("x", "u32", x), ("out", "u32", (32, "zero"))], "x out", [("out", [sum(v & 31 == k for v in x) for k in range(32)])], grid="4")
    files.add("programs/bitonic_sort.cl", "a bitonic sort of 128 words in local memory", """
kernel void sort(global uint *x) {
    local uint t[128];
    uint l = get_local_id(0);
    t[l] = x[l];
    t[l + 64] = x[l + 64];
    for (uint size = 2; size <= 128; size *= 2)
        for (uint step = size / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint a = 2 * step * (l / step) + l % step, b = a + step;
            bool up = (a & size) == 0;
            uint p = t[a], q = t[b];
            if ((p > q) == up) {
                t[a] = q;
                t[b] = p;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[l] = t[l];
    x[l + 64] = t[l + 64];
}
""", [("x", "u32", x[:128])], "x", [("x", sorted(x[:128]))])
    keys = [v & 255 for v in x]
    files.add("programs/radix_pass.cl", "one stable pass of a radix sort by four bits", """
kernel void pass(global const uint *x, global uint *out) {
    local uint count[16], start[16];
    uint l = get_local_id(0), key = x[l], digit = key & 15, rank = 0;
    if (l < 16)
        count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count[digit]);
    for (uint k = 0; k < l; k++)
        rank += (x[k] & 15) == digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        uint sum = 0;
        for (uint k = 0; k < 16; k++) {
            start[k] = sum;
            sum += count[k];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[start[digit] + rank] = key;
}
""", [("x", "u32", keys), ("out", "u32", 256)], "x out", [("out", sorted(keys, key=lambda v: v & 15))], group="256")
    ordered = sorted(set(x))
    files.add("programs/binary_search.cl", "binary search for the first element that is not less", """
kernel void search(global const uint *x, uint n, global const uint *wanted, global uint *out) {
    size_t i = get_global_id(0);
    uint low = 0, high = n;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (x[middle] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}
""", [("x", "u32", ordered), ("wanted", "u32", DATA[500:564]), ("out", "u32", 64)], f"x {len(ordered)} wanted out", [("out", [sum(v < w for v in ordered) for w in DATA[500:564]])])
    edges_of = [[(k * 3 + 1) % 64, (k * 5 + 2) % 64] for k in range(64)]
    levels = [0 if k in (0, 9) else 99 for k in range(64)]
    after = [v if v == 0 else 1 if any(k in edges_of[s] for s in (0, 9)) else 99 for k, v in enumerate(levels)]
    files.add("programs/bfs_step.cl", "a step of a breadth-first search: neighbours are claimed by compare and exchange", """
kernel void step(global const uint *edges, volatile global uint *level, uint now, global uint *changed) {
    size_t i = get_global_id(0);
    if (atomic_or(&level[i], 0u) != now)
        return;
    for (int k = 0; k < 2; k++)
        if (atomic_cmpxchg(&level[edges[2 * i + k]], 99u, now + 1) == 99u)
            atomic_inc(changed);
}
""", [("edges", "u32", [v for e in edges_of for v in e]), ("level", "u32", levels), ("changed", "u32", (1, "zero"))], "edges level 0 changed",
              [("level", after), ("changed", [sum(v == 1 for v in after)])])
    files.add("programs/hash_table.cl", "keys into an open hash table; every key is found again", """
kernel void insert(global const uint *keys, volatile global uint *table, global uint *out) {
    uint key = keys[get_global_id(0)] + 1, at = key * 2654435761u >> 23;
    for (;; at = (at + 1) & 511) {
        uint seen = atomic_cmpxchg(&table[at], 0u, key);
        if (seen == 0 || seen == key)
            break;
    }
    out[get_global_id(0)] = atomic_or(&table[at], 0u) == key;
    atomic_add(&out[256], seen_before(key));
}
""".replace("    atomic_add(&out[256], seen_before(key));\n", ""), [("keys", "u32", x), ("table", "u32", (512, "zero")), ("out", "u32", 256)], "keys table out", [("out", "fill 1")], grid="4")


def primes(count):
    found, n = [], 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def root_bits(p, root):
    """32 bits of the fraction of the square or cube root, exactly."""
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        if middle**root <= p << (32 * root):
            low = middle
        else:
            high = middle
    return low & 0xFFFFFFFF


def bits(files):
    k256 = [root_bits(p, 3) for p in primes(64)]
    h256 = [root_bits(p, 2) for p in primes(8)]
    texts = [b"wave %d" % k for k in range(32)]
    blocks = [t + b"\x80" + bytes(55 - len(t)) + struct.pack(">Q", 8 * len(t)) for t in texts]
    files.add("programs/sha256.cl", "SHA-256 of one block per work-item; the digests are those of python's hashlib", """
constant uint K[64] = {
%s};

kernel void sha256(global const uint *blocks, global uint *out) {
    size_t i = get_global_id(0);
    uint w[64], s[8] = {%s};
    for (int k = 0; k < 16; k++)
        w[k] = blocks[16 * i + k];
    for (int k = 16; k < 64; k++) {
        uint a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (rotate(a, 25u) ^ rotate(a, 14u) ^ a >> 3) + (rotate(b, 15u) ^ rotate(b, 13u) ^ b >> 10);
    }
    uint v[8];
    for (int k = 0; k < 8; k++)
        v[k] = s[k];
    for (int k = 0; k < 64; k++) {
        uint t = v[7] + (rotate(v[4], 26u) ^ rotate(v[4], 21u) ^ rotate(v[4], 7u)) + bitselect(v[6], v[5], v[4]) + K[k] + w[k];
        uint u = (rotate(v[0], 30u) ^ rotate(v[0], 19u) ^ rotate(v[0], 10u)) + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));
        for (int j = 7; j > 0; j--)
            v[j] = v[j - 1];
        v[4] += t;
        v[0] = t + u;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = s[k] + v[k];
}
""" % (",\n".join("    " + ", ".join("0x%08x" % v for v in k256[r:r + 8]) for r in range(0, 64, 8)), ", ".join("0x%08x" % v for v in h256)),
              [("blocks", "u32", [w for b in blocks for w in struct.unpack(">16I", b)]), ("out", "u32", 256)], "blocks out",
              [("out", [w for t in texts for w in struct.unpack(">8I", hashlib.sha256(t).digest())])], group="32")
    files.add("programs/chacha20.cl", "a block of ChaCha20 per work-item, vectors of four words", """
uint4 quarter_left(uint4 a, uint n) {
    return rotate(a, (uint4)(n));
}

kernel void chacha(global const uint *key, global uint *out) {
    size_t i = get_global_id(0);
    uint4 a = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), b = vload4(0, key), c = vload4(1, key), d = (uint4)(i, 1, 2, 3);
    uint4 p = a, q = b, r = c, s = d;
    for (int k = 0; k < 20; k++) {
        p += q; s = quarter_left(s ^ p, 16);
        r += s; q = quarter_left(q ^ r, 12);
        p += q; s = quarter_left(s ^ p, 8);
        r += s; q = quarter_left(q ^ r, 7);
        q = k & 1 ? q.wxyz : q.yzwx;
        r = r.zwxy;
        s = k & 1 ? s.yzwx : s.wxyz;
    }
    vstore4(p + a, 4 * i, out);
    vstore4(q + b, 4 * i + 1, out);
    vstore4(r + c, 4 * i + 2, out);
    vstore4(s + d, 4 * i + 3, out);
}
""", [("key", "u32", (8, "expr i * 287454020 + 7")), ("out", "u32", 256)], "key out", [("out", [w for k in range(16) for w in chacha(k)])], group="16")
    rows = [bytes(to_bits(7 * k + c * c, 8) for c in range(20)) for k in range(32)]
    files.add("programs/crc32.cl", "CRC-32 bit by bit", """
kernel void crc(global const uchar *x, global uint *out) {
    size_t i = get_global_id(0);
    uint c = 0xFFFFFFFF;
    for (int k = 0; k < 20; k++) {
        c ^= x[20 * i + k];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xEDB88320 : c >> 1;
    }
    out[i] = ~c;
}
""", [("x", "u8", [v for r in rows for v in r]), ("out", "u32", 32)], "x out", [("out", [zlib.crc32(r) for r in rows])], group="32")
    def xorshift(seed):
        for _ in range(50):
            seed ^= to_bits(seed << 13, 64)
            seed ^= seed >> 7
            seed ^= to_bits(seed << 17, 64)
        return seed
    files.add("programs/xorshift.cl", "fifty steps of a 64-bit xorshift generator", """
kernel void generator(global ulong *out) {
    ulong s = get_global_id(0) * 0x9E3779B97F4A7C15ul + 1;
    for (int k = 0; k < 50; k++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
    }
    out[get_global_id(0)] = s;
}
""", [("out", "u64", 64)], "out", [("out", [xorshift(to_bits(k * 0x9E3779B97F4A7C15 + 1, 64)) for k in range(64)])])
    def distance(a, b):
        row = list(range(9))
        for i in range(8):
            new = [i + 1]
            for j in range(8):
                new.append(min(row[j] + (a >> i & 1 != b >> j & 1), row[j + 1] + 1, new[j] + 1))
            row = new
        return row[8]
    files.add("programs/edit_distance.cl", "the edit distance of two words of eight bits, one row in private memory", """
kernel void edit(global uint *out) {
    uint a = get_global_id(0), b = (a * 37 + 11) & 255;
    uchar row[9];
    for (int j = 0; j < 9; j++)
        row[j] = (uchar)j;
    for (int i = 0; i < 8; i++) {
        uchar corner = row[0];
        row[0] = (uchar)(i + 1);
        for (int j = 0; j < 8; j++) {
            uchar up = row[j + 1];
            uchar best = (uchar)(corner + ((a >> i & 1) != (b >> j & 1)));
            row[j + 1] = min(best, (uchar)(min(up, row[j]) + 1));
            corner = up;
        }
    }
    out[a] = row[8];
}
""", [("out", "u32", 64)], "out", [("out", [distance(k, k * 37 + 11 & 255) for k in range(64)])])


def chacha(counter):
    key = [to_bits(k * 287454020 + 7, 32) for k in range(8)]
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + key + [counter, 1, 2, 3]
    w = list(state)
    def quarter(a, b, c, d):
        for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            w[x] = to_bits(w[x] + w[y], 32)
            v = w[z] ^ w[x]
            w[z] = to_bits(v << n, 32) | v >> (32 - n)
    for _ in range(10):
        for c in range(4):
            quarter(c, 4 + c, 8 + c, 12 + c)
        for c in range(4):
            quarter(c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4)
    return [to_bits(a + b, 32) for a, b in zip(w, state)]


def floating(files):
    body = [[float(DATA[4 * k + c] % 16) for c in range(3)] + [1.0 + DATA[4 * k + 3] % 4] for k in range(32)]
    def force(i):
        total = [0.0, 0.0, 0.0]
        for other in body:
            d = [other[c] - body[i][c] for c in range(3)]
            r2 = f32(f32(f32(d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) + 1.0)
            r = f32(math.sqrt(r2))
            s = f32(other[3] / f32(r2 * r))
            total = [f32(total[c] + f32(d[c] * s)) for c in range(3)]
        return total
    files.add("programs/nbody.cl", "forces between 32 bodies, roots and quotients correctly rounded", """
kernel void forces(global const float4 *bodies, global float *out) {
    local float4 tile[32];
    size_t i = get_global_id(0);
    float4 me = bodies[i];
    float3 total = (float3)(0.0f);
    tile[get_local_id(0)] = me;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k++) {
        float3 d = tile[k].xyz - me.xyz;
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 1.0f;
        total += d * (tile[k].w / (r2 * sqrt(r2)));
    }
    vstore3(total, i, out);
}
""", [("bodies", "f32", [v for b in body for v in b]), ("out", "f32", 96)], "bodies out", [("out", [v + 0.0 for k in range(32) for v in force(k)])], group="32")
    signal = [complex(DATA[k] % 8 - 4, DATA[64 + k] % 8 - 4) for k in range(64)]
    def walsh(v):
        v, step = list(v), 1
        while step < 16:
            for a in range(16):
                if not a & step:
                    v[a], v[a + step] = v[a] + v[a + step], v[a] - v[a + step]
            step *= 2
        return v
    files.add("programs/walsh_transform.cl", "a fast Walsh transform of 16 numbers per work-item, exact", """
kernel void walsh(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float16 v = vload16(i, x);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    vstore16(v, i, out);
}
""", [("x", "f32", [z.real for z in signal]), ("out", "f32", 64)], "x out", [("out", [v + 0.0 for k in range(4) for v in walsh([z.real for z in signal[16 * k:16 * k + 16]])])], group="4")
    def fourier(v):
        return [sum(v[n] * (1, -1j, -1, 1j)[n * k % 4] for n in range(4)) for k in range(4)]
    files.add("programs/fft4.cl", "Fourier transforms of four numbers: only sums, so the result is exact", """
kernel void fft4(global const float2 *x, global float2 *out) {
    size_t i = get_global_id(0) * 4;
    float2 a = x[i] + x[i + 2], b = x[i] - x[i + 2], c = x[i + 1] + x[i + 3], d = x[i + 1] - x[i + 3];
    float2 turned = (float2)(d.y, -d.x);
    out[i] = a + c;
    out[i + 1] = b + turned;
    out[i + 2] = a - c;
    out[i + 3] = b - turned;
}
""", [("x", "f32", [w for z in signal for w in (z.real, z.imag)]), ("out", "f32", 128)], "x out",
              [("out", [w + 0.0 for k in range(16) for z in fourier(signal[4 * k:4 * k + 4]) for w in (z.real, z.imag)])], group="16")
    def price(s, strike, years):
        r, v = 0.02, 0.3
        d1 = (math.log(s / strike) + (r + v * v / 2) * years) / (v * math.sqrt(years))
        def normal(d):
            return 0.5 * math.erfc(-d / math.sqrt(2))
        return s * normal(d1) - strike * math.exp(-r * years) * normal(d1 - v * math.sqrt(years))
    options = [(f32(50 + k), f32(100 - k / 2), f32(0.25 + k / 64)) for k in range(64)]
    files.add("programs/black_scholes.cl", "prices of options within 2e-4, judged by the kernel", """
float normal(float d) {
    return 0.5f * erfc(-d * M_SQRT1_2_F);
}

kernel void prices(global const float *s, global const float *strike, global const float *years, global const float *want, global uint *out) {
    size_t i = get_global_id(0);
    float root = sqrt(years[i]), r = 0.02f, v = 0.3f;
    float d1 = (log(s[i] / strike[i]) + (r + 0.5f * v * v) * years[i]) / (v * root);
    float price = s[i] * normal(d1) - strike[i] * exp(-r * years[i]) * normal(d1 - v * root);
    out[i] = fabs(price - want[i]) < 2e-4f;
}
""", [("s", "f32", [o[0] for o in options]), ("strike", "f32", [o[1] for o in options]), ("years", "f32", [o[2] for o in options]),
              ("want", "f32", [f32(price(*o)) for o in options]), ("out", "u32", 64)], "s strike years want out", [("out", "fill 1")])
    files.add("programs/prefix_polynomial.cl", "powers and sums of double in a loop, exact in binary", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void series(global double *out) {
    size_t i = get_global_id(0);
    double power = 1.0, sum = 0.0;
    for (size_t k = 0; k <= i % 40; k++) {
        sum += power;
        power *= 0.5;
    }
    out[i] = sum;
}
""", [("out", "f64", 64)], "out", [("out", [2.0 - 0.5 ** (k % 40) for k in range(64)])])


def add(files):
    linear_algebra(files)
    grids(files)
    lists(files)
    bits(files)
    floating(files)
