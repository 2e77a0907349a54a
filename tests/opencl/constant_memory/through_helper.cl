//@ test    a helper that takes a pointer to constant memory, called with two tables
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 600 1501 1804 2709 1816 1525 636 1500 1801 2704 1809 1516 625 1536 1800 2701 1804 1509 616
//@ + 1525 1836 2700 1801 1504 609 1516 1825 2736 1800 1501 604 1509 1816 2725 1836 1500 601 1504 1809 2716
//@ + 1825 1536 600 1501 1804 2709 1816 1525 636 1500 1801 2704 1809 1516 625 1536 1800 2701 1804 1509 616 1525
//@ + 1836 2700

constant int odd[6] = {1, 3, 5, 7, 9, 11};
constant int even[6] = {0, 2, 4, 6, 8, 10};

__attribute__((noinline)) int sum(constant int *table, int from, int count) {
    int total = 0;
    for (int k = 0; k < count; k++)
        total += table[(from + k) % 6];
    return total;
}

kernel void sums(global int *out) {
    int i = get_global_id(0);
    out[i] = sum(i & 1 ? odd : even, i, 3) * 100 + sum(odd, 0, i % 7);
}
