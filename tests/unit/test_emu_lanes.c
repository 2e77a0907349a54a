/* The lane loops of the emulator, handler by handler: all widths, masks and vector widths produce
 * the same result per lane, inactive lanes keep theirs, and overlapping operands are read before
 * they are written. The results themselves are tested elsewhere. */
#include "emu/lane_memory.h"
#include "emu/machine.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { REGISTERS = 12, STRIDE = 64, ROWS = REGISTERS + EMU_EXTRA_ROWS };

typedef struct bench {
    emu_machine machine;
    emu_wave wave;
    uint32_t rows[ROWS * STRIDE];
    uint32_t fragments[3 * 16 * STRIDE];
} bench;

static uint32_t next_word(uint64_t *state) {
    return (uint32_t)(random_next(state) >> 32);
}

/* Operands that make arithmetic interesting: small numbers, edges, moderate floats, NaNs. */
static uint32_t operand(uint64_t *state) {
    static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                     0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000,
                                     0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001,
                                     0x007FFFFF, 0x00800000, 0x4B000000, 0x4F000000, 0x3C003C00};
    uint32_t word = next_word(state);
    switch (word & 3) {
    case 0: return edges[word / 4 % (sizeof edges / sizeof *edges)];
    case 1: return word / 4 % 100;
    case 2: return (word & 0x80FFFFFF) | 0x3E000000;
    default: return next_word(state);
    }
}

static void set_up(bench *b, uint32_t count, uint64_t seed) {
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < REGISTERS * STRIDE; i++)
        b->rows[i] = operand(&seed);
    for (size_t i = 0; i < sizeof b->fragments / sizeof *b->fragments; i++)
        b->fragments[i] = operand(&seed);
    for (int i = 0; i < ISA_PREDICATES; i++)
        b->wave.pred[i] = (uint64_t)next_word(&seed) << 32 | next_word(&seed);
    b->wave.regs = b->rows;
    b->wave.fragments = b->fragments;
    b->wave.count = count;
    b->wave.groups = (count + EMU_GROUP - 1) / EMU_GROUP;
    b->wave.all = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    b->wave.number = 5;
    b->machine.stride = STRIDE;
    b->machine.width = count;
    b->machine.registers = REGISTERS;
    for (int i = 0; i < ISA_SPECIAL_COUNT; i++)
        b->machine.special[i] = 1000u + (uint32_t)i;
}

static bool is_lane_loop(isa_op op) {
    switch (op) {
#define LANES(id, shape, name) case ISA_##id:
#define WHOLE(id, name)
#include "emu/ops.def"
#undef LANES
#undef WHOLE
        if (isa_is_tile(op))
            return false;
        return (isa_table[op].flags & (ISA_LOCAL | ISA_DEVICE | ISA_PRIVATE | ISA_CONSTANT)) == 0;
    default: return false;
    }
}

/* Distinct registers, or overlapping ones: pairs that share a half, results over sources. */
static emu_insn instruction(isa_op op, bool overlap) {
    const isa_desc *d = &isa_table[op];
    emu_insn in = {
        .op = (uint16_t)op, .pd = 1, .ps = 2, .value = op == ISA_MOV_SR ? 8 : 0x12345678};
    uint16_t *const rows[ISA_FIELDS] = {in.rd, in.rs1, in.rs2, in.rs3, &in.rs3[1]};
    for (uint32_t field = 0; field < ISA_FIELDS; field++)
        for (uint32_t k = 0; k < isa_role_registers((isa_role)d->role[field]); k++)
            rows[field][k] = (uint16_t)((overlap ? 1 + field % 2 + k : 2 * field + k) * STRIDE);
    if (op == ISA_MMA_COMPUTE) {
        in.a = 0;
        in.b = 16 * STRIDE;
        in.c = 32 * STRIDE;
    }
    return in;
}

/* The reference: each lane separately, as the only active one, all reading the old state. */
static void run_by_lane(emu_handler *run, const bench *before, const emu_insn *in, uint64_t lanes,
                        bench *after) {
    static bench single;
    *after = *before;
    for (uint32_t lane = 0; lane < before->wave.count; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        single = *before;
        single.wave.regs = single.rows;
        single.wave.fragments = single.fragments;
        run(&single.machine, &single.wave, in, (uint64_t)1 << lane);
        for (size_t row = 0; row < REGISTERS; row++)
            after->rows[row * STRIDE + lane] = single.rows[row * STRIDE + lane];
        for (size_t row = 0; row < 3 * 16; row++)
            after->fragments[row * STRIDE + lane] = single.fragments[row * STRIDE + lane];
        for (int i = 0; i < ISA_PREDICATES; i++) {
            const uint64_t bit = (uint64_t)1 << lane;
            after->wave.pred[i] = (after->wave.pred[i] & ~bit) | (single.wave.pred[i] & bit);
        }
    }
}

static void expect_same(const bench *got, const bench *expected, isa_op op, uint64_t lanes) {
    const uint32_t count = got->wave.count;
    for (uint32_t lane = 0; lane < count; lane++) {
        for (size_t row = 0; row < REGISTERS; row++)
            cr_assert_eq(got->rows[row * STRIDE + lane], expected->rows[row * STRIDE + lane],
                         "%s, %u lanes, mask %llx: lane %u of row %zu", isa_table[op].mnemonic,
                         count, (unsigned long long)lanes, lane, row);
        for (size_t row = 0; row < 3 * 16; row++)
            cr_assert_eq(got->fragments[row * STRIDE + lane],
                         expected->fragments[row * STRIDE + lane]);
    }
    for (int i = 0; i < ISA_PREDICATES; i++)
        cr_assert_eq(got->wave.pred[i], expected->wave.pred[i], "%s, %u lanes, mask %llx: p%d",
                     isa_table[op].mnemonic, count, (unsigned long long)lanes, i);
}

static void check_handlers(emu_handler *const *handlers, emu_handler *const *reference) {
    static const uint32_t counts[] = {1, 3, 8, 17, 31, 32, 33, 47, 64};
    static bench before, got, expected;
    uint64_t seed = 1;
    unsigned checked = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        if (!is_lane_loop((isa_op)op))
            continue;
        checked++;
        for (size_t i = 0; i < 4 * sizeof counts / sizeof *counts; i++) {
            const emu_insn in = instruction((isa_op)op, i & 1);
            set_up(&before, counts[i / 4], seed++);
            const uint64_t some = (uint64_t)next_word(&seed) << 32 | next_word(&seed);
            const uint64_t lanes = i & 2 ? before.wave.all : before.wave.all & some;
            run_by_lane(reference[op], &before, &in, lanes, &expected);
            got = before;
            got.wave.regs = got.rows;
            got.wave.fragments = got.fragments;
            handlers[op](&got.machine, &got.wave, &in, lanes);
            expect_same(&got, &expected, (isa_op)op, lanes);
        }
    }
    cr_expect_gt(checked, 100);
}

Test(emu_lanes, plain_handlers_agree_with_single_lanes) {
    check_handlers(emu_plain_handlers(), emu_plain_handlers());
}

Test(emu_lanes, wide_handlers_agree_with_single_lanes) {
    if (!emu_wide_handlers())
        cr_skip_test("this processor has no wider vectors");
    check_handlers(emu_wide_handlers(), emu_plain_handlers());
}

/* Every address is valid, so loads and stores take their fast path. */
Test(emu_lanes, loads_and_stores_agree_with_the_reference) {
    emu_handler *const *both[] = {emu_plain_handlers(), emu_wide_handlers()};
    static bench b;
    uint8_t memory[256];
    for (size_t k = 0; k < 2; k++) {
        if (!both[k])
            continue;
        for (uint32_t count = 1; count <= 64; count++) {
            const emu_insn in = {.rd = {0}, .rs1 = {STRIDE}, .rs2 = {2 * STRIDE}};
            set_up(&b, count, count);
            b.machine.local = memory;
            b.machine.local_size = sizeof memory;
            for (uint32_t lane = 0; lane < count; lane++)
                b.rows[STRIDE + lane] = (lane * 28) % 256; /* 7 and 64 have no common factor */
            memset(memory, 0, sizeof memory);
            both[k][ISA_LOCAL_STORE_U32](&b.machine, &b.wave, &in, b.wave.all);
            both[k][ISA_LOCAL_LOAD_U32](&b.machine, &b.wave, &in, b.wave.all);
            for (uint32_t lane = 0; lane < count; lane++) {
                cr_expect_eq(b.rows[lane], b.rows[2 * STRIDE + lane]);
                cr_expect_eq(emu_get(memory + lane * 28 % 256, 4), b.rows[2 * STRIDE + lane]);
            }
        }
    }
}
