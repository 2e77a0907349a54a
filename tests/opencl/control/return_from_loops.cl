//@ test    return from two nested loops
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 416 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 210 307 211
//@ + -1 212 505 213 309 214 1317 215 519 216 311 217 507 218 1115 219 313 410 715 314 919 411 315 1011 -1 316
//@ + 707 510 317 413 913 318 511 414 319 -1 1117 415 -1 718 709

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
