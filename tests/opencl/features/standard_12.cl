//@ test    OpenCL C 1.2
// Written by generate.py.
//@ cc: -cl-std=CL1.2
//@ grid    1
//@ group   64
//@ buffer  out u32 64 at 256
//@ args    out
//@ expect  out = 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120
//@ + 120 120 120 120 120 120 120 120

__kernel void k(__global uint *out) { out[get_global_id(0)] = __OPENCL_C_VERSION__; }
