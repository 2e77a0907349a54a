//@ test    OpenCL 2.0's atomics with order and scope: fetch_add to fetch_max, exchange, compare_exchange
//@ group   64
//@ grid    4
//@ buffer  x i32 256 = 68764 98595 60655 40211 61535 65884 59559 4984 1889 24292 98708 34455 48241 10323 91356
//@ + 98891 42919 28426 55778 51469 27601 47869 57102 13188 27730 46641 83911 87362 62628 64832 53036 20680
//@ + 91656 88261 37804 3141 67978 41004 4184 87945 47241 61547 46395 21231 76882 34595 87154 29263 83022 92731
//@ + 67037 5065 22057 98677 47162 95326 45627 49198 42174 12071 34448 16864 73197 54121 38022 12036 98629
//@ + 91251 26862 33162 24915 66303 78090 97695 50198 29447 24918 77820 39272 56451 35979 70258 9625 55081
//@ + 70457 28675 65416 93104 80283 53910 75323 34716 71138 51638 19009 78569 70792 63556 36272 6875 96256
//@ + 61520 17289 60036 35826 68128 37795 36996 28938 59813 52313 26099 6914 99011 73677 95585 15345 25342
//@ + 50772 5109 77734 59486 41179 27636 56991 47784 62398 89511 94120 11926 35078 30071 838 64456 72419 99563
//@ + 56230 7201 90872 6989 19489 51922 45592 71062 29327 59755 41141 74498 65247 1460 4345 50235 93340 74525
//@ + 89128 15159 6126 37037 74672 13741 42328 87673 42611 66582 3568 90247 56261 2514 71545 4093 83028 82143
//@ + 63829 40528 37566 50651 33675 34513 97654 34439 17943 44 53616 42094 35782 25861 50038 81921 91530 59553
//@ + 19732 72139 63505 49944 2336 22614 60973 4116 1171 35869 68242 27850 41403 29575 33096 37634 34436 67998
//@ + 35544 98408 82776 6943 2877 14624 38360 87877 80112 67435 2361 15613 78112 76801 20057 3003 10792 71000
//@ + 87833 6606 19282 36754 54760 21076 46646 70815 51272 22145 15723 81258 10147 40580 16172 99907 6551 53058
//@ + 35940 73815 64479 14539 90081 74665 80909 53991 75818 44332 87958 86386
//@ buffer  t i32 10 = 0 0 0 0 -1 1000000 -5 0 0 0
//@ buffer  won i32 256
//@ args    x t won
//@ expect  t = 12596022 -12596022 131071 52316 0 44 99907 1 11 5

kernel void orders(global const int *x, volatile global atomic_int *t, global int *won) {
    size_t i = get_global_id(0);
    int v = x[i];
    atomic_fetch_add_explicit(&t[0], v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&t[1], v, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_or_explicit(&t[2], v, memory_order_release, memory_scope_device);
    atomic_fetch_xor(&t[3], v);
    atomic_fetch_and_explicit(&t[4], v, memory_order_seq_cst, memory_scope_device);
    atomic_fetch_min_explicit(&t[5], v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(&t[6], v);
    int nobody = 0;
    bool first = atomic_compare_exchange_strong_explicit(&t[7], &nobody, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    won[i] = first;
    if (atomic_load_explicit(&t[7], memory_order_acquire, memory_scope_device) != 1)
        atomic_store_explicit(&t[8], 99, memory_order_release, memory_scope_device);
    if (atomic_exchange_explicit(&t[9], 5, memory_order_acq_rel, memory_scope_device) == 0)
        atomic_fetch_add(&t[8], 1);
    if (first)
        atomic_fetch_add(&t[8], 10);
}
