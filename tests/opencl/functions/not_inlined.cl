//@ test    helpers that clang must not inline, called from several places and from each other
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 15 1 39 14 303 55 1383 140 4239 285 10215 506 21039 819 38823 1240 66063 1785 105639 2470
//@ + 160815 3311 235239 4324 332943 5525 458343 6930 616239 8555 811815 10416 1050639 12529 1338663 14910
//@ + 1682223 17575 2088039 20540 2563215 23821 3115239 27434 3751983 31395 4481703 35720 5313039 40425 6255015
//@ + 45526 7317039 51039 8508903 56980 9840783 63365 11323239 70210 12967215 77531 14784039 85344

__attribute__((noinline)) int square(int a) {
    return a * a;
}

__attribute__((noinline)) int sum_of_squares(int n) {
    int total = 0;
    for (int k = 0; k <= n; k++)
        total += square(k);
    return total;
}

kernel void calls(global int *out) {
    int i = get_global_id(0);
    out[i] = i & 1 ? sum_of_squares(i) : square(square(i) + 1) + sum_of_squares(3);
}
