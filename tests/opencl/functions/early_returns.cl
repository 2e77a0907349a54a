//@ test    a helper with returns in loops and branches, called in a loop
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 152 -31 152 -31 152 -27 164 5 260 293 152 -27 164 5 260 293 152 -27 164 5 260 299 170 27 326
//@ + 491 260 293 152 54 164 92 278 347 314 459 191 86 260 293 179 54 191 86 260 301 203 126 191 86 260 308 197
//@ + 108 326 491 260 302 179 63 191 92 278 347

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
