// wmma.load, wmma.mma and wmma.store of shape m16n16k16: decoding and execution. The mapping of a
// tile's elements to lanes and registers is private to this file. It differs between tiles, and
// between a.row and a.col, so that code which inspects the registers, or loads in one layout and
// multiplies in another, computes wrong results.
#include "ptxvm/num.h"
#include "ptxvm/parse.h"

enum { SIDE = 16, ELEMENTS = SIDE * SIDE, SLOTS = ELEMENTS / PTXVM_WARP, COLUMNS = 1 };
enum { TILE_A, TILE_B, TILE_C };

static bool bad_modifier(vm_parser *p) {
    return vm_error_at(p, p->insn->line, PTXVM_TYPE, "illegal or missing modifier of wmma");
}

// ---- decoding

// Registers of a tile: as many as its elements need, or twice that for f16.
static uint32_t registers_of(vm_type type) {
    return type == VM_F16 ? SLOTS : SLOTS * vm_bytes(type) / 4;
}

static vm_type register_type(vm_type type) {
    return vm_bytes(type) == 4 ? type : VM_B32;
}

// The numbers of the registers follow the branch targets of the function.
static bool take_tile(vm_parser *p, const raw_operand *raw, vm_type type, bool written) {
    vm_function *f = p->function;
    uint32_t count = registers_of(type);
    if (raw->kind != RAW_VECTOR || raw->count != count) {
        return vm_bad_operands(p);
    }
    if (!vm_grow((void **)&f->targets, &f->target_capacity, f->target_count + count,
                 sizeof *f->targets)) {
        return vm_no_memory(p);
    }
    for (uint32_t k = 0; k < count; k++) {
        const raw_operand *part = &p->parts[raw->first + k];
        vm_type wanted = register_type(type);
        if (written ? !vm_dest(p, 6, part, wanted, 0) : !vm_src(p, 6, part, wanted, OP_NO_IMM)) {
            return false;
        }
        f->targets[f->target_count++] = p->insn->op[6].reg;
    }
    p->insn->op[6] = (vm_operand){0};
    return true;
}

// Takes the first remaining one: their order matters.
static bool take_layout(vm_parser *p, uint8_t *layout) {
    for (uint32_t i = 0; i < p->mod_count; i++) {
        bool col = vm_token_is(&p->mods[i], "col"), row = vm_token_is(&p->mods[i], "row");
        if (!(p->mods_used >> i & 1) && (col || row)) {
            *layout = col ? COLUMNS : 0;
            return vm_take(p, col ? "col" : "row");
        }
    }
    return bad_modifier(p);
}

static bool is_factor(vm_type type) {
    return type == VM_F16 || type == VM_BF16 || type == VM_S8 || type == VM_U8;
}

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {…}, [address]{, stride}
static bool decode_access(vm_parser *p, bool load) {
    vm_insn *in = p->insn;
    in->sub = load ? VM_WMMA_LOAD : VM_WMMA_STORE;
    in->mode = load && vm_take(p, "a") ? TILE_A : load && vm_take(p, "b") ? TILE_B : TILE_C;
    if ((in->mode == TILE_C && !vm_take(p, load ? "c" : "d")) || !vm_take(p, "sync") ||
        !vm_take(p, "aligned") || !take_layout(p, &in->flags) || !vm_take(p, "m16n16k16")) {
        return bad_modifier(p);
    }
    vm_space space = vm_take_space(p);
    vm_type type = vm_take_type(p);
    bool fits = in->mode == TILE_C ? type == VM_F32 || type == VM_S32 : is_factor(type);
    if (!fits) {
        return vm_bad_type(p);
    }
    in->space = (uint8_t)space;
    in->type = (uint8_t)type;
    in->target = p->function->target_count;
    if (!vm_count(p, 2, 3) || !vm_address(p, 1, &p->raw[load ? 1 : 0], &space) ||
        !take_tile(p, &p->raw[load ? 0 : 1], type, load)) {
        return false;
    }
    if (p->raw_count == 3) {
        return vm_src(p, 2, &p->raw[2], VM_U32, 0);
    }
    in->op[2] = (vm_operand){.kind = VM_O_IMM, .imm = SIDE};
    return true;
}

// wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c; with factors other than f16 all types
// are named
static bool decode_mma(vm_parser *p) {
    vm_insn *in = p->insn;
    in->sub = VM_WMMA_MMA;
    if (!vm_take(p, "sync") || !vm_take(p, "aligned") || !take_layout(p, &in->flags) ||
        !take_layout(p, &in->round) || !vm_take(p, "m16n16k16")) {
        return bad_modifier(p);
    }
    vm_type sum = vm_take_type(p), factor = vm_take_type(p);
    if (factor == VM_F32) {
        factor = VM_F16;
    } else if (vm_take_type(p) != factor || vm_take_type(p) != sum) {
        return vm_bad_type(p);
    }
    bool integer = factor == VM_S8 || factor == VM_U8;
    if (!is_factor(factor) || sum != (integer ? VM_S32 : VM_F32)) {
        return vm_bad_type(p);
    }
    in->type = (uint8_t)factor;
    in->type2 = (uint8_t)sum;
    in->target = p->function->target_count;
    return vm_count(p, 4, 4) && take_tile(p, &p->raw[0], sum, true) &&
           take_tile(p, &p->raw[1], factor, false) && take_tile(p, &p->raw[2], factor, false) &&
           take_tile(p, &p->raw[3], sum, false);
}

bool vm_d_wmma(vm_parser *p) {
    p->insn->exec = vm_x_wmma;
    if (vm_take(p, "mma")) {
        return decode_mma(p);
    }
    bool load = vm_take(p, "load");
    return (load || vm_take(p, "store") || bad_modifier(p)) && decode_access(p, load);
}

// ---- element mapping

typedef struct {
    uint32_t first; // index of its register numbers in the function's targets
    vm_type type;
    unsigned salt; // different for each kind of tile and layout
} tile;

static tile tile_of(const vm_insn *in, uint32_t first, vm_type type, unsigned which,
                    unsigned layout) {
    bool factor = which != TILE_C; // the layout of a sum affects only memory
    return (tile){in->target + first, type, which * 37 + (factor ? layout * 91 : 0) + type * 5u};
}

typedef struct {
    uint32_t lane, reg, shift;
} place;

static place place_of(const tile *t, unsigned element) {
    unsigned at = (element * 73 + t->salt) % ELEMENTS, slot = at / PTXVM_WARP;
    unsigned packed = t->type == VM_F16 ? 1 : 4 / vm_bytes(t->type);
    return (place){at % PTXVM_WARP, t->first + slot / packed, slot % packed * (32 / packed)};
}

static uint32_t element_of(vm_run *run, const vm_thread *t, const tile *from, unsigned element) {
    place where = place_of(from, element);
    const vm_thread *lane = vm_lane_of(t, where.lane);
    vm_operand op = {.kind = VM_O_REG, .reg = t->function->targets[where.reg]};
    return (uint32_t)(vm_source(run, lane, &op) >> where.shift & vm_mask(8 * vm_bytes(from->type)));
}

// Writes all registers of the tile; the upper half of one that holds a single f16 is garbage.
static void write_tile(vm_run *run, const vm_thread *t, const tile *to, const uint32_t *elements) {
    uint32_t words[PTXVM_WARP][SLOTS] = {{0}};
    for (unsigned k = 0; k < ELEMENTS; k++) {
        place where = place_of(to, k);
        words[where.lane][where.reg - to->first] |= elements[k] << where.shift;
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        for (uint32_t k = 0; k < registers_of(to->type); k++) {
            vm_operand op = {.kind = VM_O_REG, .reg = t->function->targets[to->first + k]};
            uint32_t garbage = to->type == VM_F16 ? (uint32_t)vm_random(run) << 16 : 0;
            vm_write(vm_lane_of(t, lane), &op, words[lane][k] | garbage);
        }
    }
}

// ---- execution

static vm_step finish_access(vm_run *run, vm_thread *t) {
    const vm_insn *in = t->wait;
    bool load = in->sub == VM_WMMA_LOAD;
    unsigned size = vm_bytes((vm_type)in->type);
    tile held = tile_of(in, 0, (vm_type)in->type, in->mode, in->flags);
    uint32_t elements[ELEMENTS];
    for (unsigned k = 0; k < ELEMENTS; k++) {
        unsigned i = k / SIDE, j = k % SIDE, row = in->flags ? j : i, column = in->flags ? i : j;
        uint64_t address = t->wait_value + ((uint64_t)row * t->wait_b + column) * size;
        vm_thread *lane = vm_lane_of(t, place_of(&held, k).lane);
        elements[k] = load ? 0 : element_of(run, t, &held, k);
        if (!vm_access_at(run, lane, in, address, size, !load, &elements[k])) {
            return VM_ERROR;
        }
    }
    if (load) {
        write_tile(run, t, &held, elements);
    }
    return VM_NEXT;
}

static float widened(vm_type type, uint32_t bits) {
    return (float)vm_unpack(vm_format_of(type), bits);
}

static uint32_t float_sum(const vm_run *run, vm_type type, const uint32_t *a, const uint32_t *b,
                          uint32_t c) {
    uint16_t x[SIDE], y[SIDE];
    float sum = vm_f32(c);
    for (unsigned k = 0; k < SIDE; k++) {
        x[k] = (uint16_t)a[k];
        y[k] = (uint16_t)b[k * SIDE];
        sum = fmaf(widened(type, x[k]), widened(type, y[k]), sum);
    }
    if (run->options->dot) {
        return run->options->dot(run->options->unit, type == VM_BF16, x, y, c);
    }
    return isnan(sum) ? (uint32_t)vm_nan(run, VM_F32) : vm_f32_bits(sum);
}

static uint32_t integer_sum(vm_type type, const uint32_t *a, const uint32_t *b, uint32_t c) {
    for (unsigned k = 0; k < SIDE; k++) {
        int64_t x = type == VM_S8 ? vm_sign_extend(a[k], 8) : (int64_t)a[k];
        int64_t y = type == VM_S8 ? vm_sign_extend(b[k * SIDE], 8) : (int64_t)b[k * SIDE];
        c += (uint32_t)(x * y);
    }
    return c;
}

static vm_step finish_mma(vm_run *run, vm_thread *t) {
    const vm_insn *in = t->wait;
    vm_type factor = (vm_type)in->type, sum = (vm_type)in->type2;
    uint32_t count = registers_of(factor), held[3][ELEMENTS];
    tile from[3] = {tile_of(in, SLOTS, factor, TILE_A, in->flags),
                    tile_of(in, SLOTS + count, factor, TILE_B, in->round),
                    tile_of(in, SLOTS + 2 * count, sum, TILE_C, 0)};
    tile to = tile_of(in, 0, sum, TILE_C, 0);
    for (unsigned which = 0; which < 3; which++) {
        for (unsigned k = 0; k < ELEMENTS; k++) {
            held[which][k] = element_of(run, t, &from[which], k);
        }
    }
    for (unsigned k = 0; k < ELEMENTS; k++) {
        const uint32_t *a = held[TILE_A] + k / SIDE * SIDE, *b = held[TILE_B] + k % SIDE;
        held[TILE_C][k] = sum == VM_S32 ? integer_sum(factor, a, b, held[TILE_C][k])
                                        : float_sum(run, factor, a, b, held[TILE_C][k]);
    }
    write_tile(run, t, &to, held[TILE_C]);
    return VM_NEXT;
}

vm_step vm_finish_wmma(vm_run *run, vm_thread *t) {
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = vm_lane_of(t, lane);
        if (other->wait_value != t->wait_value || other->wait_b != t->wait_b) {
            return vm_fail(run, t, t->wait, PTXVM_SYNC_MISMATCH,
                           "lane %u has another address or stride", (unsigned)lane);
        }
    }
    vm_step step = t->wait->sub == VM_WMMA_MMA ? finish_mma(run, t) : finish_access(run, t);
    if (step == VM_NEXT && run->undefined && (run->options->checks & PTXVM_CHECK_UNINITIALISED)) {
        return vm_fail(run, t, t->wait, PTXVM_UNINITIALISED, "a register of a tile");
    }
    run->undefined = 0;
    return step;
}

vm_step vm_x_wmma(vm_run *run, vm_thread *t, const vm_insn *in) {
    bool access = in->sub != VM_WMMA_MMA;
    t->wait = in;
    t->wait_mask = UINT32_MAX;
    t->wait_value = access ? vm_address_of(run, t, &in->op[1]) : 0;
    t->wait_b = access ? (uint32_t)vm_source(run, t, &in->op[2]) : 0;
    if (t->wait_value % 32 || (access && t->wait_b * vm_bytes((vm_type)in->type) % 16)) {
        return vm_fail(run, t, in, PTXVM_MISALIGNED, "address 0x%llx, stride of %u elements",
                       (unsigned long long)t->wait_value, (unsigned)t->wait_b);
    }
    return vm_meet(run, t);
}
