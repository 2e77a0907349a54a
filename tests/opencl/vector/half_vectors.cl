//@ test    vload_halfn, vstore_halfn and vstorea_half3, whose vectors are four elements apart
//@ grid    1
//@ group   4
//@ buffer  in u16 16 = 0x0000 0x3C00 0x4000 0x4200 0x4400 0x4500 0x4600 0x4700
//@ + 0x4800 0x4880 0x4900 0x4980 0x4A00 0x4A80 0x4B00 0x4B80
//@ buffer  four f32 16
//@ buffer  three f32 12
//@ buffer  packed u16 12
//@ buffer  spread u16 16
//@ args    in four three packed spread
//@ expect  four = expr i
//@ expect  three = expr i
//@ expect  packed = 0x0000 0x3C00 0x4000 0x4200 0x4400 0x4500 0x4600 0x4700 0x4800 0x4880 0x4900 0x4980
//@ expect  spread = 0x0000 0x3C00 0x4000 0 0x4200 0x4400 0x4500 0 0x4600 0x4700 0x4800 0 0x4880 0x4900 0x4980 0

kernel void halves(global const half *in, global float *four, global float *three, global half *packed,
                   global half *spread) {
    size_t i = get_global_id(0);
    vstore4(vload_half4(i, in), i, four);
    float3 v = vload_half3(i, in);
    vstore3(v, i, three);
    vstore_half3(v, i, packed);
    vstorea_half3(v, i, spread);
}
