//@ test    rotate and clustered_rotate by both signs, in incomplete sub-groups too, at any width
//@ group   20
//@ grid    4
//@ widths  4 8 16 32 64
//@ allow   W_SHUFFLE_INACTIVE
//@ buffer  x i32 80 = 68764 98595 60655 40211 61535 65884 59559 4984 1889 24292 98708 34455 48241 10323 91356
//@ + 98891 42919 28426 55778 51469 27601 47869 57102 13188 27730 46641 83911 87362 62628 64832 53036 20680
//@ + 91656 88261 37804 3141 67978 41004 4184 87945 47241 61547 46395 21231 76882 34595 87154 29263 83022 92731
//@ + 67037 5065 22057 98677 47162 95326 45627 49198 42174 12071 34448 16864 73197 54121 38022 12036 98629
//@ + 91251 26862 33162 24915 66303 78090 97695 50198 29447 24918 77820 39272 56451
//@ buffer  out u32 80
//@ args    x out
//@ expect  out = fill 127

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define GOOD(call, from) ({ int v = call; (from) >= size || v == x[first + (from)]; })

kernel void lanes(global const int *x, global uint *out) {
    size_t i = get_global_id(0);
    uint size = get_sub_group_size(), lane = get_sub_group_local_id(), most = get_max_sub_group_size(), first = i - lane;
    uint good = GOOD(sub_group_rotate(x[i], 1), (lane + 1) & (most - 1));
    good |= GOOD(sub_group_rotate(x[i], -1), (lane - 1) & (most - 1)) << 1;
    good |= GOOD(sub_group_rotate(x[i], -19), (lane - 19) & (most - 1)) << 2;
    good |= GOOD(sub_group_rotate(x[i], 14), (lane + 14) & (most - 1)) << 3;
    good |= GOOD(sub_group_clustered_rotate(x[i], 1, 4), (lane & ~3u) + ((lane + 1) & 3)) << 4;
    good |= GOOD(sub_group_clustered_rotate(x[i], -1, 2), lane ^ 1) << 5;
    good |= GOOD(sub_group_clustered_rotate(x[i], 3, 1), lane) << 6;
    out[i] = good;
}
