//@ test    modf, the second result to global memory
// Written by generate.py.
//@ grid    1
//@ group   21
//@ buffer  x f32 21 = 22.3246803 -44.5702133 10.2834625 -21.7478142 -41.9653702 17.9132252 -34.0326118 -33.9639969
//@ + 7.94697857 -39.706974 17.2212029 59.8787308 32.4498405 -33.422924 40.9125786 -32.8853226
//@ + -0 inf -inf nan -3
//@ buffer  out f32 21
//@ buffer  second f32 21
//@ args    x out second
//@ expect  out = 0.324680328 -0.570213318 0.283462524 -0.747814178 -0.965370178 0.913225174 -0.0326118469 -0.963996887
//@ + 0.946978569 -0.70697403 0.22120285 0.878730774 0.449840546 -0.422924042 0.912578583 -0.885322571
//@ + -0 0 -0 nan -0
//@ expect  second = 22 -44 10 -21 -41 17 -34 -33
//@ + 7 -39 17 59 32 -33 40 -32
//@ + -0 inf -inf nan -3

kernel void test_modf(global const float *x, global float *out, global float *second) {
    size_t i = get_global_id(0);
    out[i] = modf(x[i], second + i);
}
