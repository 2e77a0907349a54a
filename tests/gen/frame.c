/* The frame of a program: launch shape, registers and buffers, the code that computes every lane's
 * addresses and initial values, and at the end the hash of all registers. */
#include "gen/author.h"

static const place top = {.uniform = true};

/* ---- Shape and registers ---- */

static void plan_shape(author *a) {
    static const uint8_t groups[][3] = {
        {32, 1, 1}, {64, 1, 1}, {40, 1, 1}, {7, 1, 1},  {70, 1, 1},  {8, 4, 1},   {9, 5, 1},
        {3, 5, 2},  {4, 4, 4},  {96, 1, 1}, {33, 1, 1}, {1, 1, 1},   {16, 1, 1},  {2, 3, 9},
        {5, 3, 7},  {1, 32, 1}, {1, 1, 40}, {16, 8, 2}, {128, 1, 1}, {200, 1, 1}, {20, 3, 1}};
    static const uint8_t grids[][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {2, 1, 1},
                                       {3, 1, 1}, {1, 2, 1}, {2, 2, 1}, {2, 1, 2}};
    /* Complete waves at every width. */
    static const uint8_t whole[][3] = {{64, 1, 1}, {8, 8, 1}, {4, 4, 4}, {128, 1, 1}, {16, 8, 1}};
    uint32_t group = au_pick(a, a->has[GEN_TILES] ? sizeof whole / sizeof *whole
                                                  : sizeof groups / sizeof *groups);
    for (int k = 0; k < 3; k++)
        a->group[k] = a->has[GEN_TILES] ? whole[group][k] : groups[group][k];
    a->threads = a->group[0] * a->group[1] * a->group[2];
    uint32_t grid = au_pick(a, a->threads > 100 ? 4 : sizeof grids / sizeof *grids);
    for (int k = 0; k < 3; k++)
        a->grid[k] = grids[grid][k];
    a->groups = a->grid[0] * a->grid[1] * a->grid[2];
    a->fixed_group = au_chance(a, 50);
}

static bool wants(const author *a, fixed_reg r) {
    const bool *has = a->has;
    switch (r) {
    case FIXED_FLOATS: return a->count[CLASS_F32];
    case FIXED_HALVES:
    case FIXED_TILES_F32:
    case FIXED_TILES_I32: return has[GEN_TILES];
    case FIXED_OWN: return has[GEN_DEVICE];
    case FIXED_OWN_F32: return has[GEN_DEVICE] && a->count[CLASS_F32];
    case FIXED_OWN_F16: return has[GEN_DEVICE] && a->count[CLASS_F16];
    case FIXED_OWN_BF16: return has[GEN_DEVICE] && a->count[CLASS_BF16];
    case FIXED_OWN_F64: return has[GEN_DEVICE] && a->count[CLASS_F64];
    case FIXED_SHARED: return has[GEN_ATOMICS];
    case FIXED_SWAP: return has[GEN_BARRIERS] || has[GEN_EXCHANGE];
    case FIXED_FLAG: return has[GEN_POLLING];
    case FIXED_SLICE: return has[GEN_LOCAL];
    default: return true;
    }
}

static void plan_classes(author *a) {
    const bool *has = a->has;
    bool floats = has[GEN_FLOAT] || has[GEN_MATH] || has[GEN_HALF] || has[GEN_BFLOAT] ||
                  has[GEN_DOUBLE] || has[GEN_MMA] || has[GEN_TILES];
    a->count[CLASS_INT] = 6 + au_pick(a, 6);
    a->count[CLASS_F32] = floats ? 3 + au_pick(a, 3) : 0;
    a->count[CLASS_F16] = has[GEN_HALF] ? 2 + au_pick(a, 2) : 0;
    a->count[CLASS_BF16] = has[GEN_BFLOAT] ? 2 + au_pick(a, 2) : 0;
    a->count[CLASS_F64] = has[GEN_DOUBLE] ? 2 + au_pick(a, 2) : 0;
}

static void plan_registers(author *a) {
    unsigned next = 0;
    for (int k = 0; k < FIXED_COUNT; k++) {
        a->has_fixed[k] = wants(a, (fixed_reg)k);
        if (a->has_fixed[k])
            a->fixed[k] = next++;
        if (k == FIXED_NUMBER_TOO)
            a->argument_words = next;
    }
    for (int k = 0; k < TEMPORARIES; k++)
        a->temporary[k] = next++;
    for (int k = 0; k < COUNTERS; k++)
        a->counter[k] = next++;
    next += au_pick(a, 20); /* data registers anywhere, pairs also at odd numbers */
    for (int c = 0; c < CLASS_COUNT; c++) {
        a->first[c] = next;
        next += a->count[c] * (c == CLASS_F64 ? 2 : 1);
    }
    a->registers = next + au_pick(a, 8);
}

/* Per workgroup, at the smallest width. */
static uint32_t most_waves(const author *a) {
    return (a->threads + 3) / 4;
}

static void plan_local(author *a) {
    a->f32_bytes = a->has[GEN_MMA] ? LOCAL_TILE_BYTES : LOCAL_F32_BYTES;
    a->slice_bytes = LOCAL_F32 + a->f32_bytes;
    a->swap_at = a->threads * a->slice_bytes;
    a->some_at = a->swap_at + 4 * a->threads;
    a->counters_at = a->some_at + 4 * a->threads;
    a->local_bytes = (a->counters_at + 4 * LOCAL_COUNTERS + 4 + 15) / 16 * 16;
    a->tiles_in_local = a->has[GEN_TILES] && a->has[GEN_LOCAL] && a->threads == 64;
    if (a->tiles_in_local) {
        a->tiles_at = (a->local_bytes + 31) / 32 * 32;
        a->local_bytes = a->tiles_at + most_waves(a) * TILE_BYTES;
    }
}

void gen_plan_frame(author *a) {
    a->has[GEN_LOCAL] |= a->has[GEN_MMA];
    a->has[GEN_POLLING] &= a->has[GEN_BARRIERS];
    a->has[GEN_HALTS] &= !a->has[GEN_TILES];
    plan_shape(a);
    plan_classes(a);
    plan_registers(a);
    plan_local(a);
    a->known_places = au_chance(a, 50);
    a->sync_function = a->has[GEN_BARRIERS] && a->has[GEN_CALLS];
    a->falls_off = !a->has[GEN_CALLS] && au_chance(a, 15);
    a->fuel = 4 + au_pick(a, 24);
    a->budget = 20 + (int)au_pick(a, a->threads > 100 ? 40 : 100);
    a->budget = 1 + a->budget * (int)a->size / 100;
    a->depth_limit = a->has[GEN_DEEP] ? 26 : 3 + au_pick(a, 4);
}

/* ---- Head ---- */

static void buffers(author *a) {
    static const struct {
        fixed_reg reg;
        const char *name, *type;
        unsigned bytes;
    } own[] = {{FIXED_OWN, "own", "u32", 4},
               {FIXED_OWN_F32, "own_f32", "f32", 4},
               {FIXED_OWN_F16, "own_f16", "f16", 2},
               {FIXED_OWN_BF16, "own_bf16", "bf16", 2},
               {FIXED_OWN_F64, "own_f64", "f64", 8}};
    uint32_t lanes = a->threads * a->groups;
    au_raw(a, ";@ buffer  in u32 %d = random %u\n", INPUT_WORDS, au_bits(a) >> 16);
    if (a->has_fixed[FIXED_FLOATS])
        au_raw(a, ";@ buffer  floats f32 %d = random %u -8 8\n", INPUT_WORDS, au_bits(a) >> 16);
    au_raw(a, ";@ buffer  out u32 %u\n", lanes);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (a->has_fixed[own[k].reg])
            au_raw(a, ";@ buffer  %s %s %u = random %u\n", own[k].name, own[k].type,
                   lanes * OWN_BYTES / own[k].bytes, au_bits(a) >> 16);
    if (a->has_fixed[FIXED_SHARED])
        au_raw(a, ";@ buffer  shared u32 %d = random %u\n", 3 * SHARED_WORDS + 2, au_bits(a) >> 16);
    if (a->has_fixed[FIXED_SWAP])
        au_raw(a, ";@ buffer  swap u32 %u = random %u\n", 2 * lanes, au_bits(a) >> 16);
    if (a->has_fixed[FIXED_FLAG])
        au_raw(a, ";@ buffer  flag u32 %u = zero\n", a->groups);
    if (!a->has[GEN_TILES])
        return;
    uint32_t sums = 2 * TILE_BYTES / 4 * most_waves(a) * a->groups;
    au_raw(a, ";@ buffer  halves f16 %d = random %u -8 8\n", 2 * INPUT_WORDS, au_bits(a) >> 16);
    au_raw(a, ";@ buffer  tiles_f32 f32 %u = random %u -8 8\n", sums, au_bits(a) >> 16);
    au_raw(a, ";@ buffer  tiles_i32 u32 %u = random %u\n", sums, au_bits(a) >> 16);
}

static void arguments(author *a) {
    static const char *const names[] = {"in",      "floats",   "out",       "own",      "own_f32",
                                        "own_f16", "own_bf16", "own_f64",   "shared",   "swap",
                                        "flag",    "halves",   "tiles_f32", "tiles_i32"};
    au_raw(a, ";@ args   ");
    for (int k = 0; k < FIXED_NUMBER; k++)
        if (a->has_fixed[k])
            au_raw(a, " %s", names[k]);
    au_raw(a, " %u %u\n", au_pick(a, 6), au_pick(a, 2) ? au_pick(a, 4) : au_constant(a));
}

void gen_head(author *a) {
    const uint32_t *group = a->group, *grid = a->grid;
    au_raw(a, ";@ widths  4 8 16 32 64\n;@ check   race uninit\n");
    if (a->falls_off)
        au_raw(a, ";@ allow   W_NO_TERMINATOR\n");
    if (a->has[GEN_WAVES])
        au_raw(a, ";@ allow   W_SHUFFLE_INACTIVE\n;@ allow   W_BALLOT_WIDTH\n");
    if (a->has[GEN_DOUBLE] || (a->has[GEN_ATOMICS] && a->has[GEN_ATOMICS64]))
        au_raw(a, ";@ targets -msl\n");
    if (a->count[CLASS_F32])
        au_raw(a, ";@ ftz-sensitive\n");
    au_raw(a, ";@ grid    %u %u %u\n", grid[0], grid[1], grid[2]);
    if (!a->fixed_group)
        au_raw(a, ";@ group   %u %u %u\n", group[0], group[1], group[2]);
    buffers(a);
    arguments(a);
    if (a->has[GEN_CONSTANT]) {
        au_raw(a, ".constant\n");
        for (unsigned k = 0; k < CONSTANT_WORDS; k++)
            au_raw(a, "%s0x%X%s", k % 8 ? ", " : ".u32 ", au_constant(a), k % 8 == 7 ? "\n" : "");
    }
    au_raw(a, ".kernel random_kernel\n.registers %u\n", a->registers);
    if (a->fixed_group)
        au_raw(a, ".workgroup_size %u, %u, %u\n", group[0], group[1], group[2]);
    if (a->has[GEN_LOCAL])
        au_raw(a, ".local_memory %u\n", a->local_bytes);
    if (a->has[GEN_PRIVATE])
        au_raw(a, ".private_memory %u\n", PRIVATE_BYTES);
}

/* ---- Before the body ---- */

void gen_linear(author *a, unsigned dst, const char *position, const char *size) {
    const unsigned *t = a->temporary;
    au_say(a, &top, "mov_sr r%u, %s_z", dst, position);
    au_say(a, &top, "mov_sr r%u, %s_y", t[0], size);
    au_say(a, &top, "mov_sr r%u, %s_y", t[1], position);
    au_say(a, &top, "imad r%u, r%u, r%u, r%u", dst, dst, t[0], t[1]);
    au_say(a, &top, "mov_sr r%u, %s_x", t[0], size);
    au_say(a, &top, "mov_sr r%u, %s_x", t[1], position);
    au_say(a, &top, "imad r%u, r%u, r%u, r%u", dst, dst, t[0], t[1]);
}

/* base += index * size */
static void advance(author *a, fixed_reg base, unsigned index, uint32_t size) {
    if (!a->has_fixed[base])
        return;
    au_say(a, &top, "mov_imm r%u, %u", a->temporary[0], size);
    au_say(a, &top, "imad r%u, r%u, r%u, r%u", a->fixed[base], index, a->temporary[0],
           a->fixed[base]);
}

static void addresses(author *a) {
    const unsigned *f = a->fixed, *t = a->temporary;
    gen_linear(a, f[FIXED_THREAD], "sr_thread_id", "sr_workgroup_size");
    gen_linear(a, t[2], "sr_workgroup_id", "sr_grid_size");
    advance(a, FIXED_FLAG, t[2], 4);
    if (a->has[GEN_TILES]) {
        au_say(a, &top, "mov_sr r%u, sr_num_waves", t[0]);
        au_say(a, &top, "mov_sr r%u, sr_wave_id", t[1]);
        au_say(a, &top, "imad r%u, r%u, r%u, r%u", t[1], t[2], t[0], t[1]);
        advance(a, FIXED_TILES_F32, t[1], 2 * TILE_BYTES);
        advance(a, FIXED_TILES_I32, t[1], 2 * TILE_BYTES);
    }
    au_say(a, &top, "mov_imm r%u, %u", t[0], a->threads);
    au_say(a, &top, "imul r%u, r%u, r%u", t[2], t[2], t[0]);
    au_say(a, &top, "iadd r%u, r%u, r%u", f[FIXED_GLOBAL], t[2], f[FIXED_THREAD]);
    advance(a, FIXED_SWAP, t[2], 4); /* the words are the workgroup's: lanes index them by thread */
    advance(a, FIXED_OUT, f[FIXED_GLOBAL], 4);
    for (int k = FIXED_OWN; k <= FIXED_OWN_F64; k++)
        advance(a, (fixed_reg)k, f[FIXED_GLOBAL], OWN_BYTES);
    au_say(a, &top, "mov_sr r%u, sr_lane_id", f[FIXED_LANE]);
    au_say(a, &top, "mov_imm r%u, 0", f[FIXED_ZERO]);
    au_say(a, &top, "mov_imm r%u, 1", f[FIXED_ONE]);
    au_say(a, &top, "mov_imm r%u, 0", f[FIXED_FUEL]);
    if (a->has_fixed[FIXED_SLICE]) {
        au_say(a, &top, "mov_imm r%u, 0", f[FIXED_SLICE]);
        advance(a, FIXED_SLICE, f[FIXED_THREAD], a->slice_bytes);
    }
}

static void first_values(author *a) {
    const unsigned *t = a->temporary;
    au_say(a, &top, "mov_imm r%u, %d", t[0], INPUT_WORDS / 2 - 1);
    au_say(a, &top, "and r%u, r%u, r%u", t[0], a->fixed[FIXED_GLOBAL], t[0]);
    au_say(a, &top, "mov_imm r%u, 4", t[1]);
    au_say(a, &top, "imad r%u, r%u, r%u, r%u", t[1], t[0], t[1], a->fixed[FIXED_IN]);
    for (unsigned k = 0; k < a->count[CLASS_INT]; k++) {
        unsigned reg = a->first[CLASS_INT] + k;
        uint32_t kind = au_pick(a, 6);
        if (kind == 0) {
            au_say(a, &top, "mov_imm r%u, 0x%X", reg, au_constant(a));
        } else if (kind == 1) {
            au_say(a, &top, "mov r%u, r%u", reg, a->fixed[FIXED_THREAD + au_pick(a, 3)]);
        } else {
            au_say(a, &top, "mov_imm r%u, %u", t[0], au_pick(a, INPUT_WORDS / 2) * 4);
            au_say(a, &top, "iadd r%u, r%u, r%u", t[0], t[0], t[1]);
            au_say(a, &top, "device_load_u32 r%u, r%u", reg, t[0]);
        }
    }
}

static void first_floats(author *a) {
    const unsigned *t = a->temporary;
    if (a->count[CLASS_F32])
        au_say(a, &top, "mov_imm r%u, %d", t[1], INPUT_WORDS * 4 - 4);
    for (unsigned k = 0; k < a->count[CLASS_F32]; k++) {
        au_say(a, &top, "and r%u, r%u, r%u", t[0], au_reg(a, CLASS_INT), t[1]);
        au_say(a, &top, "iadd r%u, r%u, r%u", t[0], t[0], a->fixed[FIXED_FLOATS]);
        au_say(a, &top, "device_load_u32 r%u, r%u", a->first[CLASS_F32] + k, t[0]);
    }
    for (unsigned k = 0; k < a->count[CLASS_F16]; k++)
        au_say(a, &top, "cvt_f16_f32 r%u, r%u", a->first[CLASS_F16] + k, au_reg(a, CLASS_F32));
    for (unsigned k = 0; k < a->count[CLASS_BF16]; k++)
        au_say(a, &top, "cvt_bf16_f32 r%u, r%u", a->first[CLASS_BF16] + k, au_reg(a, CLASS_F32));
    for (unsigned k = 0; k < a->count[CLASS_F64]; k++)
        au_say(a, &top, "cvt_f64_f32 r%u, r%u", a->first[CLASS_F64] + 2 * k, au_reg(a, CLASS_F32));
}

/* Initialises every byte of local memory that may be read, by the only lane that owns it. */
static void first_local(author *a) {
    const unsigned *t = a->temporary;
    const place inside = {.depth = 1};
    au_say(a, &top, "mov r%u, r%u", t[0], a->fixed[FIXED_SLICE]);
    au_say(a, &top, "mov_imm r%u, %u", t[1], a->slice_bytes);
    au_say(a, &top, "iadd r%u, r%u, r%u", t[1], t[0], t[1]);
    au_say(a, &top, "mov_imm r%u, 4", t[2]);
    au_say(a, &top, "loop");
    au_say(a, &inside, "local_store_u32 r%u, r%u", t[0], a->first[CLASS_INT]);
    au_say(a, &inside, "iadd r%u, r%u, r%u", t[0], t[0], t[2]);
    au_say(a, &inside, "ucmp_ge p0, r%u, r%u", t[0], t[1]);
    au_say(a, &inside, "break p0");
    au_say(a, &top, "endloop");
    if (a->has_fixed[FIXED_SWAP]) {
        au_say(a, &top, "mov_imm r%u, %u", t[0], a->swap_at);
        au_say(a, &top, "imad r%u, r%u, r%u, r%u", t[0], a->fixed[FIXED_THREAD], t[2], t[0]);
        au_say(a, &top, "local_store_u32 r%u, r%u", t[0], a->first[CLASS_INT]);
        au_say(a, &top, "mov_imm r%u, %u", t[1], a->some_at - a->swap_at);
        au_say(a, &top, "iadd r%u, r%u, r%u", t[0], t[0], t[1]);
        au_say(a, &top, "local_store_u32 r%u, r%u", t[0], a->first[CLASS_INT]);
        au_say(a, &top, "fence_acq_rel .wave");
    }
    if (!a->has[GEN_BARRIERS])
        return;
    au_say(a, &top, "icmp_eq p1, r%u, r%u", a->fixed[FIXED_THREAD], a->fixed[FIXED_ZERO]);
    for (uint32_t k = 0; k < LOCAL_COUNTERS; k++) {
        au_say(a, &top, "mov_imm r%u, %u", t[0], a->counters_at + 4 * k);
        au_say(a, &top, "@p1 local_store_u32 r%u, r%u", t[0], a->first[CLASS_INT] + k);
    }
    au_say(a, &top, "mov_imm r%u, %u", t[0], a->counters_at + 4 * LOCAL_COUNTERS);
    au_say(a, &top, "@p1 local_store_u32 r%u, r%u", t[0], a->fixed[FIXED_ZERO]);
    au_say(a, &top, "barrier");
}

static void first_private(author *a) {
    for (unsigned at = 0; at < PRIVATE_BYTES; at += 4) {
        au_say(a, &top, "mov_imm r%u, %u", a->temporary[0], at);
        au_say(a, &top, "private_store_u32 r%u, r%u", a->temporary[0], au_reg(a, CLASS_INT));
    }
}

void gen_prologue(author *a) {
    addresses(a);
    first_values(a);
    first_floats(a);
    if (a->has_fixed[FIXED_SLICE])
        first_local(a);
    if (a->has[GEN_PRIVATE])
        first_private(a);
    if (a->has[GEN_TILES])
        gen_first_tiles(a, &top);
    for (unsigned k = 0; k < ISA_PREDICATES; k++)
        if (au_chance(a, 70))
            gen_compare(a, &top, k);
    for (int k = 0; k < COUNTERS; k++)
        au_say(a, &top, "mov_imm r%u, 0", a->counter[k]);
}

/* ---- After the body ---- */

/* hash = hash * odd + value */
static void fold(author *a, unsigned reg) {
    const unsigned *t = a->temporary;
    au_say(a, &top, "imad r%u, r%u, r%u, r%u", t[3], t[3], t[4], reg);
}

void gen_epilogue(author *a) {
    const unsigned *t = a->temporary;
    au_say(a, &top, "mov r%u, r%u", t[3], a->fixed[FIXED_FUEL]);
    au_say(a, &top, "mov_imm r%u, 0x%X", t[4], au_bits(a) | 1);
    for (unsigned k = 0; k < ISA_PREDICATES; k++) {
        au_say(a, &top, "select r%u, p%u, r%u, r%u", t[0], k, a->fixed[FIXED_ONE],
               a->fixed[FIXED_ZERO]);
        fold(a, t[0]);
    }
    for (int k = 0; k < COUNTERS; k++)
        fold(a, a->counter[k]);
    for (int c = 0; c < CLASS_COUNT; c++)
        for (unsigned k = 0; k < a->count[c]; k++) {
            unsigned reg = a->first[c] + k * (c == CLASS_F64 ? 2 : 1);
            gen_canonical(a, &top, (reg_class)c, reg);
            fold(a, reg);
            if (c == CLASS_F64)
                fold(a, reg + 1);
        }
    for (uint32_t k = 0; k < LOCAL_INT_BYTES && a->has_fixed[FIXED_SLICE]; k += 8) {
        au_say(a, &top, "mov_imm r%u, %u", t[0], k + LOCAL_INT);
        au_say(a, &top, "iadd r%u, r%u, r%u", t[0], t[0], a->fixed[FIXED_SLICE]);
        au_say(a, &top, "local_load_u64 r%u, r%u", t[1], t[0]);
        fold(a, t[1]);
        fold(a, t[2]);
    }
    for (unsigned at = 0; at < PRIVATE_BYTES && a->has[GEN_PRIVATE]; at += 4) {
        au_say(a, &top, "mov_imm r%u, %u", t[0], at);
        au_say(a, &top, "private_load_u32 r%u, r%u", t[1], t[0]);
        fold(a, t[1]);
    }
    au_say(a, &top, "device_store_u32 r%u, r%u", a->fixed[FIXED_OUT], t[3]);
    if (a->has[GEN_TILES])
        gen_last_tiles(a, &top);
    if (!a->falls_off)
        au_say(a, &top, "halt");
}
