//@ test    normalize of a zero vector is that vector
//@ group   1
//@ buffer  x f32 4 = zero
//@ buffer  out f32 7 = fill 9
//@ args    x out
//@ expect  out = zero

kernel void zero_vector(global const float *x, global float *out) {
    vstore4(normalize(vload4(0, x)), 0, out);
    vstore2(normalize(vload2(0, x)), 2, out);
    out[6] = normalize(x[0]);
}
