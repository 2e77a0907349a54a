//@ test    Duff's device: a switch into the middle of a loop
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 0 1 5 18 58 179 543 1636 4916 14757 44281 132854 398574 0 1 5 18 58 179 543 1636 4916 14757
//@ + 44281 132854 398574 0 1 5 18 58 179 543 1636 4916 14757 44281 132854 398574 0 1 5 18 58 179 543 1636 4916
//@ + 14757 44281 132854 398574 0 1 5 18 58 179 543 1636 4916 14757 44281 132854

kernel void device_of_duff(global int *out) {
    int i = get_global_id(0);
    int count = i % 13 + 1, n = (count + 3) / 4, at = 0;
    uint total = 0;
    switch (count % 4) {
    case 0: do { total = total * 3 + at++;
    case 3: total = total * 3 + at++;
    case 2: total = total * 3 + at++;
    case 1: total = total * 3 + at++;
        } while (--n > 0);
    }
    out[i] = total & 0xFFFFFF;
}
