/* Functions: parameters, blocks, and the targets of their terminators. phis.c checks OpPhi against
 * the predecessors. */
#include "spirv/reader.h"

#include <string.h>

typedef struct shape {
    spirv_reader *r;
    spirv_function *function;
    spirv_block *blocks;  /* room for the remaining ones */
    spirv_id *parameters; /* the same */
    uint32_t *targets;
    uint32_t at; /* instruction */
} shape;

static const spirv_insn *insn_at(const shape *s) {
    return &s->r->m->insns[s->at];
}

/* Instructions allowed between the parts of a function. */
static bool is_remark(const spirv_insn *insn) {
    return insn->op == SPIRV_OpLine || insn->op == SPIRV_OpNoLine || insn->op == SPIRV_OpNop;
}

/* ---- Targets ---- */

static bool add_target(shape *s, spirv_block *block, const spirv_insn *insn, spirv_id label) {
    uint32_t target = s->r->m->defs[label].index;
    if (target == 0)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT,
                          "it branches to the first block of the function");
    *s->targets++ = target;
    block->target_count++;
    return true;
}

static bool find_targets(shape *s, spirv_block *block, const spirv_insn *insn) {
    const spirv_module *m = s->r->m;
    block->targets = s->targets;
    spirv_cursor cursor = spirv_operands(m, insn);
    spirv_operand operand;
    while (spirv_next(m, insn, &cursor, &operand))
        if (operand.letter == 'l' &&
            !add_target(s, block, insn, spirv_word(m, insn, operand.index)))
            return false;
    return true;
}

/* ---- Blocks ---- */

static bool check_inside(const shape *s, const spirv_insn *insn, bool first_block) {
    if (insn->op == SPIRV_OpPhi && first_block)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT, "it is not allowed in the first block");
    if (insn->op != SPIRV_OpVariable)
        return true;
    if (!first_block)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT,
                          "a variable is not in the first block of its function");
    return spirv_word(s->r->m, insn, 3) == SPIRV_Function ||
           spirv_fail(s->r, insn, DIAG_E_SPIRV_FORM,
                      "a variable of a function must have storage class Function");
}

static bool shape_block(shape *s) {
    spirv_block *block = s->blocks++;
    bool first_block = s->function->block_count == 0, phis_over = false;
    block->label = insn_at(s)->result;
    block->first = ++s->at;
    s->function->block_count++;
    for (;; s->at++) {
        const spirv_insn *insn = insn_at(s);
        block->count++;
        if (insn->op == SPIRV_OpPhi && phis_over)
            return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT,
                              "it follows other instructions of its block");
        phis_over |= insn->op != SPIRV_OpPhi && !is_remark(insn);
        if (!check_inside(s, insn, first_block))
            return false;
        if (spirv_row_of(insn->op)->section == SECTION_END) {
            s->at++;
            return find_targets(s, block, insn);
        }
    }
}

/* ---- Functions ---- */

static bool check_type(const shape *s, const spirv_insn *insn) {
    const spirv_module *m = s->r->m;
    const spirv_type *type = spirv_type_at(m, spirv_word(m, insn, 4));
    if (type->kind != SPIRV_FUNCTION)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_TYPE, "its type is not a function type");
    return type->element == insn->type ||
           spirv_fail(s->r, insn, DIAG_E_SPIRV_TYPE, "its type returns a different type");
}

static bool shape_parameter(shape *s, const spirv_type *type) {
    const spirv_insn *insn = insn_at(s);
    uint32_t index = s->function->parameter_count++;
    if (index >= type->count || type->parameters[index] != insn->type)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_TYPE,
                          "the function's type has no such parameter %u", index);
    *s->parameters++ = insn->result;
    return true;
}

static bool check_whole(const shape *s, const spirv_insn *insn, const spirv_type *type) {
    bool imported;
    s->function->name = spirv_linkage_name(s->r->m, insn->result, &imported);
    if (s->function->parameter_count != type->count)
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_TYPE, "its type has %u parameters, it has %u",
                          type->count, s->function->parameter_count);
    if (imported != (s->function->block_count == 0))
        return spirv_fail(s->r, insn, DIAG_E_SPIRV_LAYOUT,
                          imported ? "the function is imported and has blocks"
                                   : "the function has no blocks and is not imported");
    return true;
}

static bool shape_function(shape *s) {
    spirv_module *m = s->r->m;
    const spirv_insn *start = insn_at(s);
    if (!check_type(s, start))
        return false;
    const spirv_type *type = spirv_type_at(m, spirv_word(m, start, 4));
    s->function = &m->functions[m->function_count++];
    *s->function = (spirv_function){.id = start->result,
                                    .type = type->id,
                                    .result = type->element,
                                    .insn = s->at++,
                                    .parameters = s->parameters,
                                    .blocks = s->blocks};
    while (insn_at(s)->op != SPIRV_OpFunctionEnd) {
        const spirv_insn *insn = insn_at(s);
        bool good = true;
        if (insn->op == SPIRV_OpLabel)
            good = shape_block(s);
        else if (insn->op == SPIRV_OpFunctionParameter)
            good = shape_parameter(s, type);
        if (!good)
            return false;
        s->at += insn->op != SPIRV_OpLabel;
    }
    s->at++;
    return check_whole(s, start, type);
}

/* The number of words bounds the number of parameters and targets. */
static bool make_room(shape *s) {
    spirv_module *m = s->r->m;
    size_t parameters = 0, targets = 0;
    for (uint32_t i = s->r->first_body; i < m->insn_count; i++) {
        const spirv_insn *insn = &m->insns[i];
        parameters += insn->op == SPIRV_OpFunctionParameter;
        if (spirv_row_of(insn->op)->section == SECTION_END)
            targets += insn->count;
    }
    m->functions = spirv_room(s->r, s->r->most_functions, sizeof *m->functions);
    s->blocks = spirv_room(s->r, s->r->most_blocks, sizeof *s->blocks);
    s->parameters = spirv_room(s->r, parameters, sizeof *s->parameters);
    s->targets = spirv_room(s->r, targets, sizeof *s->targets);
    return m->functions && s->blocks && s->parameters && s->targets;
}

bool spirv_shape(spirv_reader *r) {
    shape s = {.r = r, .at = r->first_body};
    if (!make_room(&s))
        return false;
    while (s.at < r->m->insn_count) {
        if (insn_at(&s)->op != SPIRV_OpFunction) {
            s.at++;
            continue;
        }
        if (!shape_function(&s))
            return false;
    }
    return spirv_check_phis(r);
}
