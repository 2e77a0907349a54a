//@ test    three loops: return from the innermost, break, what follows the break
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 1000 2000 3000 4000 5000 6000 7000 8000 9000 10000 11000 12000 13000 14000 15000 16000 117000
//@ + 118000 119000 120000 121000 122000 123000 124000 125000 126000 127000 128000 129000 130000 131000 454
//@ + 232000 233000 234000 235000 236000 237000 238000 239000 240000 241000 242000 454 243000 244000 454 454
//@ + 345000 346000 347000 348000 349000 350000 351000 454 352000 353000 454 454 354000 454 454 454

int count(int i) {
    int total = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            int c;
            for (c = 0; c < 4; c++) {
                total++;
                if (a * 16 + b * 4 + c == i)
                    return total * 1000;
                if ((a + b + c) % 7 == 6)
                    break;
            }
            if (c < 4 && b == 3)
                total += 100;
        }
    return total;
}

kernel void three_levels(global int *out) {
    int i = get_global_id(0);
    out[i] = count(i);
}
