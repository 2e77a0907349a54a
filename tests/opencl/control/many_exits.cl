//@ test    one loop with four exits to different places
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 8 9 10 11 11 11 12 12 1008 1007 1010 1009 1012 1011 14 1013 14 15 15 15 15 15 16 16 16 16 16
//@ + 17 17 17 17 17 17 17 18 18 18 18 18 18 18 19 19 19 19 2000 19 19 20 20 2000 20 20 20 20 2000 20 -70 -70
//@ + -70 -70 -70 -70 -70

kernel void exits(global int *out) {
    int i = get_global_id(0), k = 0, v;
    for (;; k++) {
        if (k * k > i * 3) {
            v = k;
            break;
        }
        if ((k ^ i) == 9) {
            v = 1000 + k;
            break;
        }
        if (k > 10 && i % 5 == 0) {
            v = 2000;
            goto tail;
        }
        if (k + i == 70) {
            out[i] = -70;
            return;
        }
    }
    v += 7;
tail:
    out[i] = v;
}
