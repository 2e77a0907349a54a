//@ test    a pointer that moves through a buffer, compared with its end; differences of pointers
//@ group   64
//@ buffer  x i32 64 = 0 7 14 21 28 6 13 20 27 5 12 19 26 4 11 18 25 3 10 17 24 2 9 16 23 1 8 15 22 0 7 14 21
//@ + 28 6 13 20 27 5 12 19 26 4 11 18 25 3 10 17 24 2 9 16 23 1 8 15 22 0 7 14 21 28 6
//@ buffer  out i32 128
//@ args    x out
//@ expect  out = 76 12 76 12 69 12 55 12 34 12 6 12 0 12 393 70 373 70 346 70 341 70 329 70 310 70 284 70 280
//@ + 70 269 70 251 70 226 70 223 70 213 70 196 70 172 70 170 70 161 70 145 70 122 70 121 70 113 70 98 70 76 70
//@ + 76 70 69 70 55 70 34 70 6 70 0 70 393 129 373 129 346 129 341 129 329 129 310 129 284 129 280 129 269 129
//@ + 251 129 226 129 223 129 213 129 196 129 172 129 170 129 161 129 145 129 122 129 121 129 113 129 98 129 76
//@ + 129 76 129 69 129 55 129 34 129 6 129

kernel void walk(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    global const int *p = x + i, *end = x + 64;
    int total = 0;
    while (p < end && *p != 13)
        total += *p++;
    out[2 * i] = total;
    out[2 * i + 1] = (int)(p - x) * 2 + (p == end);
}
