//@ test    work_group_all, work_group_any and a broadcast in two dimensions
//@ group   8 8
//@ grid    2
//@ buffer  x i32 128 = iota 0
//@ buffer  out i32 256
//@ args    x out
//@ expect  out = 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11
//@ + 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7
//@ + 7 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11 11 11 11 11 7 7 7 7 7 7 7 7 11 11 11 11 11 11 11 11
//@ + 7 7 7 7 7 7 7 7 35 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43 35 35 35 35 35 35 35 35 43 43 43 43 43 43
//@ + 43 43 35 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43 35 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43 35
//@ + 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43 35 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43 35 35 35 35
//@ + 35 35 35 35 43 43 43 43 43 43 43 43 35 35 35 35 35 35 35 35 43 43 43 43 43 43 43 43

kernel void votes(global const int *x, global int *out) {
    size_t i = get_global_linear_id(), g = get_group_id(0);
    out[i] = work_group_all(x[i] >= 0) + 2 * work_group_any(x[i] < 100) + 4 * work_group_all(g == 1) + 8 * work_group_any(g == 0);
    out[128 + i] = work_group_broadcast(x[i], 3, 2);
}
