//@ test    goto leaves two loops, and continues the outer one from the inner
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 242 110 238 284 230 1 294 250 288 415 287 242 110 238 284 230 1 294 250 288 415 287 242 110
//@ + 238 284 230 1 294 250 288 415 287 242 110 238 284 230 1 294 250 288 415 287 242 110 238 284 230 1 294 250
//@ + 231 207 150 77 5 1 -2 -4 1 -5 -5 -5

kernel void labels(global int *out) {
    int i = get_global_id(0), total = 0;
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            if ((a * b + i) % 11 == 5)
                goto next;
            if (a + b + i > 60) {
                total -= 6;
                goto end;
            }
            total += a ^ b;
        }
        total += 50;
    next:;
    }
end:
    out[i] = total + 1;
}
