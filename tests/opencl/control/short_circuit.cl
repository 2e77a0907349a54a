//@ test    && and || evaluate no more than they need
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 30 62 30 8030 8030 8062 8030 8030 15 31 15 4015 4015 4031 4015 4015 62 126 62 16062 16062
//@ + 16126 16062 16062 15 31 15 4015 4015 4031 4015 4015 30 62 30 8030 8030 8062 8030 8030 15 31 15 4015 4015
//@ + 4031 4015 4015 63 127 63 16063 16063 16127 16063 16063 15 31 15 4015 4015 4031 4015 4015

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
