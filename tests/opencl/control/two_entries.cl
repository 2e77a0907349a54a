//@ test    a loop with two entries, by goto
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 1 1 13 17 113 129 705 769 3841 4097 1 1 13 17 113 129 705 769 3841 4097 1 1 13 17 113 129 705
//@ + 769 3841 4097 1 1 13 17 113 129 705 769 3841 4097 1 1 13 17 113 129 705 769 3841 4097 1 1 13 17 113 129
//@ + 705 769 3841 4097 1 1 13 17

kernel void two_entries(global int *out) {
    int i = get_global_id(0), n = i % 10;
    uint total = 0;
    if (i & 1)
        goto middle;
top:
    total += n;
middle:
    total = total * 2 + 1;
    if (--n > 0)
        goto top;
    out[i] = total & 0xFFFFFF;
}
