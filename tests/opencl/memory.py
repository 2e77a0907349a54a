"""Address spaces, private arrays, structures, constant tables, pointers of every kind, work-item functions."""
import struct

from kernels import Random, f32, to_bits, wrap

N = 64


def shift_register(x, i):
    """The results of one work-item: sums by the low bits of a value, of what the line held seven and three steps before."""
    at = [x[(i + t) & 31] for t in range(32)]
    past = [0] * 8 + at
    total = [k + sum(past[8 + t - 7] - 2 * past[8 + t - 3] for t in range(32) if at[t] & 3 == k) for k in range(4)]
    return [1000 * total[k] + at[31 - 2 * k] for k in range(4)]


def private_arrays(files):
    random = Random(71)
    x = random.list(8 * N, 1000)
    files.add("private_arrays/sort.cl", "insertion sort of eight numbers in a private array", """
kernel void sort(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = x[8 * i + k];
    for (int k = 1; k < 8; k++) {
        int v = a[k], at = k;
        while (at > 0 && a[at - 1] > v) {
            a[at] = a[at - 1];
            at--;
        }
        a[at] = v;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = a[k];
}
""", [("x", "i32", x), ("out", "i32", 8 * N)], "x out", [("out", [v for k in range(N) for v in sorted(x[8 * k:8 * k + 8])])])
    files.add("private_arrays/histogram.cl", "a private table of counts, indexed by data, set to zero by an initialiser", """
kernel void histogram(global const uint *x, global uint *out) {
    size_t i = get_global_id(0);
    uint count[16] = {0};
    for (uint k = 0; k < 40; k++)
        count[(x[i] * (k + 1) >> 3) & 15]++;
    for (uint k = 0; k < 16; k++)
        out[16 * i + k] = count[k];
}
""", [("x", "u32", x[:N]), ("out", "u32", 16 * N)], "x out",
              [("out", [sum((v * (k + 1) >> 3 & 15) == bin_ for k in range(40)) for v in x[:N] for bin_ in range(16)])])
    files.add("private_arrays/two_dimensions.cl", "private arrays of two dimensions: a product of 4 by 4 matrices to a power", """
kernel void power(global int *out) {
    int i = get_global_id(0);
    uint a[4][4], r[4][4], t[4][4];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            a[y][x] = (y * 5 + x * 3 + i) % 7;
            r[y][x] = y == x;
        }
    for (int k = 0; k < i % 5; k++) {
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) {
                t[y][x] = 0;
                for (int z = 0; z < 4; z++)
                    t[y][x] += r[y][z] * a[z][x];
            }
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                r[y][x] = t[y][x];
    }
    out[i] = r[i & 3][i >> 2 & 3];
}
""", [("out", "i32", N)], "out", [("out", [matrix_power(k) for k in range(N)])])
    files.add("private_arrays/bytes_and_words.cl", "a private array of bytes read as words and vice versa", """
kernel void views(global uint *out) {
    uint i = get_global_id(0);
    uchar bytes[16];
    for (uint k = 0; k < 16; k++)
        bytes[(k + i) & 15] = (uchar)(k * 17 + i);
    uint words[4];
    for (uint k = 0; k < 4; k++)
        words[k] = bytes[4 * k] | bytes[4 * k + 1] << 8 | bytes[4 * k + 2] << 16 | (uint)bytes[4 * k + 3] << 24;
    uchar *view = (uchar *)words;
    view[i & 15] ^= 0xFF;
    for (uint k = 0; k < 4; k++)
        out[4 * i + k] = words[k];
}
""", [("out", "u32", 4 * N)], "out", [("out", [v for k in range(N) for v in byte_views(k)])])
    files.add("private_arrays/wide.cl", "private arrays of long, short and double, indexed at run time", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void wide(global long *out) {
    uint i = get_global_id(0);
    long a[5];
    short b[6];
    double c[3];
    for (uint k = 0; k < 5; k++)
        a[k] = (long)k * 10000000000l - i;
    for (uint k = 0; k < 6; k++)
        b[k] = (short)(k * 7000 * (i + 1));
    for (uint k = 0; k < 3; k++)
        c[k] = k * 0.5 + i;
    out[i] = a[i % 5] + b[i % 6] + (long)(c[i % 3] * 4.0);
}
""", [("out", "u64", N)], "out",
              [("out", [(k % 5) * 10**10 - k + wrap((k % 6) * 7000 * (k + 1), "short") + int(((k % 3) * 0.5 + k) * 4) for k in range(N)])])
    wave = [(37 * k * k - 400 * k) % 211 - 100 for k in range(32)]
    files.add("private_arrays/shift_register.cl", "a private array that moves along in a loop, next to one that is indexed by data", """
kernel void shift_register(global const int *x, global int *out) {
    int i = get_global_id(0), line[8], sum[4];
    for (int k = 0; k < 8; k++)
        line[k] = 0;
    for (int k = 0; k < 4; k++)
        sum[k] = k;
    for (int t = 0; t < 32; t++) {
        for (int k = 7; k > 0; k--)
            line[k] = line[k - 1];
        line[0] = x[(i + t) & 31];
        sum[line[0] & 3] += line[7] - 2 * line[3];
    }
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = 1000 * sum[k] + line[2 * k];
}
""", [("x", "i32", wave), ("out", "i32", 4 * N)], "x out", [("out", [v for i in range(N) for v in shift_register(wave, i)])])
    files.add("private_arrays/stack.cl", "a stack in private memory: a tree is walked without recursion", """
kernel void walk(global uint *out) {
    uint root = get_global_id(0) + 1, total = 0;
    uint stack[16];
    int top = 0;
    stack[top++] = root;
    while (top > 0) {
        uint node = stack[--top];
        total = total * 5 + node;
        if (2 * node < 200) {
            stack[top++] = 2 * node + 1;
            stack[top++] = 2 * node;
        }
    }
    out[get_global_id(0)] = total;
}
""", [("out", "u32", N)], "out", [("out", [walk(k + 1) for k in range(N)])])
    files.add("private_arrays/of_pointers.cl", "a private array of pointers to global memory, one chosen at run time", """
kernel void pointers(global const int *a, global const int *b, global const int *c, global int *out) {
    size_t i = get_global_id(0);
    global const int *all[3] = {a, b + 1, c};
    int total = 0;
    for (int k = 0; k < 4; k++)
        total = total * 10 + all[(i + k * k) % 3][i];
    out[i] = total;
}
""", [("a", "i32", (64, "iota 0")), ("b", "i32", (65, "iota 100 2")), ("c", "i32", (64, "fill 7")), ("out", "i32", 64)], "a b c out",
              [("out", [nested(k, lambda n, k=k: (k, 102 + 2 * k, 7)[n]) for k in range(64)])])


def nested(i, pick):
    total = 0
    for k in range(4):
        total = total * 10 + pick((i + k * k) % 3)
    return total


def matrix_power(i):
    a = [[(y * 5 + x * 3 + i) % 7 for x in range(4)] for y in range(4)]
    r = [[int(y == x) for x in range(4)] for y in range(4)]
    for _ in range(i % 5):
        r = [[sum(r[y][z] * a[z][x] for z in range(4)) for x in range(4)] for y in range(4)]
    return r[i & 3][i >> 2 & 3]


def byte_views(i):
    data = [0] * 16
    for k in range(16):
        data[(k + i) & 15] = to_bits(k * 17 + i, 8)
    data[i & 15] ^= 0xFF
    return struct.unpack("<4I", bytes(data))


def walk(root):
    total, stack = 0, [root]
    while stack:
        node = stack.pop()
        total = to_bits(total * 5 + node, 32)
        if 2 * node < 200:
            stack += [2 * node + 1, 2 * node]
    return total


def structures(files):
    files.add("structures/by_value.cl", "a structure of mixed types as a kernel argument", """
typedef struct {
    float scale;
    int offset[3];
    uchar tag;
    short small;
    ulong big;
} settings;

kernel void by_value(global long *out, settings s, uint last) {
    size_t i = get_global_id(0);
    out[i] = (long)(s.scale * i) + s.offset[i % 3] + s.tag * 1000 + s.small * 100000l + (long)(s.big >> 32) + last;
}
""", [("out", "u64", N)], "out f32:2.5 10 -20 30 0xFFFD0007 0 0 5 9",
              [("out", [int(2.5 * k) + (10, -20, 30)[k % 3] + 7000 - 300000 + 5 + 9 for k in range(N)])])
    records = [(k, f32(k * 0.5), wrap(k * 37, "char"), k * 300 & 0xFFFF) for k in range(N)]
    packed = b"".join(struct.pack("<ifbxH", *r) for r in records)
    files.add("structures/in_memory.cl", "an array of structures in global memory: fields read, written, and copied whole", """
typedef struct {
    int id;
    float weight;
    char sign;
    ushort code;
} record;

kernel void update(global const record *from, global record *to, global int *sum) {
    size_t i = get_global_id(0);
    record r = from[63 - i];
    r.id += 1000;
    r.weight *= -2.0f;
    to[i] = r;
    to[i].code ^= 0xFF;
    sum[i] = r.sign + from[i].sign;
}
""", [("from", "u8", list(packed)), ("to", "u8", 12 * N), ("sum", "i32", N)], "from to sum",
              [("sum", [records[63 - k][2] + records[k][2] for k in range(N)])] +
              [(f"to[{12 * k}..{12 * k + 9}]", list(struct.pack("<ifb", records[63 - k][0] + 1000, records[63 - k][1] * -2, records[63 - k][2]))) for k in (0, 1, 31, 63)] +
              [(f"to[{12 * k + 10}..{12 * k + 12}]", list(struct.pack("<H", records[63 - k][3] ^ 0xFF))) for k in (0, 1, 31, 63)])
    tight = [(k & 0xFF, k * 0x01010101 & 0xFFFFFFFF, k * 1001 & 0xFFFF) for k in range(N)]
    files.add("structures/packed.cl", "a packed structure: words at odd addresses", """
typedef struct __attribute__((packed)) {
    uchar kind;
    uint value;
    ushort rest;
} tight;

kernel void unpack(global const tight *x, global uint *out, global tight *back) {
    size_t i = get_global_id(0);
    out[i] = x[i].value + x[i].kind * x[i].rest;
    tight t = {(uchar)(x[i].kind + 1), ~x[i].value, 7};
    back[i] = t;
}
""", [("x", "u8", list(b"".join(struct.pack("<BIH", *t) for t in tight))), ("out", "u32", N), ("back", "u8", 7 * N)], "x out back",
              [("out", [to_bits(b + a * c, 32) for a, b, c in tight]),
               ("back", list(b"".join(struct.pack("<BIH", a + 1 & 0xFF, b ^ 0xFFFFFFFF, 7) for a, b, _ in tight)))])
    files.add("structures/nested.cl", "structures in structures and arrays of them in private memory, chosen at run time", """
typedef struct {
    int2 at;
    struct {
        short a, b;
    } inner[2];
} node;

kernel void nested(global int *out) {
    int i = get_global_id(0);
    node n[3];
    for (int k = 0; k < 3; k++) {
        n[k].at = (int2)(k, i);
        n[k].inner[0].a = (short)(k * 10);
        n[k].inner[0].b = (short)(i * 2);
        n[k].inner[1] = n[k].inner[0];
        n[k].inner[1].a++;
    }
    node m = n[i % 3];
    n[0] = n[2];
    out[i] = m.at.x * 100000 + m.at.y * 1000 + m.inner[i & 1].a + m.inner[1].b + n[0].at.x;
}
""", [("out", "i32", N)], "out", [("out", [(k % 3) * 100000 + k * 1000 + (k % 3) * 10 + (k & 1) + 2 * k + 2 for k in range(N)])])
    files.add("structures/union.cl", "a union of float, words and bytes", """
typedef union {
    float f;
    uint u;
    uchar c[4];
} view;

kernel void views(global const float *x, global uint *out) {
    size_t i = get_global_id(0);
    view v;
    v.f = x[i];
    v.c[3] ^= 0x80;
    out[2 * i] = v.u;
    out[2 * i + 1] = v.c[i & 3];
}
""", [("x", "f32", (64, "iota 1 0.375")), ("out", "u32", 128)], "x out",
              [("out", [w for k in range(64) for b in [struct.unpack("<I", struct.pack("<f", 1 + 0.375 * k))[0] ^ 0x80000000] for w in (b, b >> 8 * (k & 3) & 255)])])
    files.add("structures/bit_fields.cl", "fields of bits by shifts and masks, as packed colours", """
kernel void fields(global const uint *x, global uint *out) {
    size_t i = get_global_id(0);
    uint v = x[i], r = v >> 11 & 31, g = v >> 5 & 63, b = v & 31;
    out[i] = ((r * 527 + 23) >> 6) << 16 | ((g * 259 + 33) >> 6) << 8 | ((b * 527 + 23) >> 6);
}
""", [("x", "u32", (64, "expr i * 1031 & 65535")), ("out", "u32", 64)], "x out",
              [("out", [((v >> 11 & 31) * 527 + 23 >> 6) << 16 | ((v >> 5 & 63) * 259 + 33 >> 6) << 8 | ((v & 31) * 527 + 23 >> 6)
                        for v in (k * 1031 & 65535 for k in range(64))])])
    files.add("structures/overlapping_copy.cl", "a block of memory moved onto itself, forward and backward", """
typedef struct {
    uchar data[24];
} block;

kernel void move(global uchar *x) {
    uchar own[32];
    for (int k = 0; k < 32; k++)
        own[k] = x[k];
    __builtin_memmove(own + 3, own, 24);
    __builtin_memmove(own, own + 5, 20);
    for (int k = 0; k < 32; k++)
        x[32 + k] = own[k];
    block b = *(global block *)(x + 8);
    *(global block *)(x + 4) = b;
}
""", [("x", "u8", list(range(32)) + [0] * 32)], "x", [("x", moved())], group="1")


def moved():
    own = list(range(32))
    own[3:27] = own[0:24]
    own[0:20] = own[5:25]
    x = list(range(32)) + own
    x[4:28] = x[8:32]
    return x


def tables(files):
    files.add("constant_memory/tables.cl", "tables in constant memory: words, bytes, floats, two dimensions, structures, a text", """
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant uchar bytes[5] = {250, 1, 100, 7, 33};
constant float halves[4] = {0.5f, 1.5f, -2.5f, 1e10f};
constant short grid[3][4] = {{1, 2, 3, 4}, {-5, -6, -7, -8}, {9, 10, 11, 12}};
constant struct {
    int a;
    ulong b;
} pairs[2] = {{1, 0x100000000ul}, {-1, 3}};
constant char text[] = "wave";

kernel void tables(global long *out) {
    size_t i = get_global_id(0);
    long v = primes[i & 7] * 1000l + bytes[i % 5] + grid[i % 3][i & 3];
    v += (long)(halves[i & 3] * 2.0f) + pairs[i & 1].a + (long)pairs[i & 1].b;
    out[i] = v * 256 + text[i % 5];
}
""", [("out", "u64", N)], "out",
              [("out", [((2, 3, 5, 7, 11, 13, 17, 19)[k & 7] * 1000 + (250, 1, 100, 7, 33)[k % 5] +
                         ((1, 2, 3, 4), (-5, -6, -7, -8), (9, 10, 11, 12))[k % 3][k & 3] + int((0.5, 1.5, -2.5, 1e10)[k & 3] * 2) +
                         (1 + 2**32, -1 + 3)[k & 1]) * 256 + b"wave\0"[k % 5] for k in range(N)])])
    files.add("constant_memory/argument.cl", "a pointer to constant memory as a kernel argument, together with a table of the program", """
constant int factor[4] = {1, 10, 100, 1000};

kernel void weighted(constant int *weights, global int *out) {
    size_t i = get_global_id(0);
    out[i] = weights[i & 7] * factor[i & 3] + weights[8];
}
""", [("weights", "i32", [3, 1, 4, 1, 5, 9, 2, 6, 77]), ("out", "i32", N)], "weights out",
              [("out", [(3, 1, 4, 1, 5, 9, 2, 6)[k & 7] * 10 ** (k & 3) + 77 for k in range(N)])])
    files.add("constant_memory/through_helper.cl", "a helper that takes a pointer to constant memory, called with two tables", """
constant int odd[6] = {1, 3, 5, 7, 9, 11};
constant int even[6] = {0, 2, 4, 6, 8, 10};

__attribute__((noinline)) int sum(constant int *table, int from, int count) {
    int total = 0;
    for (int k = 0; k < count; k++)
        total += table[(from + k) % 6];
    return total;
}

kernel void sums(global int *out) {
    int i = get_global_id(0);
    out[i] = sum(i & 1 ? odd : even, i, 3) * 100 + sum(odd, 0, i % 7);
}
""", [("out", "i32", N)], "out",
              [("out", [sum((1, 3, 5, 7, 9, 11)[(k + j) % 6] - (0 if k & 1 else 1) for j in range(3)) * 100 +
                        sum((1, 3, 5, 7, 9, 11)[j % 6] for j in range(k % 7)) for k in range(N)])])
    files.add("constant_memory/local_initialiser.cl", "a private array with an initialiser: its values are copied from constant memory", """
kernel void initialised(global int *out) {
    int i = get_global_id(0);
    int a[10] = {5, 4, 3, 2, 1, 9, 8, 7, 6, 0};
    a[i % 10] += i;
    int at = i % 10, total = 0;
    for (int k = 0; k < 6; k++) {
        total = total * 10 + a[at] % 10;
        at = a[at] % 10;
    }
    out[i] = total;
}
""", [("out", "i32", N)], "out", [("out", [follow(k) for k in range(N)])])


def follow(i):
    a = [5, 4, 3, 2, 1, 9, 8, 7, 6, 0]
    a[i % 10] += i
    at, total = i % 10, 0
    for _ in range(6):
        total = total * 10 + a[at] % 10
        at = a[at] % 10
    return total


def pointers(files):
    files.add("pointers/walk.cl", "a pointer that moves through a buffer, compared with its end; differences of pointers", """
kernel void walk(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    global const int *p = x + i, *end = x + 64;
    int total = 0;
    while (p < end && *p != 13)
        total += *p++;
    out[2 * i] = total;
    out[2 * i + 1] = (int)(p - x) * 2 + (p == end);
}
""", [("x", "i32", [(k * 7) % 29 for k in range(64)]), ("out", "i32", 128)], "x out", [("out", [v for k in range(64) for v in walked(k)])])
    files.add("pointers/null.cl", "null pointers: an argument that is one, a result of a helper that may be one", """
global const int *find(global const int *x, int wanted) {
    for (int k = 0; k < 16; k++)
        if (x[k] == wanted)
            return x + k;
    return 0;
}

kernel void null_pointers(global const int *x, global const int *none, global int *out) {
    int i = get_global_id(0);
    global const int *p = find(x, i);
    out[i] = (p ? (int)(p - x) : -1) + (none ? 1000 : 0) + (out != 0 ? 100 : 0);
}
""", [("x", "i32", (16, "iota 0 3")), ("out", "i32", 64)], "x 0 out", [("out", [(k // 3 if k % 3 == 0 and k < 48 else -1) + 100 for k in range(64)])])
    files.add("pointers/chosen.cl", "a pointer chosen between two buffers, in a branch and in a loop", """
kernel void chosen(global int *a, global int *b, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b, *q = b;
    int total = 0;
    for (int k = 0; k < 4; k++) {
        total = total * 3 + p[i] + q[63 - i];
        global int *t = p;
        p = q;
        q = k & 1 ? a : t;
    }
    out[i] = total;
}
""", [("a", "i32", (64, "iota 1")), ("b", "i32", (64, "iota 500 -2")), ("out", "i32", 64)], "a b out", [("out", [chosen(k) for k in range(64)])])
    files.add("pointers/generic.cl", "a helper with a generic pointer, called for global, local and private memory", """
__attribute__((noinline)) int total(const int *p, int count) {
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum = sum * 2 + p[k];
    return sum;
}

kernel void generic_pointers(global const int *x, global int *out) {
    local int shared[64];
    int own[4];
    int i = get_local_id(0);
    shared[i] = x[63 - i];
    for (int k = 0; k < 4; k++)
        own[k] = i + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[3 * i] = total(x + i, 3);
    out[3 * i + 1] = total(shared + (i & 31), 5);
    out[3 * i + 2] = total(own, 4);
}
""", [("x", "i32", (67, "iota 3 5")), ("out", "i32", 192)], "x out",
              [("out", [v for k in range(64) for v in (horner([3 + 5 * (k + j) for j in range(3)]),
                                                       horner([3 + 5 * (63 - (k & 31) - j) for j in range(5)]), horner([k + j for j in range(4)]))])])
    files.add("pointers/generic_casts.cl", "to_global, to_local, to_private and get_fence: the pointer, or null", """
int kind(const int *p) {
    return (to_global(p) ? 1 : 0) | (to_local(p) ? 2 : 0) | (to_private(p) ? 4 : 0);
}

__attribute__((noinline)) int load(int *p) {
    global int *g = to_global(p);
    local int *l = to_local(p);
    private int *o = to_private(p);
    return g ? 1000 + *g : l ? 2000 + *l : o ? 3000 + *o : -1;
}

kernel void generic_casts(global int *x, global int *out) {
    local int shared[64];
    int own[4];
    int i = get_local_id(0);
    shared[i] = x[63 - i];
    for (int k = 0; k < 4; k++)
        own[k] = 10 * i + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    global int *o = out + 12 * i;
    o[0] = load(x + i);
    o[1] = load(shared + i);
    o[2] = load(own + (i & 3));
    o[3] = kind(x + i);
    o[4] = kind(shared + i);
    o[5] = kind(own);
    o[6] = kind((const int *)0);
    o[7] = get_fence(x) == CLK_GLOBAL_MEM_FENCE;
    o[8] = get_fence(shared) == CLK_LOCAL_MEM_FENCE;
    o[9] = to_local((int *)(shared + i)) - shared;
    o[10] = to_global((global const volatile uchar *)(x + i)) - (global const volatile uchar *)x;
    o[11] = to_private(own + 3) - own;
}
""", [("x", "i32", (64, "iota 3 5")), ("out", "i32", 768)], "x out",
              [("out", [v for i in range(64)
                        for v in (1003 + 5 * i, 2003 + 5 * (63 - i), 3000 + 10 * i + (i & 3), 1, 2, 4, 0, 1, 1, i, 4 * i, 3)])])
    files.add("pointers/casts.cl", "one buffer read as bytes, words and floats; adjacent bytes stored by neighbours", """
kernel void casts(global uint *x, global uchar *bytes, global ushort *halves) {
    size_t i = get_global_id(0);
    global const uchar *b = (global const uchar *)x;
    bytes[i] = b[4 * i + 1];
    halves[i] = *(global const ushort *)(b + 4 * i + 2);
    bytes[64 + i] = (uchar)(as_uint(*(global const float *)(x + i)) >> 24);
}
""", [("x", "u32", (64, "expr i * 2654435761")), ("bytes", "u8", 128), ("halves", "u16", 64)], "x bytes halves",
              [("bytes", [to_bits(k * 2654435761, 32) >> 8 & 255 for k in range(64)] + [to_bits(k * 2654435761, 32) >> 24 for k in range(64)]),
               ("halves", [to_bits(k * 2654435761, 32) >> 16 for k in range(64)])])
    files.add("pointers/address_arithmetic.cl", "addresses as integers: alignment of a pointer, distance in bytes", """
kernel void addresses(global uchar *x, global uint *out) {
    uint i = get_global_id(0);
    global uchar *p = x + i;
    uintptr_t address = (uintptr_t)p, base = (uintptr_t)x;
    global uchar *aligned = (global uchar *)((address + 7) & ~(uintptr_t)7);
    out[2 * i] = (uint)(address - base);
    out[2 * i + 1] = (uint)(aligned - p);
}
""", [("x", "u8", (72, "zero")), ("out", "u32", 128)], "x out", [("out", [v for k in range(64) for v in (k, -k % 8)])])


def walked(i):
    x = [(k * 7) % 29 for k in range(64)]
    total, at = 0, i
    while at < 64 and x[at] != 13:
        total += x[at]
        at += 1
    return [total, at * 2 + (at == 64)]


def chosen(i):
    a, b = [1 + k for k in range(64)], [500 - 2 * k for k in range(64)]
    p, q, total = (a if i & 1 else b), b, 0
    for k in range(4):
        total = total * 3 + p[i] + q[63 - i]
        p, q = q, (a if k & 1 else p)
    return total


def horner(values):
    total = 0
    for v in values:
        total = total * 2 + v
    return total


def ids(files):
    # A grid of 2 x 3 x 2 groups of 4 x 2 x 2.
    groups, size = (2, 3, 2), (4, 2, 2)
    whole = [g * s for g, s in zip(groups, size)]
    def at(i):
        g = (i % whole[0], i // whole[0] % whole[1], i // (whole[0] * whole[1]))
        l = [g[k] % size[k] for k in range(3)]
        w = [g[k] // size[k] for k in range(3)]
        return g, l, w
    count = whole[0] * whole[1] * whole[2]
    files.add("ids/three_dimensions.cl", "global, local and group ids and sizes in three dimensions, linear ids", """
kernel void ids(global uint *out) {
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    global uint *o = out + 6 * i;
    o[0] = x | y << 8 | z << 16;
    o[1] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    o[2] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
    o[3] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16 | get_num_groups(1) << 24;
    o[4] = get_global_linear_id();
    o[5] = get_local_linear_id() + get_global_offset(0) + get_global_offset(2);
}
""", [("out", "u32", 6 * count)], "out",
              [("out", [v for k in range(count) for g, l, w in [at(k)] for v in
                        (g[0] | g[1] << 8 | g[2] << 16, l[0] | l[1] << 8 | l[2] << 16, w[0] | w[1] << 8 | w[2] << 16,
                         size[0] | size[1] << 8 | size[2] << 16 | groups[1] << 24, k, l[0] + 4 * l[1] + 8 * l[2])])], group="4 2 2", grid="2 3 2")
    files.add("ids/chosen_dimension.cl", "the dimension of a work-item function is known at run time only, or does not exist", """
kernel void dimension(global uint *out, uint d) {
    size_t i = get_global_linear_id();
    uint k = (i + d) & 3;
    out[i] = get_global_id(k) + 100 * get_local_size(k) + 10000 * get_num_groups(k) + 1000000 * get_group_id(k);
    out[96 + i] = get_global_id(3) + 10 * get_global_size(5) + 100 * get_local_size(7);
}
""", [("out", "u32", 192)], "out 1",
              [("out", [(g[n] + 100 * size[n] + 10000 * (2, 3, 1)[n] + 1000000 * w[n]) if n < 3 else 10100
                        for k in range(96) for g, l, w in [small(k)] for n in [k + 1 & 3]] + [110] * 96)], group="4 2 2", grid="2 3 1")
    files.add("ids/required_size.cl", "the size of a work-group is given in the source", """
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global uint *out) {
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_group_id(0);
}
""", [("out", "u32", 128)], "out", [("out", [840 + (k % 16) // 8 for k in range(128)])], group=None, grid="2 2")
    files.add("ids/second_kernel.cl", "a file of three kernels; the second is launched", """
kernel void first(global uint *out) {
    out[get_global_id(0)] = 1;
}

kernel void second(global uint *out) {
    out[get_global_id(0)] = get_global_id(0) * 2;
}

kernel void third(global uint *out) {
    out[get_global_id(0)] = 3;
}
""", [("out", "u32", 64)], "out", [("out", "expr i * 2")], extra=["kernel  second"])
    files.add("ids/arguments.cl", "arguments of every scalar type and of vectors", """
kernel void arguments(global long *out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float x, int2 v, uchar4 w,
                      float4 y) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = (long)h;
    out[8] = (long)(x * 4.0f);
    out[9] = v.x * 1000l + v.y;
    out[10] = w.x + w.y * 10 + w.z * 100 + w.w * 1000;
    out[11] = (long)(y.x + y.y * 10.0f + y.z * 100.0f + y.w * 1000.0f);
}
""", [("out", "u64", 12)], "out -5 250 -3000 60000 -7 0xFFFFFFFE 1 -1 5 0x80000000 f32:2.25 12 -3 0x04030201 f32:1 f32:2 f32:3 f32:4",
              [("out", [-5, 250, -3000, 60000, -7, 0xFFFFFFFE, 1 - 2**32, 5 + 2**63, 9, 11997, 4321, 4321])], group="1")


def small(i):
    whole, size = (8, 6, 2), (4, 2, 2)
    g = (i % 8, i // 8 % 6, i // 48)
    assert i < whole[0] * whole[1] * whole[2]
    return g, [g[k] % size[k] for k in range(3)], [g[k] // size[k] for k in range(3)]


def add(files):
    private_arrays(files)
    structures(files)
    tables(files)
    pointers(files)
    ids(files)
