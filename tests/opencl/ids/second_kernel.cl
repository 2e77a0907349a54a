//@ test    a file of three kernels; the second is launched
//@ group   64
//@ kernel  second
//@ buffer  out u32 64
//@ args    out
//@ expect  out = expr i * 2

kernel void first(global uint *out) {
    out[get_global_id(0)] = 1;
}

kernel void second(global uint *out) {
    out[get_global_id(0)] = get_global_id(0) * 2;
}

kernel void third(global uint *out) {
    out[get_global_id(0)] = 3;
}
