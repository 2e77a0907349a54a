//@ test    a step of a breadth-first search: neighbours are claimed by compare and exchange
//@ group   64
//@ buffer  edges u32 128 = 1 2 4 7 7 12 10 17 13 22 16 27 19 32 22 37 25 42 28 47 31 52 34 57 37 62 40 3 43 8
//@ + 46 13 49 18 52 23 55 28 58 33 61 38 0 43 3 48 6 53 9 58 12 63 15 4 18 9 21 14 24 19 27 24 30 29 33 34 36
//@ + 39 39 44 42 49 45 54 48 59 51 0 54 5 57 10 60 15 63 20 2 25 5 30 8 35 11 40 14 45 17 50 20 55 23 60 26 1
//@ + 29 6 32 11 35 16 38 21 41 26 44 31 47 36 50 41 53 46 56 51 59 56 62 61
//@ buffer  level u32 64 = 0 99 99 99 99 99 99 99 99 0 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99
//@ + 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99
//@ buffer  changed u32 1 = zero
//@ args    edges level 0 changed
//@ expect  level = 0 1 1 99 99 99 99 99 99 0 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 1 99 99 99
//@ + 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 1 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99
//@ expect  changed = 4

kernel void step(global const uint *edges, volatile global uint *level, uint now, global uint *changed) {
    size_t i = get_global_id(0);
    if (atomic_or(&level[i], 0u) != now)
        return;
    for (int k = 0; k < 2; k++)
        if (atomic_cmpxchg(&level[edges[2 * i + k]], 99u, now + 1) == 99u)
            atomic_inc(changed);
}
