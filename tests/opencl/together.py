"""Cooperating work-items: barriers, local memory, atomics, work-group and sub-group functions, asynchronous
copies."""
from kernels import Random, f32, to_bits, wrap

DATA = Random(81).list(256, 100000)


def barriers(files):
    files.add("barriers/reverse.cl", "a work-group reverses its elements through local memory", """
kernel void reverse(global const int *x, global int *out) {
    local int shared[64];
    size_t l = get_local_id(0);
    shared[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[63 - l];
}
""", [("x", "i32", DATA), ("out", "i32", 256)], "x out", [("out", [DATA[64 * (k // 64) + 63 - k % 64] for k in range(256)])], grid="4")
    files.add("barriers/tree_sum.cl", "a tree sum: a barrier in a loop, fewer work-items add in each step", """
kernel void sum(global const int *x, global int *out) {
    local int shared[128];
    uint l = get_local_id(0);
    shared[l] = x[get_global_id(0)];
    for (uint step = 64; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            shared[l] += shared[l + step];
    }
    if (l == 0)
        out[get_group_id(0)] = shared[0];
}
""", [("x", "i32", DATA), ("out", "i32", 2)], "x out", [("out", [sum(DATA[:128]), sum(DATA[128:])])], group="128", grid="2")
    files.add("barriers/global_exchange.cl", "values are exchanged through global memory inside a work-group", """
kernel void exchange(global int *x, global int *out) {
    int l = get_local_id(0);
    for (int round = 0; round < 4; round++) {
        int v = x[(l + 1) & 63];
        barrier(CLK_GLOBAL_MEM_FENCE);
        x[l] = v * 3 + round;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[l] = x[63 - l];
}
""", [("x", "i32", DATA[:64]), ("out", "i32", 64)], "x out", [("out", exchange()[::-1])])
    files.add("barriers/scopes.cl", "barriers of a work-group whose memory has a wider scope", """
kernel void scopes(global int *x, global int *out) {
    int l = get_local_id(0);
    x[l] += l;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    int v = x[63 - l];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_all_svm_devices);
    x[l] = v;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    out[l] = x[l ^ 1];
}
""", [("x", "i32", DATA[:64]), ("out", "i32", 64)], "x out", [("out", [DATA[63 - (k ^ 1)] + 63 - (k ^ 1) for k in range(64)])])
    files.add("barriers/in_branch.cl", "barriers in a branch that the whole work-group takes, and after a helper call", """
__attribute__((noinline)) void publish(local int *shared, int l, int v) {
    shared[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void branch(global int *out, int mode) {
    local int shared[64];
    int l = get_local_id(0), v;
    if (mode == 3) {
        publish(shared, l, l * l);
        v = shared[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        publish(shared, l, v + 1);
        v = shared[l ^ 2];
    } else {
        publish(shared, l, -l);
        v = shared[0];
    }
    out[l] = v;
}
""", [("out", "i32", 64)], "out 3", [("out", [(k ^ 3) ** 2 + 1 for k in range(64)])])
    files.add("local_memory/arguments.cl", "two local buffers as arguments, and a local array of the kernel", """
kernel void three(global const int *x, local int *first, global int *out, local short *second, int factor) {
    local int third[64];
    size_t l = get_local_id(0);
    first[l] = x[l];
    second[63 - l] = (short)(x[l] & 1023);
    third[l] = (int)l * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = first[(l + 5) & 63] + second[l] + third[63 - l];
}
""", [("x", "i32", DATA[:64]), ("out", "i32", 64)], "x out 1000",
              [("out", [DATA[k + 5 & 63] + (DATA[63 - k] & 1023) + (63 - k) * 1000 for k in range(64)])], cc="--local=first=256 --local=second=128")
    files.add("local_memory/structures.cl", "structures, bytes and 64-bit words in local memory", """
typedef struct {
    long key;
    uchar mark;
    float weight;
} item;

kernel void items(global const int *x, global long *out) {
    local item items[32];
    local uchar flags[32];
    size_t l = get_local_id(0);
    items[l].key = (long)x[l] << 20;
    items[l].mark = (uchar)x[l];
    items[l].weight = l * 0.5f;
    flags[31 - l] = (uchar)(l * 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    item it = items[l ^ 7];
    out[l] = it.key + it.mark + (long)(it.weight * 2.0f) * 1000 + flags[l];
}
""", [("x", "i32", DATA[:32]), ("out", "u64", 32)], "x out",
              [("out", [(DATA[k ^ 7] << 20) + (DATA[k ^ 7] & 255) + (k ^ 7) * 1000 + (31 - k) * 3 for k in range(32)])], group="32")
    files.add("local_memory/passed_on.cl", "a local array handed to helpers as a pointer, whole and in part", """
int sum(local const int *p, int n) {
    int total = 0;
    for (int k = 0; k < n; k++)
        total += p[k];
    return total;
}

kernel void passed(global const int *x, global int *out) {
    local int tile[8][8];
    int l = get_local_id(0);
    tile[l >> 3][l & 7] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = sum(tile[l & 7], 8) - sum(&tile[l >> 3][0] + 2, 3);
}
""", [("x", "i32", DATA[:64]), ("out", "i32", 64)], "x out",
              [("out", [sum(DATA[8 * (k & 7):8 * (k & 7) + 8]) - sum(DATA[8 * (k >> 3) + 2:8 * (k >> 3) + 5]) for k in range(64)])])
    for name, call in (("copy", "async_work_group_copy(tile, x + 64 * get_group_id(0), 64, 0)"),
                       ("strided_copy", "async_work_group_strided_copy(tile, x + get_group_id(0), 64, 4, 0)")):
        want = [DATA[64 * (k // 64) + 63 - k % 64] if name == "copy" else DATA[k // 64 + 4 * (63 - k % 64)] for k in range(256)]
        files.add(f"local_memory/async_{name}.cl", f"async_work_group_{name} into local memory and back", f"""
kernel void copied(global const int *x, global int *out) {{
    local int tile[64], back[64];
    size_t l = get_local_id(0);
    event_t e = {call};
    wait_group_events(1, &e);
    back[l] = tile[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t f = async_work_group_copy(out + 64 * get_group_id(0), back, 64, 0);
    wait_group_events(1, &f);
}}
""", [("x", "i32", DATA), ("out", "i32", 256)], "x out", [("out", want)], grid="4")
    # The fourth component is copied too: "3 component vector data types behave as 4 component" (OpenCL C 3.0, 6.15.11).
    want = [0] * 128
    for k in range(16):
        want[8 * k:8 * k + 4] = DATA[8 * (15 - k):8 * (15 - k) + 4]
    files.add("local_memory/async_three.cl", "asynchronous copies of vectors of three components copy a fourth", """
kernel void copied(global const int3 *x, global int3 *out) {
    local int3 tile[16], back[16];
    size_t l = get_local_id(0);
    event_t e = async_work_group_strided_copy(tile, x, 16, 2, 0);
    wait_group_events(1, &e);
    ((local int *)back)[l] = ((local int *)tile)[4 * (15 - l / 4) + l % 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out, back, 16, 2, 0);
    wait_group_events(1, &e);
}
""", [("x", "i32", DATA[:128]), ("out", "i32", 128)], "x out", [("out", want)])
    files.add("local_memory/async_widths.cl", "asynchronous copies of elements of 1 to 128 bytes, in OpenCL C 1.2", """
kernel void copied(global const int *x, global int *out) {
    local char3 a[32];
    local short b[64];
    local ulong8 c[2];
    local double16 d[1];
    event_t e = async_work_group_copy(a, (global const char3 *)x, 32, 0);
    e = async_work_group_copy(b, (global const short *)(x + 32), 64, e);
    e = async_work_group_copy(c, (global const ulong8 *)(x + 64), 2, e);
    e = async_work_group_copy(d, (global const double16 *)(x + 96), 1, e);
    wait_group_events(1, &e);
    e = async_work_group_copy((global char3 *)(out + 96), a, 32, 0);
    e = async_work_group_copy((global short *)(out + 64), b, 64, e);
    e = async_work_group_copy((global ulong8 *)(out + 32), c, 2, e);
    e = async_work_group_copy((global double16 *)out, d, 1, e);
    wait_group_events(1, &e);
}
""", [("x", "i32", DATA[:128]), ("out", "i32", 128)], "x out",
              [("out", DATA[96:128] + DATA[64:96] + DATA[32:64] + DATA[:32])], cc="-cl-std=CL1.2")


def exchange():
    x = DATA[:64]
    for turn in range(4):
        x = [wrap(x[(k + 1) & 63] * 3 + turn, "int") for k in range(64)]
    return x


def atomics(files):
    for name in ("int", "uint"):
        values = [wrap(v * 77777, name) for v in DATA]
        functions = [("add", 0, lambda t, v: t + v), ("sub", 5, lambda t, v: t - v), ("min", 1000, min), ("max", -5, max), ("and", -1, lambda t, v: t & v),
                     ("or", 0, lambda t, v: t | v), ("xor", 9, lambda t, v: t ^ v)]
        start = [wrap(s, name) for _, s, _ in functions] + [0, 300]
        want = []
        for _, first, function in functions:
            total = wrap(first, name)
            for v in values:
                total = wrap(function(total, v), name)
            want.append(total)
        calls = "\n".join(f"    atomic_{f}(&total[{k}], v);" for k, (f, _, _) in enumerate(functions))
        for place in ("global", "local"):
            begin = "" if place == "global" else f"""    local {name} total[9];
    if (get_local_id(0) < 9)
        total[get_local_id(0)] = out[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
"""
            end = "" if place == "global" else """    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 9)
        out[get_local_id(0)] = total[get_local_id(0)];
"""
            target = "out" if place == "local" else "total"
            files.add(f"atomics/{place}_{name}.cl", f"OpenCL 1.2's atomics on {name} in {place} memory", f"""
kernel void totals(global const {name} *x, {'volatile ' if place == 'global' else ''}global {name} *{target}) {{
{begin}    {name} v = x[get_global_id(0)];
{calls}
    atomic_inc(&total[7]);
    atomic_dec(&total[8]);
{end}}}
""", [("x", "u32", values), ("total", "u32", start)], "x total", [("total", want + [256, 44])], group="64" if place == "global" else "256",
                      grid="4" if place == "global" else None)
    files.add("atomics/tickets.cl", "atomic_inc gives every work-item a unique number; atomic_xchg passes marks on", """
kernel void tickets(global uint *counter, global uint *taken, global uint *chain) {
    uint n = atomic_inc(counter);
    taken[n] = get_global_id(0) / get_global_size(0) + 1;
    uint before = atomic_xchg(chain, get_global_id(0) + 1);
    atomic_add(chain + 1, before);
}
""", [("counter", "u32", (1, "zero")), ("taken", "u32", 256), ("chain", "u32", (2, "zero")), ], "counter taken chain",
              [("counter", "fill 256"), ("taken", "fill 1")], grid="4")
    files.add("atomics/compare_exchange.cl", "atomic_cmpxchg in a loop: a float sum and a maximum of squares", """
void add_float(volatile global uint *place, float v) {
    uint old = atomic_or(place, 0u), seen;
    for (;;) {
        seen = atomic_cmpxchg(place, old, as_uint(as_float(old) + v));
        if (seen == old)
            return;
        old = seen;
    }
}

kernel void sums(global const int *x, volatile global uint *out) {
    size_t i = get_global_id(0);
    add_float(out, (float)(x[i] & 255));
    uint v = (uint)(x[i] & 1023), best = atomic_or(out + 1, 0u);
    while (v * v > best) {
        uint seen = atomic_cmpxchg(out + 1, best, v * v);
        if (seen == best)
            break;
        best = seen;
    }
}
""", [("x", "i32", DATA), ("out", "u32", (2, "zero"))], "x out",
              [("out[0..1] f32", [float(sum(v & 255 for v in DATA))]), ("out[1..2]", [max((v & 1023) ** 2 for v in DATA)])], grid="4")
    files.add("atomics/explicit.cl", "OpenCL 2.0's atomics with order and scope: fetch_add to fetch_max, exchange, compare_exchange", """
kernel void orders(global const int *x, volatile global atomic_int *t, global int *won) {
    size_t i = get_global_id(0);
    int v = x[i];
    atomic_fetch_add_explicit(&t[0], v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&t[1], v, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_or_explicit(&t[2], v, memory_order_release, memory_scope_device);
    atomic_fetch_xor(&t[3], v);
    atomic_fetch_and_explicit(&t[4], v, memory_order_seq_cst, memory_scope_device);
    atomic_fetch_min_explicit(&t[5], v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(&t[6], v);
    int nobody = 0;
    bool first = atomic_compare_exchange_strong_explicit(&t[7], &nobody, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    won[i] = first;
    if (atomic_load_explicit(&t[7], memory_order_acquire, memory_scope_device) != 1)
        atomic_store_explicit(&t[8], 99, memory_order_release, memory_scope_device);
    if (atomic_exchange_explicit(&t[9], 5, memory_order_acq_rel, memory_scope_device) == 0)
        atomic_fetch_add(&t[8], 1);
    if (first)
        atomic_fetch_add(&t[8], 10);
}
""", [("x", "i32", DATA), ("t", "i32", [0, 0, 0, 0, -1, 1000000, -5, 0, 0, 0]), ("won", "i32", 256)], "x t won",
              [("t", [sum(DATA), -sum(DATA), fold(DATA, 0, lambda a, b: a | b), fold(DATA, 0, lambda a, b: a ^ b), fold(DATA, -1, lambda a, b: a & b),
                      min(DATA), max(DATA), 1, 11, 5])], grid="4")
    files.add("atomics/last_group.cl", "the last work-group to finish adds what all have written: fences of device scope", """
kernel void last(global const int *x, global int *part, volatile global atomic_uint *done, global int *out) {
    local int shared[64];
    local uint is_last;
    uint l = get_local_id(0);
    shared[l] = x[get_global_id(0)];
    for (uint step = 32; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            shared[l] += shared[l + step];
    }
    if (l == 0) {
        part[get_group_id(0)] = shared[0];
        uint n = atomic_fetch_add_explicit(done, 1u, memory_order_acq_rel, memory_scope_device);
        is_last = n == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last && l == 0) {
        int total = 0;
        for (uint k = 0; k < get_num_groups(0); k++)
            total += part[k];
        *out = total;
    }
}
""", [("x", "i32", DATA), ("part", "i32", 4), ("done", "u32", (1, "zero")), ("out", "i32", 1)], "x part done out", [("out", [sum(DATA)]), ("done", "fill 4")], grid="4")
    files.add("atomics/long.cl", "64-bit atomics: add, max, exchange, compare and exchange", """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void totals(global const int *x, volatile global long *t) {
    size_t i = get_global_id(0);
    long v = (long)x[i] << 24;
    atom_add(&t[0], v);
    atom_max(&t[1], v);
    atom_min(&t[2], v);
    atom_inc(&t[3]);
    atom_xor(&t[4], v);
    atom_cmpxchg(&t[5], 0, -1);
}
""", [("x", "i32", DATA), ("t", "u64", [0, 0, 2**62, 2**32 - 100, 0, 0])], "x t",
              [("t", [sum(DATA) << 24, max(DATA) << 24, min(DATA) << 24, 2**32 + 156, fold(DATA, 0, lambda a, b: a ^ b) << 24, -1])], grid="4")
    files.add("atomics/float_exchange.cl", "atomic_xchg of float: every value comes back once", """
kernel void exchange(volatile global float *place, volatile global uint *sum) {
    float before = atomic_xchg(place, (float)(get_local_id(0) + 1));
    atomic_add(sum, (uint)before);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(sum, (uint)atomic_xchg(place, 0.0f));
}
""", [("place", "f32", (1, "zero")), ("sum", "u32", (1, "zero"))], "place sum", [("sum", [64 * 65 // 2]), ("place", "zero")])
    files.add("atomics/flag.cl", "a flag in local memory: one work-item takes it, a second round finds it taken", """
kernel void flags(global int *out) {
    local atomic_flag flag;
    local atomic_int takers;
    if (get_local_id(0) == 0) {
        atomic_flag_clear_explicit(&flag, memory_order_relaxed, memory_scope_work_group);
        atomic_init(&takers, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set_explicit(&flag, memory_order_acq_rel, memory_scope_work_group))
        atomic_fetch_add_explicit(&takers, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = atomic_load_explicit(&takers, memory_order_relaxed, memory_scope_work_group);
}
""", [("out", "i32", 64)], "out", [("out", "fill 1")])


def fold(values, start, function):
    for v in values:
        start = function(start, v)
    return start


def running(values, function, first=None):
    """Inclusive; with `first` exclusive."""
    out, total = [], first
    for v in values:
        if first is not None:
            out.append(total)
        total = v if total is None else function(total, v)
        if first is None:
            out.append(total)
    return out


def groups(files):
    low = [v % 1000 for v in DATA]
    for name, kind, of in (("int", "i32", lambda v: v - 500), ("uint", "u32", lambda v: v), ("long", "u64", lambda v: v * 10**10), ("float", "f32", lambda v: float(v))):
        x = [of(v) for v in low]
        blocks = [x[64 * k:64 * k + 64] for k in range(4)]
        lowest = {"int": 2**31 - 1, "uint": 2**32 - 1, "long": 2**63 - 1, "float": float("inf")}[name]
        highest = {"int": -2**31, "uint": 0, "long": -2**63, "float": float("-inf")}[name]
        plus = lambda a, b: a + b
        want = [[sum(b)] * 64 for b in blocks], [[min(b)] * 64 for b in blocks], [[max(b)] * 64 for b in blocks], \
            [running(b, plus) for b in blocks], [running(b, plus, of(low[0]) * 0) for b in blocks], [running(b, max) for b in blocks], \
            [running(b, min, lowest) for b in blocks], [[b[7]] * 64 for b in blocks], [running(b, max, highest) for b in blocks]
        calls = ["work_group_reduce_add(v)", "work_group_reduce_min(v)", "work_group_reduce_max(v)", "work_group_scan_inclusive_add(v)",
                 "work_group_scan_exclusive_add(v)", "work_group_scan_inclusive_max(v)", "work_group_scan_exclusive_min(v)", "work_group_broadcast(v, 7)",
                 "work_group_scan_exclusive_max(v)"]
        body = "\n".join(f"    out[256 * {k} + i] = {call};" for k, call in enumerate(calls))
        files.add(f"work_groups/{name}.cl", f"reduce, scan and broadcast of {name} over a work-group", f"""
kernel void collective(global const {name} *x, global {name} *out) {{
    size_t i = get_global_id(0);
    {name} v = x[i];
{body}
}}
""", [("x", kind, x), ("out", kind, 256 * len(calls))], "x out", [("out", [v for part in want for b in part for v in b])], grid="4")
    files.add("work_groups/all_any.cl", "work_group_all, work_group_any and a broadcast in two dimensions", """
kernel void votes(global const int *x, global int *out) {
    size_t i = get_global_linear_id(), g = get_group_id(0);
    out[i] = work_group_all(x[i] >= 0) + 2 * work_group_any(x[i] < 100) + 4 * work_group_all(g == 1) + 8 * work_group_any(g == 0);
    out[128 + i] = work_group_broadcast(x[i], 3, 2);
}
""", [("x", "i32", (128, "iota 0")), ("out", "i32", 256)], "x out",
              [("out", [1 + 2 * any(votes(g)) + 4 * (g == 1) + 8 * (g == 0) for k in range(128) for g in [k % 16 // 8]] + [16 * 2 + 8 * (k % 16 // 8) + 3 for k in range(128)])],
              group="8 8", grid="2")


def votes(g):
    return [16 * y + 8 * g + x < 100 for y in range(8) for x in range(8)]


def subgroups(files):
    """Widths differ, so the kernels compare with the same value computed in another way and write
    1."""
    head = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
    cases = [
        ("shape", "ids and sizes of sub-groups fit together", """
    uint size = get_sub_group_size(), id = get_sub_group_id(), lane = get_sub_group_local_id();
    bool good = size >= 1 && size <= get_max_sub_group_size() && lane < size && id < get_num_sub_groups();
    good = good && id * get_max_sub_group_size() + lane == get_local_linear_id();
    out[i] = good;"""),
        ("reduce", "reduce add, min, max of int and float", """
    shared[get_local_id(0)] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = 0, low = INT_MAX, high = INT_MIN;
    for (uint k = 0; k < size; k++) {
        int v = shared[first + k];
        total += v;
        low = min(low, v);
        high = max(high, v);
    }
    bool good = sub_group_reduce_add(x[i]) == total && sub_group_reduce_min(x[i]) == low && sub_group_reduce_max(x[i]) == high;
    good = good && sub_group_reduce_add((float)(x[i] & 255)) == (float)sub_group_reduce_add(x[i] & 255);
    out[i] = good && sub_group_reduce_max((float)x[i]) == (float)high;"""),
        ("scan", "inclusive and exclusive scans", """
    shared[get_local_id(0)] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0, high = INT_MIN;
    for (uint k = 0; k < lane; k++) {
        before += shared[first + k];
        high = max(high, shared[first + k]);
    }
    bool good = sub_group_scan_exclusive_add(x[i]) == before && sub_group_scan_inclusive_add(x[i]) == before + x[i];
    out[i] = good && sub_group_scan_exclusive_max(x[i]) == high && sub_group_scan_inclusive_max(x[i]) == max(high, x[i]);"""),
        ("vote", "all, any and broadcast", """
    bool good = sub_group_all(size >= 1) == 1 && sub_group_any(lane == size) == 0 && (sub_group_all(lane == 0) != 0) == (size == 1);
    good = good && sub_group_any(lane == size - 1) != 0;
    out[i] = good && sub_group_broadcast(x[i], 0) == x[first + 64 * get_group_id(0)];"""),
        ("shuffle", "shuffle and shuffle_xor", """
    int other = sub_group_shuffle(x[i], size - 1 - lane);
    bool good = other == x[64 * get_group_id(0) + first + size - 1 - lane];
    uint partner = lane ^ 1;
    int swapped = sub_group_shuffle_xor(x[i], 1u);
    out[i] = good && (partner >= size || swapped == x[64 * get_group_id(0) + first + partner]);"""),
        ("shuffle_relative", "shuffle_up and shuffle_down where the other lane exists", """
    int up = sub_group_shuffle_up(x[i], 1u), down = sub_group_shuffle_down(x[i], 2u);
    bool good = lane == 0 || up == x[i - 1];
    out[i] = good && (lane + 2 >= size || down == x[i + 2]);"""),
        ("ballot", "ballot and counts of its bits", """
    uint4 mask = sub_group_ballot(x[i] & 1);
    uint ones = popcount(mask.x) + popcount(mask.y) + popcount(mask.z) + popcount(mask.w);
    bool good = ones == sub_group_reduce_add((uint)(x[i] & 1)) && sub_group_ballot_bit_count(mask) == ones;
    good = good && sub_group_ballot_bit_extract(mask, lane) == (x[i] & 1);
    out[i] = good && sub_group_ballot_exclusive_scan(mask) == sub_group_scan_exclusive_add((uint)(x[i] & 1));"""),
        ("elect", "one lane is elected", """
    uint chosen = sub_group_elect() ? 1 : 0;
    out[i] = sub_group_reduce_add(chosen) == 1;"""),
        ("barrier", "a barrier of the sub-group orders local memory", """
    shared[get_local_id(0)] = x[i];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[first + (lane + 1) % size] == x[64 * get_group_id(0) + first + (lane + 1) % size];"""),
    ]
    for case in cases:
        name, title, body = case
        pragma = head
        uses = []
        if "shared" in body:
            uses.append("    local int shared[64];")
        uses.append("    size_t i = get_global_id(0);")
        if name != "shape":
            names = [(n, text) for n, text in (("size", "get_sub_group_size()"), ("lane", "get_sub_group_local_id()")) if n in body or "first" in body]
            if names:
                uses.append("    uint " + ", ".join(f"{n} = {text}" for n, text in names) + ";")
            if "first" in body:
                uses.append("    uint first = get_local_id(0) - lane;")
        files.add(f"sub_groups/{name}.cl", f"{title}, at any width", pragma + """
kernel void lanes(global const int *x, global uint *out) {
""" + "\n".join(uses) + body + "\n}\n", [("x", "i32", DATA), ("out", "u32", 256)], "x out", [("out", "fill 1")], grid="4", extra=["widths  4 8 16 32 64"])
    # Rotation is modulo the largest size, which is a power of two, as in SPIR-V; a lane that does not exist has no defined value.
    files.add("sub_groups/rotate.cl", "rotate and clustered_rotate by both signs, in incomplete sub-groups too, at any width", head + """
#define GOOD(call, from) ({ int v = call; (from) >= size || v == x[first + (from)]; })

kernel void lanes(global const int *x, global uint *out) {
    size_t i = get_global_id(0);
    uint size = get_sub_group_size(), lane = get_sub_group_local_id(), most = get_max_sub_group_size(), first = i - lane;
    uint good = GOOD(sub_group_rotate(x[i], 1), (lane + 1) & (most - 1));
    good |= GOOD(sub_group_rotate(x[i], -1), (lane - 1) & (most - 1)) << 1;
    good |= GOOD(sub_group_rotate(x[i], -19), (lane - 19) & (most - 1)) << 2;
    good |= GOOD(sub_group_rotate(x[i], 14), (lane + 14) & (most - 1)) << 3;
    good |= GOOD(sub_group_clustered_rotate(x[i], 1, 4), (lane & ~3u) + ((lane + 1) & 3)) << 4;
    good |= GOOD(sub_group_clustered_rotate(x[i], -1, 2), lane ^ 1) << 5;
    good |= GOOD(sub_group_clustered_rotate(x[i], 3, 1), lane) << 6;
    out[i] = good;
}
""", [("x", "i32", DATA[:80]), ("out", "u32", 80)], "x out", [("out", "fill 127")], group="20", grid="4",
              extra=["widths  4 8 16 32 64", "allow   W_SHUFFLE_INACTIVE"])


def add(files):
    barriers(files)
    atomics(files)
    groups(files)
    subgroups(files)
    assert f32(1.0) == 1.0 and to_bits(1, 1) == 1
