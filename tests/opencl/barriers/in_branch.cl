//@ test    barriers in a branch that the whole work-group takes, and after a helper call
//@ group   64
//@ buffer  out i32 64
//@ args    out 3
//@ expect  out = 10 5 2 1 50 37 26 17 122 101 82 65 226 197 170 145 362 325 290 257 530 485 442 401 730 677
//@ + 626 577 962 901 842 785 1226 1157 1090 1025 1522 1445 1370 1297 1850 1765 1682 1601 2210 2117 2026 1937
//@ + 2602 2501 2402 2305 3026 2917 2810 2705 3482 3365 3250 3137 3970 3845 3722 3601

__attribute__((noinline)) void publish(local int *shared, int l, int v) {
    shared[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void branch(global int *out, int mode) {
    local int shared[64];
    int l = get_local_id(0), v;
    if (mode == 3) {
        publish(shared, l, l * l);
        v = shared[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        publish(shared, l, v + 1);
        v = shared[l ^ 2];
    } else {
        publish(shared, l, -l);
        v = shared[0];
    }
    out[l] = v;
}
