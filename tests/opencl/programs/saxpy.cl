//@ test    saxpy with a bounds check
//@ group   64
//@ grid    4
//@ buffer  x f32 256 = iota 0 0.5
//@ buffer  y f32 256 = fill 2
//@ args    x y f32:1.5 250
//@ expect  y[0..250] = expr 2.0 + i * 0.75
//@ expect  y[250..256] = fill 2

kernel void saxpy(global const float *x, global float *y, float a, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
