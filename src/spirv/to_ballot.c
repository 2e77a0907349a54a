/* Ballots: four words, of which a wave of up to 64 lanes fills two. */
#include "spirv/to_ir.h"

static ir_value lane_of(builder *b) {
    return to_special(b, ISA_SR_LANE_ID);
}

/* One of the 64 bits: bit (index & 31) of the word that contains it. */
static ir_value bit_at(builder *b, const to_value *v, ir_value index) {
    ir_value upper = to_2(b, IR_UCMP_GE, IR_BOOL, index, to_u32(b, 32));
    ir_value word = v->count > 1 ? to_select(b, upper, v->v[1], v->v[0]) : v->v[0];
    return to_from_bits(b, to_cut(b, to_2(b, IR_SHR, IR_U32, word, index), 1), IR_BOOL);
}

static bool build_ballot(builder *b, uint32_t word) {
    ir_value p = to_read_scalar(b, to_word(b, word));
    if (!p)
        return false;
    ir_value all = to_2(b, IR_WAVE_BALLOT64, IR_U64, to_token(b), p), zero = to_u32(b, 0);
    const ir_value v[4] = {to_1(b, IR_LO64, IR_U32, all), to_1(b, IR_HI64, IR_U32, all), zero,
                           zero};
    to_write(b, v, 4, TO_ANYWHERE);
    return true;
}

static bool build_bit(builder *b, bool own) {
    to_value *v = &b->operands[0];
    if (!to_read(b, to_word(b, 4), v))
        return false;
    ir_value index = own ? lane_of(b) : to_read_index(b, to_word(b, 5));
    if (!index)
        return false;
    ir_value p = bit_at(b, v, index);
    to_write(b, &p, 1, TO_ANYWHERE);
    return true;
}

/* The bits below the lane, or up to it, of one of the two words. */
static ir_value below(builder *b, unsigned k, bool inclusive) {
    ir_value lane = lane_of(b), bit = to_2(b, IR_SHL, IR_U32, to_u32(b, 1), lane);
    ir_value here = to_2(b, IR_ISUB, IR_U32, bit, to_u32(b, 1));
    if (inclusive)
        here = to_2(b, IR_OR, IR_U32, here, bit);
    ir_value upper = to_2(b, IR_UCMP_GE, IR_BOOL, lane, to_u32(b, 32));
    return k ? to_select(b, upper, here, to_u32(b, 0))
             : to_select(b, upper, to_u32(b, UINT32_MAX), here);
}

static bool build_count(builder *b) {
    to_value *v = &b->operands[0];
    unsigned operation = to_word(b, 4);
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 5), v))
        return false;
    ir_value sum = to_u32(b, 0);
    for (unsigned k = 0; k < 2 && k < v->count; k++) {
        ir_value word = v->v[k];
        if (operation != SPIRV_Reduce)
            word = to_2(b, IR_AND, IR_U32, word, below(b, k, operation == SPIRV_InclusiveScan));
        sum = to_2(b, IR_IADD, IR_U32, sum, to_1(b, IR_BITCOUNT, IR_U32, word));
    }
    sum = to_resize(b, sum, 32, flat->list[0].bits, false);
    to_write(b, &sum, 1, TO_ANYWHERE);
    return true;
}

/* The lowest or highest lane whose bit is set; undefined if there is none. */
static bool build_find(builder *b, bool highest) {
    to_value *v = &b->operands[0];
    const to_flat *flat = to_flat_in(b, b->insn->type);
    if (!flat || !to_read(b, to_word(b, 4), v) || v->count < 2)
        return false;
    ir_value n[2];
    for (unsigned k = 0; k < 2; k++) {
        ir_value zeros = highest ? to_1(b, IR_BITFIND, IR_U32, v->v[k])
                                 : to_1(b, IR_BITFIND, IR_U32, to_1(b, IR_BITREV, IR_U32, v->v[k]));
        n[k] = highest ? to_2(b, IR_ISUB, IR_U32, to_u32(b, 31 + 32 * k), zeros)
                       : to_add(b, zeros, 32 * k);
    }
    unsigned first = highest ? 1 : 0;
    ir_value empty = to_2(b, IR_ICMP_EQ, IR_BOOL, v->v[first], to_u32(b, 0));
    ir_value r = to_select(b, empty, n[1 - first], n[first]);
    r = to_resize(b, r, 32, flat->list[0].bits, false);
    to_write(b, &r, 1, TO_ANYWHERE);
    return true;
}

bool to_ballot(builder *b, bool *known) {
    switch (b->insn->op) {
    case SPIRV_OpGroupNonUniformBallot: return build_ballot(b, 4);
    case SPIRV_OpSubgroupBallotKHR: return build_ballot(b, 3);
    case SPIRV_OpGroupNonUniformInverseBallot: return build_bit(b, true);
    case SPIRV_OpGroupNonUniformBallotBitExtract: return build_bit(b, false);
    case SPIRV_OpGroupNonUniformBallotBitCount: return build_count(b);
    case SPIRV_OpGroupNonUniformBallotFindLSB: return build_find(b, false);
    case SPIRV_OpGroupNonUniformBallotFindMSB: return build_find(b, true);
    default: *known = false; return true;
    }
}
