//@ test    dot, length, distance and cross of Pythagorean quadruples
//@ group   8
//@ buffer  x f32 24 = 3 4 0 1 2 2 2 3 6 1 4 8 4 4 7 2 6 9 6 6 7 0 5 12
//@ buffer  y f32 24 = -5 2 -2 5 1 -3 4 0 -4 3 -1 -5 2 -2 5 1 -3 4 0 -4 3 -1 -5 2
//@ buffer  out f32 48
//@ args    x y out
//@ expect  out = -7 5 5 -8 6 26 1 3 3 -8 13 -9 -16 7 7 -12 32 -12 -41 9 9 -12 29 -13 35 9 9 34 -6 -16 20 11 11
//@ + 51 1 -12 -3 11 11 46 -18 -24 -1 13 13 70 -12 5

kernel void geometric(global const float *x, global const float *y, global float *out) {
    size_t i = get_global_id(0);
    float3 a = vload3(i, x), b = vload3(i, y);
    global float *o = out + 6 * i;
    o[0] = dot(a, b);
    o[1] = length(a);
    o[2] = distance(a + b, b);
    vstore3(cross(a, b) + 0.0f, 0, o + 3);
}
