/* Sub-group and work-group functions. A sub-group is a wave.
 *
 * For integers the IR has reductions. Everything else uses shuffles: if all lanes are present
 * (OpGroup…), a scan in six steps (Hillis and Steele 1986); if lanes may be missing
 * (OpGroupNonUniform…), one active lane after the other. A work-group combines the results of its
 * waves in local memory. */
#include "spirv/to_ir.h"

enum { MOST_LANES = ISA_MAX_WIDTH, SLOTS = ISA_MAX_WAVES, SLOT = 8 };

typedef enum joins { ADD, MULTIPLY, LEAST, MOST, AND, OR, XOR } joins;
typedef enum numbers { UNSIGNED, SIGNED, FLOAT, BOOL } numbers;

typedef struct row {
    uint16_t op;
    uint8_t joins, numbers;
    bool all; /* all lanes of the group are present */
} row;

static const row rows[] = {
    {SPIRV_OpGroupIAdd, ADD, UNSIGNED, true},
    {SPIRV_OpGroupFAdd, ADD, FLOAT, true},
    {SPIRV_OpGroupFMin, LEAST, FLOAT, true},
    {SPIRV_OpGroupUMin, LEAST, UNSIGNED, true},
    {SPIRV_OpGroupSMin, LEAST, SIGNED, true},
    {SPIRV_OpGroupFMax, MOST, FLOAT, true},
    {SPIRV_OpGroupUMax, MOST, UNSIGNED, true},
    {SPIRV_OpGroupSMax, MOST, SIGNED, true},
    {SPIRV_OpGroupIMulKHR, MULTIPLY, UNSIGNED, true},
    {SPIRV_OpGroupFMulKHR, MULTIPLY, FLOAT, true},
    {SPIRV_OpGroupBitwiseAndKHR, AND, UNSIGNED, true},
    {SPIRV_OpGroupBitwiseOrKHR, OR, UNSIGNED, true},
    {SPIRV_OpGroupBitwiseXorKHR, XOR, UNSIGNED, true},
    {SPIRV_OpGroupLogicalAndKHR, AND, BOOL, true},
    {SPIRV_OpGroupLogicalOrKHR, OR, BOOL, true},
    {SPIRV_OpGroupLogicalXorKHR, XOR, BOOL, true},
    {SPIRV_OpGroupNonUniformIAdd, ADD, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformFAdd, ADD, FLOAT, false},
    {SPIRV_OpGroupNonUniformIMul, MULTIPLY, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformFMul, MULTIPLY, FLOAT, false},
    {SPIRV_OpGroupNonUniformSMin, LEAST, SIGNED, false},
    {SPIRV_OpGroupNonUniformUMin, LEAST, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformFMin, LEAST, FLOAT, false},
    {SPIRV_OpGroupNonUniformSMax, MOST, SIGNED, false},
    {SPIRV_OpGroupNonUniformUMax, MOST, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformFMax, MOST, FLOAT, false},
    {SPIRV_OpGroupNonUniformBitwiseAnd, AND, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformBitwiseOr, OR, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformBitwiseXor, XOR, UNSIGNED, false},
    {SPIRV_OpGroupNonUniformLogicalAnd, AND, BOOL, false},
    {SPIRV_OpGroupNonUniformLogicalOr, OR, BOOL, false},
    {SPIRV_OpGroupNonUniformLogicalXor, XOR, BOOL, false},
};

/* ---- Combining two values ---- */

static ir_value join_floats(builder *b, joins how, unsigned bits, ir_value x, ir_value y) {
    if (how == ADD || how == MULTIPLY)
        return to_scalar_op(b, how == ADD ? SPIRV_OpFAdd : SPIRV_OpFMul, bits, x, y);
    if (bits == 64)
        return to_2(b, how == LEAST ? IR_DMIN : IR_DMAX, IR_F64, x, y);
    if (bits == 16) {
        x = to_1(b, IR_CVT_F32_F16, IR_F32, x);
        y = to_1(b, IR_CVT_F32_F16, IR_F32, y);
    }
    ir_value v = to_2(b, how == LEAST ? IR_FMIN : IR_FMAX, IR_F32, x, y);
    return bits == 16 ? to_1(b, IR_CVT_F16_F32, IR_F16, v) : v;
}

static ir_value join(builder *b, const row *r, unsigned bits, ir_value x, ir_value y) {
    static const uint16_t integers[] = {[ADD] = SPIRV_OpIAdd,
                                        [MULTIPLY] = SPIRV_OpIMul,
                                        [AND] = SPIRV_OpBitwiseAnd,
                                        [OR] = SPIRV_OpBitwiseOr,
                                        [XOR] = SPIRV_OpBitwiseXor};
    static const uint16_t bools[] = {
        [AND] = SPIRV_OpLogicalAnd, [OR] = SPIRV_OpLogicalOr, [XOR] = SPIRV_OpLogicalNotEqual};
    if (r->numbers == FLOAT)
        return join_floats(b, (joins)r->joins, bits, x, y);
    if (r->numbers == BOOL)
        return to_scalar_op(b, bools[r->joins], 1, x, y);
    if (r->joins != LEAST && r->joins != MOST)
        return to_scalar_op(b, integers[r->joins], bits, x, y);
    ir_value less =
        to_scalar_op(b, r->numbers == SIGNED ? SPIRV_OpSLessThan : SPIRV_OpULessThan, bits, x, y);
    return r->joins == LEAST ? to_select(b, less, x, y) : to_select(b, less, y, x);
}

/* The identity element of the operation. */
static ir_value identity(builder *b, const row *r, const to_scalar *s) {
    static const uint64_t one[3] = {0x3C00, 0x3F800000, 0x3FF0000000000000};
    static const uint64_t infinity[3] = {0x7C00, 0x7F800000, 0x7FF0000000000000};
    unsigned k = s->bits == 16 ? 0 : s->bits == 32 ? 1 : 2;
    uint64_t ones = s->bits == 64 ? UINT64_MAX : ((uint64_t)1 << s->bits) - 1;
    uint64_t sign = (uint64_t)1 << (s->bits - 1), bits = 0;
    bool is_float = r->numbers == FLOAT, is_signed = r->numbers == SIGNED;
    switch ((joins)r->joins) {
    case MULTIPLY: bits = is_float ? one[k] : 1; break;
    case LEAST: bits = is_float ? infinity[k] : is_signed ? ones ^ sign : ones; break;
    case MOST: bits = is_float ? infinity[k] | sign : is_signed ? sign : 0; break;
    case AND: bits = ones; break;
    default: break;
    }
    return ir_const(to_func(b), (ir_type)s->type, bits);
}

/* ---- Between lanes ---- */

static ir_value wave_1(builder *b, ir_op op, ir_value x) {
    return to_2(b, op, IR_U32, to_token(b), x);
}

static ir_value move_word(builder *b, ir_op op, ir_value x, ir_value lane) {
    return to_make(b, op, IR_U32, (ir_value[]){to_token(b), x, lane}, 3);
}

/* A scalar of any width from another lane. */
static ir_value move(builder *b, ir_op op, ir_value x, ir_value lane) {
    ir_type type = ir_type_of(to_func(b), x);
    ir_value v = to_bits(b, x);
    if (ir_type_of(to_func(b), v) == IR_U64)
        v = to_u64(b, move_word(b, op, to_resize(b, v, 64, 32, false), lane),
                   move_word(b, op, to_1(b, IR_HI64, IR_U32, v), lane));
    else
        v = move_word(b, op, v, lane);
    return to_from_bits(b, v, type);
}

static ir_value vote(builder *b, ir_op op, ir_value p) {
    return to_2(b, op, IR_BOOL, to_token(b), p);
}

static ir_value first_lane(builder *b) {
    return wave_1(b, IR_WAVE_REDUCE_MIN, to_special(b, ISA_SR_LANE_ID));
}

static ir_value last_lane(builder *b) {
    return wave_1(b, IR_WAVE_REDUCE_MAX, to_special(b, ISA_SR_LANE_ID));
}

/* The IR's reduction, if there is one: on words, with signed numbers mapped to unsigned order. 0:
 * none. */
static ir_value reduce_words(builder *b, const row *r, unsigned bits, ir_value x) {
    static const uint8_t ops[] = {
        [ADD] = IR_WAVE_REDUCE_ADD, [LEAST] = IR_WAVE_REDUCE_MIN, [MOST] = IR_WAVE_REDUCE_MAX,
        [AND] = IR_WAVE_REDUCE_AND, [OR] = IR_WAVE_REDUCE_OR,     [XOR] = IR_WAVE_REDUCE_XOR};
    if (r->numbers == FLOAT || r->joins == MULTIPLY)
        return 0;
    ir_op op = (ir_op)ops[r->joins];
    if (r->numbers == BOOL && r->joins != XOR)
        return vote(b, r->joins == AND ? IR_WAVE_ALL : IR_WAVE_ANY, x);
    if (r->numbers == BOOL)
        return to_from_bits(b, to_cut(b, wave_1(b, op, to_bits(b, x)), 1), IR_BOOL);
    if (bits == 64)
        return r->joins < AND ? 0
                              : to_u64(b, wave_1(b, op, to_resize(b, x, 64, 32, false)),
                                       wave_1(b, op, to_1(b, IR_HI64, IR_U32, x)));
    bool flips = r->numbers == SIGNED && (r->joins == LEAST || r->joins == MOST);
    ir_value sign = to_u32(b, 1u << (bits - 1));
    ir_value v = wave_1(b, op, flips ? to_2(b, IR_XOR, IR_U32, x, sign) : x);
    return to_cut(b, flips ? to_2(b, IR_XOR, IR_U32, v, sign) : v, bits);
}

/* ---- One wave, all lanes of it ---- */

/* An inclusive scan: the value combined with those of all lower lanes. Lanes that exist are the
 * first of the wave. */
static ir_value scan(builder *b, const row *r, unsigned bits, ir_value x) {
    ir_value lane = to_special(b, ISA_SR_LANE_ID);
    for (uint32_t d = 1; d < MOST_LANES; d *= 2) {
        ir_value has = to_2(b, IR_UCMP_GE, IR_BOOL, lane, to_u32(b, d));
        ir_value from = to_select(b, has, to_2(b, IR_ISUB, IR_U32, lane, to_u32(b, d)), lane);
        ir_value other = move(b, IR_WAVE_SHUFFLE, x, from);
        x = to_select(b, has, join(b, r, bits, other, x), x);
    }
    return x;
}

/* An exclusive scan: the inclusive result of the lane below. */
static ir_value shift_up(builder *b, const row *r, const to_scalar *s, ir_value x) {
    ir_value lane = to_special(b, ISA_SR_LANE_ID);
    ir_value has = to_2(b, IR_UCMP_GE, IR_BOOL, lane, to_u32(b, 1));
    ir_value from = to_select(b, has, to_2(b, IR_ISUB, IR_U32, lane, to_u32(b, 1)), lane);
    return to_select(b, has, move(b, IR_WAVE_SHUFFLE, x, from), identity(b, r, s));
}

static bool sums_words(const row *r, const to_scalar *s) {
    return r->joins == ADD && r->numbers != FLOAT && s->bits <= 32;
}

static ir_value scan_all(builder *b, const row *r, const to_scalar *s, ir_value x, bool inclusive) {
    if (sums_words(r, s)) {
        ir_value v = wave_1(b, IR_WAVE_PREFIX_SUM, x);
        return to_cut(b, inclusive ? to_2(b, IR_IADD, IR_U32, v, x) : v, s->bits);
    }
    ir_value v = scan(b, r, s->bits, x);
    return inclusive ? v : shift_up(b, r, s, v);
}

static ir_value reduce_all(builder *b, const row *r, const to_scalar *s, ir_value x) {
    ir_value v = reduce_words(b, r, s->bits, x);
    return v ? v : move(b, IR_WAVE_BROADCAST, scan(b, r, s->bits, x), last_lane(b));
}

/* ---- One wave, active lanes only ---- */

/* Numbers the active lanes and broadcasts them one after the other. The lane with a given number is
 * found as a sum over lanes to which only that lane contributes. `cluster`: if not 0, only lanes of
 * the lane's own cluster count. */
static ir_value serial(builder *b, const row *r, const to_scalar *s, ir_value x, unsigned operation,
                       ir_value cluster) {
    ir_value lane = to_special(b, ISA_SR_LANE_ID), one = to_u32(b, 1);
    ir_value rank = wave_1(b, IR_WAVE_PREFIX_SUM, one), count = wave_1(b, IR_WAVE_REDUCE_ADD, one);
    uint32_t *v = arena_alloc(&b->memory, 2 * sizeof *v);
    if (!v) {
        b->s.f->failed = true;
        return x;
    }
    v[0] = to_variable(b, IR_U32, to_u32(b, 0));
    v[1] = to_variable(b, (ir_type)s->type, identity(b, r, s));
    to_open_loop(b, v, 2);
    ir_value at = ssa_read(&b->s, v[0]), sum = ssa_read(&b->s, v[1]);
    to_break_if(b, to_2(b, IR_UCMP_GE, IR_BOOL, at, count));
    ir_value mine = to_2(b, IR_ICMP_EQ, IR_BOOL, rank, at);
    ir_value from = wave_1(b, IR_WAVE_REDUCE_ADD, to_select(b, mine, lane, to_u32(b, 0)));
    ir_value other = move(b, IR_WAVE_BROADCAST, x, from);
    ir_value wanted = ir_const(to_func(b), IR_BOOL, 1);
    if (operation == SPIRV_InclusiveScan)
        wanted = to_2(b, IR_UCMP_LE, IR_BOOL, at, rank);
    else if (operation == SPIRV_ExclusiveScan)
        wanted = to_2(b, IR_UCMP_LT, IR_BOOL, at, rank);
    else if (cluster)
        wanted = to_2(b, IR_ICMP_EQ, IR_BOOL, to_2(b, IR_UDIV, IR_U32, from, cluster),
                      to_2(b, IR_UDIV, IR_U32, lane, cluster));
    ssa_write(&b->s, v[1], to_select(b, wanted, join(b, r, s->bits, sum, other), sum));
    ssa_write(&b->s, v[0], to_add(b, at, 1));
    to_close_loop(b);
    b->s.unused[v[0]] = b->s.unused[v[1]] = true;
    return ssa_read(&b->s, v[1]);
}

static ir_value active(builder *b, const row *r, const to_scalar *s, ir_value x, unsigned operation,
                       ir_value cluster) {
    ir_value v = operation == SPIRV_Reduce ? reduce_words(b, r, s->bits, x) : 0;
    if (v)
        return v;
    bool scans = operation == SPIRV_InclusiveScan || operation == SPIRV_ExclusiveScan;
    if (scans && sums_words(r, s))
        return scan_all(b, r, s, x, operation == SPIRV_InclusiveScan);
    return serial(b, r, s, x, operation, cluster);
}

/* ---- A work-group ---- */

static void barrier(builder *b) {
    ir_value token = to_token(b);
    ssa_emit(&b->s, IR_BARRIER, IR_VOID, &token, 1, 0);
}

/* A slot per wave, or per component of one value. */
static to_pointer scratch(builder *b, ir_value index) {
    if (!b->scratch)
        b->scratch = to_take_local(b, SLOTS * SLOT, SLOT) + 1;
    ir_value at = to_scale(b, index, SLOT);
    uint64_t known;
    at = ir_is_const(to_func(b), at, &known) ? to_u32(b, known + b->scratch - 1)
                                             : to_add(b, at, b->scratch - 1);
    return (to_pointer){at, IR_LOCAL, IR_ANY_OBJECT};
}

static to_scalar slot_of(const to_scalar *s) {
    return (to_scalar){.type = s->type, .bits = s->bits};
}

static void store_if(builder *b, ir_value condition, ir_value index, const to_scalar *s,
                     ir_value x) {
    const to_scalar slot = slot_of(s);
    to_open_if(b, condition);
    to_store_scalar(b, scratch(b, index), &slot, SLOT, x);
    to_close_if(b);
}

/* Combines what the waves below `limit` have stored. */
static ir_value join_waves(builder *b, const row *r, const to_scalar *s, ir_value limit) {
    const to_scalar slot = slot_of(s);
    uint32_t *v = arena_alloc(&b->memory, 2 * sizeof *v);
    if (!v) {
        b->s.f->failed = true;
        return identity(b, r, s);
    }
    v[0] = to_variable(b, IR_U32, to_u32(b, 0));
    v[1] = to_variable(b, (ir_type)s->type, identity(b, r, s));
    to_open_loop(b, v, 2);
    ir_value at = ssa_read(&b->s, v[0]);
    to_break_if(b, to_2(b, IR_UCMP_GE, IR_BOOL, at, limit));
    ir_value other = to_load_scalar(b, scratch(b, at), &slot, SLOT);
    ssa_write(&b->s, v[1], join(b, r, s->bits, ssa_read(&b->s, v[1]), other));
    ssa_write(&b->s, v[0], to_add(b, at, 1));
    to_close_loop(b);
    b->s.unused[v[0]] = b->s.unused[v[1]] = true;
    return ssa_read(&b->s, v[1]);
}

/* The second barrier allows the memory to be reused. */
static ir_value over_group(builder *b, const row *r, const to_scalar *s, ir_value x,
                           unsigned operation) {
    ir_value wave = to_special(b, ISA_SR_WAVE_ID), total = reduce_all(b, r, s, x);
    ir_value lowest = to_2(b, IR_ICMP_EQ, IR_BOOL, to_special(b, ISA_SR_LANE_ID), to_u32(b, 0));
    store_if(b, lowest, wave, s, total);
    barrier(b);
    bool reduces = operation == SPIRV_Reduce;
    ir_value v = join_waves(b, r, s, reduces ? to_special(b, ISA_SR_NUM_WAVES) : wave);
    barrier(b);
    if (reduces)
        return v;
    return join(b, r, s->bits, v, scan_all(b, r, s, x, operation == SPIRV_InclusiveScan));
}

/* ---- Arithmetic ---- */

static bool is_group(builder *b, spirv_id scope, bool *group) {
    uint64_t number;
    if (!spirv_constant_number(to_module_of(b), scope, &number) ||
        (number != SPIRV_Scope_Workgroup && number != SPIRV_Scope_Subgroup))
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "the scope of a group function must be workgroup or subgroup");
    *group = number == SPIRV_Scope_Workgroup;
    return true;
}

static bool build_arithmetic(builder *b, const row *r) {
    to_value *v = &b->operands[0];
    unsigned operation = to_word(b, 4);
    bool group = false;
    ir_value cluster = 0;
    if (!is_group(b, to_word(b, 3), &group) || !to_read(b, to_word(b, 5), v))
        return false;
    if (group && !r->all)
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "non-uniform functions of a work-group are not supported");
    if (operation > SPIRV_ClusteredReduce || (operation == SPIRV_ClusteredReduce && r->all))
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "group operations other than reduce and scan are not supported");
    if (operation == SPIRV_ClusteredReduce && to_has_word(b, 6))
        cluster = to_read_index(b, to_word(b, 6));
    for (uint32_t k = 0; k < v->count && !b->failed; k++) {
        const to_scalar *s = &v->flat->list[k];
        if (group)
            v->v[k] = over_group(b, r, s, v->v[k], operation);
        else if (!r->all)
            v->v[k] = active(b, r, s, v->v[k], operation, cluster);
        else if (operation == SPIRV_Reduce)
            v->v[k] = reduce_all(b, r, s, v->v[k]);
        else
            v->v[k] = scan_all(b, r, s, v->v[k], operation == SPIRV_InclusiveScan);
    }
    to_write(b, v->v, v->count, TO_ANYWHERE);
    return !b->failed;
}

/* ---- Votes and broadcasts ---- */

static bool build_vote(builder *b, uint32_t value_word, bool any, bool may_be_group) {
    static const to_scalar bit = {.type = IR_BOOL, .bits = 1};
    const row r = {.joins = any ? OR : AND, .numbers = BOOL, .all = true};
    bool group = false;
    if (may_be_group && !is_group(b, to_word(b, 3), &group))
        return false;
    ir_value p = to_read_scalar(b, to_word(b, value_word));
    if (!p)
        return false;
    p = group ? over_group(b, &r, &bit, p, SPIRV_Reduce)
              : vote(b, any ? IR_WAVE_ANY : IR_WAVE_ALL, p);
    to_write(b, &p, 1, TO_ANYWHERE);
    return true;
}

/* The linear index of a local id of one to three components. */
static ir_value linear_index(builder *b, const to_value *id) {
    ir_value v = to_u32(b, 0);
    for (uint32_t k = id->count; k-- > 0;) {
        uint32_t known = to_func(b)->workgroup[k];
        ir_value size = known ? to_u32(b, known) : to_special(b, ISA_SR_WORKGROUP_SIZE_X + k);
        ir_value x = to_resize(b, id->v[k], id->flat->list[k].bits, 32, false);
        v = to_2(b, IR_IADD, IR_U32, to_2(b, IR_IMUL, IR_U32, v, size), x);
    }
    return v;
}

static bool broadcast_in_group(builder *b, to_value *v, const to_value *id) {
    if (v->count > SLOTS || id->count > 3)
        return to_fail(b, DIAG_E_SPIRV_LIMIT, "the value is too large to broadcast");
    ir_value mine = to_2(b, IR_ICMP_EQ, IR_BOOL, to_local_index(b), linear_index(b, id));
    for (uint32_t k = 0; k < v->count; k++)
        store_if(b, mine, to_u32(b, k), &v->flat->list[k], v->v[k]);
    barrier(b);
    for (uint32_t k = 0; k < v->count; k++) {
        const to_scalar slot = slot_of(&v->flat->list[k]);
        v->v[k] = to_load_scalar(b, scratch(b, to_u32(b, k)), &slot, SLOT);
    }
    barrier(b);
    return true;
}

static bool build_broadcast(builder *b) {
    to_value *v = b->operands;
    bool group = false;
    if (!is_group(b, to_word(b, 3), &group) || !to_read(b, to_word(b, 4), &v[0]) ||
        !to_read(b, to_word(b, 5), &v[1]))
        return false;
    if (group && !broadcast_in_group(b, &v[0], &v[1]))
        return false;
    ir_value lane = to_resize(b, v[1].v[0], v[1].flat->list[0].bits, 32, false);
    for (uint32_t k = 0; k < v[0].count && !group; k++)
        v[0].v[k] = move(b, IR_WAVE_BROADCAST, v[0].v[k], lane);
    to_write(b, v[0].v, v[0].count, v[0].space);
    return true;
}

/* Every lane chooses its source: by index, distance or mask. */
static bool build_move(builder *b, ir_op op, uint32_t value_word) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, value_word), v))
        return false;
    ir_value lane = to_read_index(b, to_word(b, value_word + 1));
    for (uint32_t k = 0; k < v->count && lane; k++)
        v->v[k] = move(b, op, v->v[k], lane);
    to_write(b, v->v, v->count, v->space);
    return lane != 0;
}

static bool build_first(builder *b, uint32_t value_word) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, value_word), v))
        return false;
    ir_value lane = first_lane(b);
    for (uint32_t k = 0; k < v->count; k++)
        v->v[k] = move(b, IR_WAVE_BROADCAST, v->v[k], lane);
    to_write(b, v->v, v->count, v->space);
    return true;
}

/* Floats are compared as numbers. */
static bool build_all_equal(builder *b, uint32_t value_word) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, value_word), v))
        return false;
    ir_value lane = first_lane(b), all = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        const to_scalar *s = &v->flat->list[k];
        ir_value other = move(b, IR_WAVE_BROADCAST, v->v[k], lane);
        unsigned op = s->type == IR_BOOL                       ? SPIRV_OpLogicalEqual
                      : s->type == IR_U32 || s->type == IR_U64 ? SPIRV_OpIEqual
                                                               : SPIRV_OpFOrdEqual;
        ir_value same = to_scalar_op(b, op, s->bits, v->v[k], other);
        all = all ? to_2(b, IR_BAND, IR_BOOL, all, same) : same;
    }
    all = vote(b, IR_WAVE_ALL, all ? all : ir_const(to_func(b), IR_BOOL, 1));
    to_write(b, &all, 1, TO_ANYWHERE);
    return true;
}

/* Lane l reads from l + distance, modulo the width of the wave or cluster. */
static bool build_rotate(builder *b) {
    to_value *v = &b->operands[0];
    ir_value lane = to_special(b, ISA_SR_LANE_ID), size = to_special(b, ISA_SR_WAVE_WIDTH);
    if (!to_read(b, to_word(b, 4), v))
        return false;
    ir_value distance = to_read_index(b, to_word(b, 5));
    if (to_has_word(b, 6))
        size = to_read_index(b, to_word(b, 6));
    if (!distance || !size)
        return false;
    ir_value within = to_2(b, IR_UMOD, IR_U32, lane, size);
    ir_value first = to_2(b, IR_ISUB, IR_U32, lane, within);
    ir_value from = to_2(b, IR_UMOD, IR_U32, to_2(b, IR_IADD, IR_U32, within, distance), size);
    from = to_2(b, IR_IADD, IR_U32, first, from);
    for (uint32_t k = 0; k < v->count; k++)
        v->v[k] = move(b, IR_WAVE_SHUFFLE, v->v[k], from);
    to_write(b, v->v, v->count, v->space);
    return true;
}

static bool build_elect(builder *b) {
    ir_value p = to_2(b, IR_ICMP_EQ, IR_BOOL, to_special(b, ISA_SR_LANE_ID), first_lane(b));
    to_write(b, &p, 1, TO_ANYWHERE);
    return true;
}

/* ---- Asynchronous copies: done immediately, by all work-items; waiting is a barrier ---- */

static ir_value element_at(builder *b, to_pointer p, ir_value index, uint32_t size) {
    return to_2(b, IR_IADD, IR_U32, p.offset, to_scale(b, index, size));
}

/* The scalars of an element. A vector of 3 components is copied like one of 4. */
static const to_flat *copied_scalars(builder *b, const spirv_type *type, to_flat *four,
                                     to_scalar list[4]) {
    const to_flat *flat = to_flat_in(b, type->id);
    if (!flat || type->kind != SPIRV_VECTOR || type->count != 3)
        return flat;
    for (uint32_t k = 0; k < 4; k++) {
        list[k] = flat->list[0];
        list[k].offset = k * type->size / 4;
    }
    *four = (to_flat){.list = list, .count = 4, .known = true};
    return four;
}

/* The stride applies to the side in global memory. */
static bool build_async_copy(builder *b) {
    to_pointer to, from;
    const spirv_type *type = to_type_of(b, to_word(b, 4));
    const spirv_type *element = spirv_type_at(to_module_of(b), type->element);
    to_flat four;
    to_scalar list[4];
    const to_flat *flat = element ? copied_scalars(b, element, &four, list) : NULL;
    if (!flat || !to_read_pointer(b, to_word(b, 4), &to) ||
        !to_read_pointer(b, to_word(b, 5), &from))
        return false;
    ir_value count = to_read_index(b, to_word(b, 6)), stride = to_read_index(b, to_word(b, 7));
    uint32_t *v = arena_alloc(&b->memory, sizeof *v);
    if (!count || !stride || !v)
        return false;
    v[0] = to_variable(b, IR_U32, to_local_index(b));
    to_open_loop(b, v, 1);
    ir_value at = ssa_read(&b->s, v[0]), far = to_2(b, IR_IMUL, IR_U32, at, stride);
    to_break_if(b, to_2(b, IR_UCMP_GE, IR_BOOL, at, count));
    bool reads_far = from.space != IR_LOCAL;
    from.offset = element_at(b, from, reads_far ? far : at, element->size);
    to.offset = element_at(b, to, reads_far ? at : far, element->size);
    to_load(b, from, flat, element->align, b->operands[0].v);
    to_store(b, to, flat, element->align, b->operands[0].v);
    ssa_write(&b->s, v[0], to_2(b, IR_IADD, IR_U32, at, to_group_threads(b)));
    to_close_loop(b);
    b->s.unused[v[0]] = true;
    ir_value event = to_u32(b, 0);
    to_write(b, &event, 1, TO_ANYWHERE);
    return true;
}

/* ---- The instruction ---- */

static bool build_other(builder *b, bool *known) {
    switch (b->insn->op) {
    case SPIRV_OpGroupAll: return build_vote(b, 4, false, true);
    case SPIRV_OpGroupAny: return build_vote(b, 4, true, true);
    case SPIRV_OpGroupNonUniformAll: return build_vote(b, 4, false, false);
    case SPIRV_OpGroupNonUniformAny: return build_vote(b, 4, true, false);
    case SPIRV_OpSubgroupAllKHR: return build_vote(b, 3, false, false);
    case SPIRV_OpSubgroupAnyKHR: return build_vote(b, 3, true, false);
    case SPIRV_OpGroupNonUniformAllEqual: return build_all_equal(b, 4);
    case SPIRV_OpSubgroupAllEqualKHR: return build_all_equal(b, 3);
    case SPIRV_OpGroupBroadcast: return build_broadcast(b);
    case SPIRV_OpGroupNonUniformBroadcast: return build_move(b, IR_WAVE_BROADCAST, 4);
    case SPIRV_OpGroupNonUniformBroadcastFirst: return build_first(b, 4);
    case SPIRV_OpSubgroupFirstInvocationKHR: return build_first(b, 3);
    case SPIRV_OpGroupNonUniformShuffle: return build_move(b, IR_WAVE_SHUFFLE, 4);
    case SPIRV_OpSubgroupReadInvocationKHR: return build_move(b, IR_WAVE_SHUFFLE, 3);
    case SPIRV_OpGroupNonUniformShuffleXor: return build_move(b, IR_WAVE_SHUFFLE_XOR, 4);
    case SPIRV_OpGroupNonUniformShuffleUp: return build_move(b, IR_WAVE_SHUFFLE_UP, 4);
    case SPIRV_OpGroupNonUniformShuffleDown: return build_move(b, IR_WAVE_SHUFFLE_DOWN, 4);
    case SPIRV_OpGroupNonUniformRotateKHR: return build_rotate(b);
    case SPIRV_OpGroupNonUniformElect: return build_elect(b);
    case SPIRV_OpGroupAsyncCopy: return build_async_copy(b);
    case SPIRV_OpGroupWaitEvents: barrier(b); return true;
    default: return to_ballot(b, known);
    }
}

bool to_group(builder *b, bool *known) {
    *known = true;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == b->insn->op)
            return build_arithmetic(b, &rows[k]);
    return build_other(b, known);
}
