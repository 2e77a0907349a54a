"""Control flow of every shape that clang generates from C, and function calls."""
from kernels import to_bits

N = 64


def simple(files, path, title, source, function, per=1, count=N, extra=()):
    """A kernel of one buffer: element i (or `per` elements) is function(i)."""
    want = [v for k in range(count) for v in (function(k) if per > 1 else [function(k)])]
    files.add(path, title, source, [("out", "i32", count * per)], "out", [("out", want)], group=str(count), extra=extra)


def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n & 1 else n // 2
        steps += 1
    return steps


def ladder(i):
    return 10 if i < 8 else 20 if i < 16 else 30 + i if i & 1 else (40 if i % 3 == 0 else 50)


def first_pair(i):
    for a in range(1, 20):
        for b in range(a, 20):
            if a * b % 64 == i:
                return a * 100 + b
    return -1


def three_levels(i):
    total = 0
    for a in range(4):
        for b in range(4):
            for c in range(4):
                total += 1
                if a * 16 + b * 4 + c == i:
                    return total * 1000
                if (a + b + c) % 7 == 6:
                    break
            else:
                continue
            if b == 3:
                total += 100
    return total


def labels(i):
    total = 0
    for a in range(6):
        skip = False
        for b in range(6):
            if (a * b + i) % 11 == 5:
                skip = True
                break
            if a + b + i > 60:
                return total - 5
            total += a ^ b
        if skip:
            continue
        total += 50
    return total + 1


def dense(i):
    return {0: 5, 1: 7, 2: 7, 3: i * 2 + 1, 4: 100, 5: i * i}.get(i % 8, -i)


def fall(i):
    total = 0
    case = i % 5
    if case == 0:
        total += 1
    if case in (0, 1):
        total += 10
    if case == 2 or case in (0, 1):
        total += 100 if case == 2 else 0
    if case == 3:
        total = -1
    if case == 4:
        total = 9
    return total


def sparse(i):
    n = to_bits(i * 1000003, 20)
    return {0: 1, 1000003 & 0xFFFFF: 2, (5 * 1000003) & 0xFFFFF: 3, (9 * 1000003) & 0xFFFFF: 4}.get(n, 0) + n % 2 * 100


def machine(i):
    state, steps, total = i % 4, 0, 0
    while steps < 40:
        steps += 1
        if state == 0:
            total += 1
            state = 2 if (total + i) & 1 else 1
        elif state == 1:
            total += 3
            state = 3
        elif state == 2:
            total ^= 5
            if total > 30:
                break
            state = 0
        else:
            total += steps
            state = 0
            if total % 13 == 0:
                continue
            total += 1
    return total * 64 + steps


def duff(i):
    n, total, at = i % 13 + 1, 0, 0
    for _ in range(n):
        total = total * 3 + at
        at += 1
    return to_bits(total, 24)


def two_entries(i):
    n, total = i % 10, 0
    middle = bool(i & 1)
    while True:
        if not middle:
            total += n
        middle = False
        total = total * 2 + 1
        n -= 1
        if n <= 0:
            return to_bits(total, 24)


def side_effects(i):
    n = 0
    def step(v):
        nonlocal n
        n = n * 2 + 1
        return v
    a = (step(i & 1) and step(i & 2)) or step(i & 4)
    n += 1000 if a else 0
    b = step(i & 8) or (step(i & 16) and step(i & 32))
    return n * 2 + bool(b)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def add(files):
    simple(files, "control/ladder.cl", "if, else if, nested conditional expressions", """
kernel void ladder(global int *out) {
    int i = get_global_id(0);
    int v;
    if (i < 8)
        v = 10;
    else if (i < 16)
        v = 20;
    else if (i & 1)
        v = 30 + i;
    else
        v = i % 3 == 0 ? 40 : 50;
    out[i] = v;
}
""", ladder)
    simple(files, "control/collatz.cl", "a while loop whose trips differ between work-items", """
kernel void collatz(global int *out) {
    uint n = get_global_id(0) + 1;
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}
""", lambda i: collatz(i + 1))
    simple(files, "control/return_from_loops.cl", "return from two nested loops", """
kernel void first_pair(global int *out) {
    int i = get_global_id(0);
    for (int a = 1; a < 20; a++)
        for (int b = a; b < 20; b++)
            if (a * b % 64 == i) {
                out[i] = a * 100 + b;
                return;
            }
    out[i] = -1;
}
""", first_pair)
    simple(files, "control/three_levels.cl", "three loops: return from the innermost, break, what follows the break", """
int count(int i) {
    int total = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            int c;
            for (c = 0; c < 4; c++) {
                total++;
                if (a * 16 + b * 4 + c == i)
                    return total * 1000;
                if ((a + b + c) % 7 == 6)
                    break;
            }
            if (c < 4 && b == 3)
                total += 100;
        }
    return total;
}

kernel void three_levels(global int *out) {
    int i = get_global_id(0);
    out[i] = count(i);
}
""", three_levels)
    simple(files, "control/goto_out.cl", "goto leaves two loops, and continues the outer one from the inner", """
kernel void labels(global int *out) {
    int i = get_global_id(0), total = 0;
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            if ((a * b + i) % 11 == 5)
                goto next;
            if (a + b + i > 60) {
                total -= 6;
                goto end;
            }
            total += a ^ b;
        }
        total += 50;
    next:;
    }
end:
    out[i] = total + 1;
}
""", labels)
    simple(files, "control/switch_dense.cl", "a switch over adjacent values with shared cases and a default in the middle", """
kernel void dense(global int *out) {
    int i = get_global_id(0);
    int v;
    switch (i % 8) {
    case 0: v = 5; break;
    case 1:
    case 2: v = 7; break;
    default: v = -i; break;
    case 3: v = i * 2 + 1; break;
    case 4: v = 100; break;
    case 5: v = i * i; break;
    }
    out[i] = v;
}
""", dense)
    simple(files, "control/switch_fall_through.cl", "cases that fall through", """
kernel void fall(global int *out) {
    int i = get_global_id(0), total = 0;
    switch (i % 5) {
    case 0: total += 1;
    case 1: total += 10; break;
    case 2: total += 100; break;
    case 3: total = -1; break;
    case 4: total = 9;
    }
    out[i] = total;
}
""", fall)
    values = [0, 1000003 & 0xFFFFF, (5 * 1000003) & 0xFFFFF, (9 * 1000003) & 0xFFFFF]
    simple(files, "control/switch_sparse.cl", "a switch over values far apart, and one of 64 bits", """
kernel void sparse(global int *out) {
    uint i = get_global_id(0);
    uint n = i * 1000003 & 0xFFFFF;
    int v = 0;
    switch (n) {
%s
    }
    switch ((ulong)n << 40 & 1ul << 40) {
    case 1ul << 40: v += 100;
    }
    out[i] = v;
}
""" % "\n".join(f"    case {value}: v = {k + 1}; break;" for k, value in enumerate(values)), sparse)
    simple(files, "control/switch_in_loop.cl", "a state machine: a switch in a loop, continue and a break out of both", """
kernel void machine(global int *out) {
    int i = get_global_id(0);
    int state = i % 4, steps = 0, total = 0;
    while (steps < 40) {
        steps++;
        switch (state) {
        case 0:
            total += 1;
            state = (total + i) & 1 ? 2 : 1;
            continue;
        case 1:
            total += 3;
            state = 3;
            break;
        case 2:
            total ^= 5;
            if (total > 30)
                goto done;
            state = 0;
            break;
        default:
            total += steps;
            state = 0;
            if (total % 13 == 0)
                continue;
            total++;
        }
    }
done:
    out[i] = total * 64 + steps;
}
""", machine)
    simple(files, "control/duffs_device.cl", "Duff's device: a switch into the middle of a loop", """
kernel void device_of_duff(global int *out) {
    int i = get_global_id(0);
    int count = i % 13 + 1, n = (count + 3) / 4, at = 0;
    uint total = 0;
    switch (count % 4) {
    case 0: do { total = total * 3 + at++;
    case 3: total = total * 3 + at++;
    case 2: total = total * 3 + at++;
    case 1: total = total * 3 + at++;
        } while (--n > 0);
    }
    out[i] = total & 0xFFFFFF;
}
""", duff)
    simple(files, "control/two_entries.cl", "a loop with two entries, by goto", """
kernel void two_entries(global int *out) {
    int i = get_global_id(0), n = i % 10;
    uint total = 0;
    if (i & 1)
        goto middle;
top:
    total += n;
middle:
    total = total * 2 + 1;
    if (--n > 0)
        goto top;
    out[i] = total & 0xFFFFFF;
}
""", two_entries)
    simple(files, "control/short_circuit.cl", "&& and || evaluate no more than they need", """
int step(private int *n, int v) {
    *n = *n * 2 + 1;
    return v;
}

kernel void short_circuit(global int *out) {
    int i = get_global_id(0), n = 0;
    bool a = (step(&n, i & 1) && step(&n, i & 2)) || step(&n, i & 4);
    n += a ? 1000 : 0;
    bool b = step(&n, i & 8) || (step(&n, i & 16) && step(&n, i & 32));
    out[i] = n * 2 + b;
}
""", side_effects)
    simple(files, "control/do_while.cl", "do while with continue and break, and a loop that does not run", """
kernel void loops(global int *out) {
    int i = get_global_id(0), n = i, total = 0;
    do {
        if (n % 3 == 1)
            continue;
        total += n;
        if (total > 500)
            break;
    } while (n-- > 0);
    for (int k = i; k < 5; k++)
        total += 1000;
    out[i] = total;
}
""", do_while)
    simple(files, "control/many_exits.cl", "one loop with four exits to different places", """
kernel void exits(global int *out) {
    int i = get_global_id(0), k = 0, v;
    for (;; k++) {
        if (k * k > i * 3) {
            v = k;
            break;
        }
        if ((k ^ i) == 9) {
            v = 1000 + k;
            break;
        }
        if (k > 10 && i % 5 == 0) {
            v = 2000;
            goto tail;
        }
        if (k + i == 70) {
            out[i] = -70;
            return;
        }
    }
    v += 7;
tail:
    out[i] = v;
}
""", exits)
    simple(files, "functions/by_reference.cl", "helpers that change their arguments through pointers, and a swap", """
void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

int gcd(int a, int b) {
    if (a < b)
        swap(&a, &b);
    while (b) {
        a %= b;
        swap(&a, &b);
    }
    return a;
}

kernel void reference(global int *out) {
    int i = get_global_id(0);
    out[i] = gcd(i * 6 + 12, 96 - i);
}
""", lambda i: gcd(i * 6 + 12, 96 - i))
    simple(files, "functions/not_inlined.cl", "helpers that clang must not inline, called from several places and from each other", """
__attribute__((noinline)) int square(int a) {
    return a * a;
}

__attribute__((noinline)) int sum_of_squares(int n) {
    int total = 0;
    for (int k = 0; k <= n; k++)
        total += square(k);
    return total;
}

kernel void calls(global int *out) {
    int i = get_global_id(0);
    out[i] = i & 1 ? sum_of_squares(i) : square(square(i) + 1) + sum_of_squares(3);
}
""", lambda i: i * (i + 1) * (2 * i + 1) // 6 if i & 1 else (i * i + 1) ** 2 + 14)
    simple(files, "functions/structures.cl", "structures as arguments and results of helpers that stay calls", """
typedef struct {
    int x, y;
    short tag[2];
} point;

__attribute__((noinline)) point turned(point p, int times) {
    for (int k = 0; k < times; k++) {
        int t = p.x;
        p.x = -p.y;
        p.y = t;
        p.tag[k & 1]++;
    }
    return p;
}

kernel void structures(global int *out) {
    int i = get_global_id(0);
    point p = {i, 2 * i + 1, {0, 100}};
    point q = turned(p, i % 6);
    out[4 * i] = q.x + p.x;
    out[4 * i + 1] = q.y;
    out[4 * i + 2] = q.tag[0];
    out[4 * i + 3] = q.tag[1];
}
""", turned_point, per=4)
    simple(files, "functions/early_returns.cl", "a helper with returns in loops and branches, called in a loop", """
__attribute__((noinline)) int find(int wanted, int limit) {
    for (int k = 2; k < limit; k++) {
        if (wanted % k == 0)
            return k;
        if (k * k > wanted)
            return -1;
    }
    return wanted > 20 ? 0 : 1;
}

kernel void returns(global int *out) {
    int i = get_global_id(0), total = 0;
    for (int k = 0; k < 5; k++)
        total = total * 3 + find(i + k, 6 + k);
    out[i] = total;
}
""", returns)
    simple(files, "functions/overloads.cl", "overloaded helpers and a helper with a vector result", """
float __attribute__((overloadable)) twice(float a) { return a * 2.0f; }
int __attribute__((overloadable)) twice(int a) { return a * 2 + 1; }
int2 __attribute__((overloadable)) twice(int2 a) { return a.yx * 2; }

kernel void overloads(global int *out) {
    int i = get_global_id(0);
    int2 v = twice((int2)(i, 7));
    out[i] = (int)twice((float)i + 0.5f) + twice(i) * 100 + v.x * 10000 + v.y;
}
""", lambda i: 2 * i + 1 + (2 * i + 1) * 100 + 14 * 10000 + 2 * i)


def do_while(i):
    n, total = i, 0
    while True:
        if n % 3 != 1 or n < 0:
            total += n
            if total > 500:
                break
        n -= 1
        if not n + 1 > 0:
            break
    return total + 1000 * max(0, 5 - i)


def exits(i):
    k = 0
    while True:
        if k * k > i * 3:
            return k + 7
        if k ^ i == 9:
            return 1000 + k + 7
        if k > 10 and i % 5 == 0:
            return 2000
        if k + i == 70:
            return -70
        k += 1


def turned_point(i):
    x, y, tag = i, 2 * i + 1, [0, 100]
    for k in range(i % 6):
        x, y = -y, x
        tag[k & 1] += 1
    return [x + i, y] + tag


def returns(i):
    def find(wanted, limit):
        for k in range(2, limit):
            if wanted % k == 0:
                return k
            if k * k > wanted:
                return -1
        return 0 if wanted > 20 else 1
    total = 0
    for k in range(5):
        total = total * 3 + find(i + k, 6 + k)
    return total
