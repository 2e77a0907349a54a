//@ test    functions of waves and of the workgroup, at widths that make one wave, two and eight
//@ widths 8 32 64
//@ grid 1
//@ group 64
//@ buffer o u32 1024
//@ buffer f f32 256
//@ args o f
//@ expect o[0..64] u32 = expr (W*(W-1)/2) + (i/W)*W*W
//@ expect o[64..128] u32 = expr i%W
//@ expect o[128..192] u32 = expr i%W
//@ expect o[192..256] u32 = fill 63
//@ expect o[256..320] u32 = expr i-256
//@ expect o[320..384] u32 = expr ((i-320)/W)*W
//@ expect o[384..448] u32 = expr min(W,32)
//@ expect o[448..512] u32 = expr 2016
//@ expect o[512..576] u32 = fill 77
//@ expect o[576..640] u32 = expr (i-576)/W*W
//@ expect f[0..64] = expr (W*(W-1)/2) + (floor(i/W))*W*W
//@ expect f[64..128] = expr ((i-64)*(i-64+1)/2)
//@ expect f[128..129] = 0
//@ expect f[129..192] = expr ((i-128)*(i-128-1)/2)
kernel __attribute__((reqd_work_group_size(64,1,1))) void k(global uint *o, global float *f) {
    uint i = get_local_id(0);
    o[i] = sub_group_reduce_add(i);
    o[64 + i] = get_sub_group_local_id();
    o[128 + i] = sub_group_scan_exclusive_add(1u);
    o[192 + i] = work_group_reduce_max(i);
    o[256 + i] = work_group_scan_exclusive_add(1);
    o[320 + i] = sub_group_broadcast(i, 0);
    uint4 bal = sub_group_ballot(1);
    o[384 + i] = popcount(bal.x);
    o[448 + i] = work_group_reduce_add(i);
    o[512 + i] = work_group_broadcast(i + 60, 17);
    o[576 + i] = sub_group_reduce_min((int)i);
    f[i] = sub_group_reduce_add((float)i);
    f[64 + i] = work_group_scan_inclusive_add((float)i);
    f[128 + i] = work_group_scan_exclusive_add((float)i);
}
