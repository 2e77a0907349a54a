//@ test    the edit distance of two words of eight bits, one row in private memory
//@ group   64
//@ buffer  out u32 64
//@ args    out
//@ expect  out = 3 3 4 5 5 3 6 2 4 3 5 4 4 4 4 4 4 3 3 4 6 1 4 3 5 4 3 5 3 2 6 4 4 3 5 4 4 2 4 3 4 4 3 4 4 3 5
//@ + 4 5 2 3 3 5 2 4 4 4 4 3 4 4 4 6 3

kernel void edit(global uint *out) {
    uint a = get_global_id(0), b = (a * 37 + 11) & 255;
    uchar row[9];
    for (int j = 0; j < 9; j++)
        row[j] = (uchar)j;
    for (int i = 0; i < 8; i++) {
        uchar corner = row[0];
        row[0] = (uchar)(i + 1);
        for (int j = 0; j < 8; j++) {
            uchar up = row[j + 1];
            uchar best = (uchar)(corner + ((a >> i & 1) != (b >> j & 1)));
            row[j + 1] = min(best, (uchar)(min(up, row[j]) + 1));
            corner = up;
        }
    }
    out[a] = row[8];
}
