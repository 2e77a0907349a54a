//@ test generic pointers
//@ group 32
//@ buffer x f32 32 = iota 0 1
//@ buffer o f32 96
//@ args x o
//@ expect o[0..32] = expr i*2
//@ expect o[32..64] = expr (i-32)*3
//@ expect o[64..96] = expr floor(0.25+i-64)
__attribute__((noinline)) float twice(generic float *p, float f) { float v = *p * f; return v; }
kernel void k(global float *x, global float *o) {
    local float l[32];
    int i = get_local_id(0);
    l[i] = x[i];
    o[i] = twice(x + i, 2);
    o[32 + i] = twice(l + i, 3);
    float whole;
    fract(x[i] + 0.25f, &whole);
    o[64 + i] = whole;
}
