//@ test    vload and vstore on local and private memory and on constant tables
//@ group   16
//@ buffer  out i32 48
//@ args    out
//@ expect  out = 18 1 2 17 5 6 16 9 10 15 1 2 14 5 6 13 9 10 12 1 2 11 5 6 10 9 10 9 1 2 8 5 6 7 9 10 6 1 2 5
//@ + 5 6 4 9 10 3 1 2

constant int table[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

kernel void moved(global int *out) {
    local int shared[64];
    int own[8];
    size_t i = get_local_id(0);
    vstore4((int4)(i) + (int4)(0, 1, 2, 3), i, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4(vload4(15 - i, shared), 0, own);
    vstore4(vload4(i % 3, table), 1, own);
    int3 v = vload3(1, own);
    vstore3(v, i, out);
}
