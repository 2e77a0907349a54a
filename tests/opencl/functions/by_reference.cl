//@ test    helpers that change their arguments through pointers, and a swap
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 12 1 2 3 4 7 6 1 4 3 2 1 84 1 2 3 4 1 6 7 4 3 2 1 12 1 14 3 4 1 6 1 4 21 2 1 12 1 2 3 28 1 6
//@ + 1 4 3 2 49 12 1 2 3 4 1 42 1 4 3 2 1 12 7 2 3

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
