//@ test    private arrays of two dimensions: a product of 4 by 4 matrices to a power
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 1 6 30 674 3570 1 5 19 223 4980 1 4 17 568 4653 1 2 19 254 6481 0 1 46 701 5868 0 0 27 298
//@ + 5728 0 6 46 791 5222 0 4 27 620 2988 0 3 46 319 4428 0 2 26 578 3687 0 3 46 293 4469 0 6 26 374 6063 0 5
//@ + 44 189

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
