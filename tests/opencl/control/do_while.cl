//@ test    do while with continue and break, and a loop that does not run
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 5000 4000 3002 2005 1005 10 16 16 24 33 33 44 56 56 70 85 85 102 120 120 140 161 161 184 208
//@ + 208 234 261 261 290 320 320 352 385 385 420 456 456 494 509 509 504 514 514 520 521 521 518 510 510 530
//@ + 516 516 534 514 514 531 505 505 520 535 535 502 515

kernel void loops(global int *out) {
    int i = get_global_id(0), n = i, total = 0;
    do {
        if (n % 3 == 1)
            continue;
        total += n;
        if (total > 500)
            break;
    } while (n-- > 0);
    for (int k = i; k < 5; k++)
        total += 1000;
    out[i] = total;
}
