//@ test    a pointer chosen between two buffers, in a branch and in a loop
//@ group   64
//@ buffer  a i32 64 = iota 1
//@ buffer  b i32 64 = iota 500 -2
//@ buffer  out i32 64
//@ args    a b out
//@ expect  out = 33531 15515 33519 15623 33507 15731 33495 15839 33483 15947 33471 16055 33459 16163 33447
//@ + 16271 33435 16379 33423 16487 33411 16595 33399 16703 33387 16811 33375 16919 33363 17027 33351 17135
//@ + 33339 17243 33327 17351 33315 17459 33303 17567 33291 17675 33279 17783 33267 17891 33255 17999 33243
//@ + 18107 33231 18215 33219 18323 33207 18431 33195 18539 33183 18647 33171 18755 33159 18863

kernel void chosen(global int *a, global int *b, global int *out) {
    size_t i = get_global_id(0);
    global int *p = i & 1 ? a : b, *q = b;
    int total = 0;
    for (int k = 0; k < 4; k++) {
        total = total * 3 + p[i] + q[63 - i];
        global int *t = p;
        p = q;
        q = k & 1 ? a : t;
    }
    out[i] = total;
}
