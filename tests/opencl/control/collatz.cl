//@ test    a while loop whose trips differ between work-items
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4 12 20 20 7 7 15 15 10 23 10 111 18 18 18 106 5 26 13 13
//@ + 21 21 21 34 8 109 8 29 16 16 16 104 11 24 24 24 11 11 112 112 19 32 19 32 19 19 107 107 6

kernel void collatz(global int *out) {
    uint n = get_global_id(0) + 1;
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}
