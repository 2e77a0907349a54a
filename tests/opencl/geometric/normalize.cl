//@ test    normalize within 6 ulp for two, three and four components
//@ group   8
//@ buffer  x f32 24 = 3 4 0 1 2 2 2 3 6 1 4 8 4 4 7 2 6 9 6 6 7 0 5 12
//@ buffer  out u32 8
//@ args    x out
//@ expect  out = fill 1

bool near_to(float got, float want) {
    return fabs(got - want) <= 8e-7f * fabs(want);
}

kernel void normalized(global const float *x, global uint *out) {
    size_t i = get_global_id(0);
    float3 a = vload3(i, x);
    float size = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    float3 n = normalize(a), f = fast_normalize(a);
    float2 two = normalize((float2)(3.0f, 4.0f) * (float)(i + 1));
    float4 four = normalize((float4)(1.0f, -1.0f, 1.0f, -1.0f) * (float)(i + 1));
    bool good = near_to(n.x, a.x / size) && near_to(n.y, a.y / size) && near_to(n.z, a.z / size);
    good = good && near_to(two.x, 0.6f) && near_to(two.y, 0.8f) && near_to(four.x, 0.5f) && near_to(four.w, -0.5f);
    good = good && fabs(f.x - n.x) < 1e-3f && fabs(fast_length(a) - size) < 1e-2f &&
           fabs(fast_distance(a, (float3)(0.0f)) - size) < 1e-2f;
    out[i] = good;
}
