/* Checks OpPhi against the predecessors of its block: each must be named exactly once, and nothing
 * else. */
#include "spirv/reader.h"

#include <stdlib.h>
#include <string.h>

/* All arrays have one entry per block of the current function. */
typedef struct phis {
    spirv_reader *r;
    const spirv_function *function;
    uint32_t *first;    /* where the predecessors of a block begin in `sources` */
    uint32_t *sources;  /* with duplicates: a switch may target a block twice */
    uint32_t *block_of; /* the last examined block whose predecessor it is; number + 1 */
    uint32_t *phi_of;   /* the OpPhi that named it last; word of the instruction */
    spirv_id *value_of; /* the value that OpPhi has for it */
} phis;

static void list_predecessors(const phis *p) {
    const spirv_function *f = p->function;
    memset(p->first, 0, (f->block_count + 1) * sizeof *p->first);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = 0; i < f->blocks[b].target_count; i++)
            p->first[f->blocks[b].targets[i] + 1]++;
    for (uint32_t b = 0; b < f->block_count; b++)
        p->first[b + 1] += p->first[b];
    for (uint32_t b = f->block_count; b-- > 0;)
        for (uint32_t i = 0; i < f->blocks[b].target_count; i++)
            p->sources[p->first[f->blocks[b].targets[i]]++] = b;
    memmove(p->first + 1, p->first, f->block_count * sizeof *p->first);
    p->first[0] = 0;
}

static bool check_pair(const phis *p, const spirv_insn *phi, uint32_t block, uint32_t at,
                       uint32_t *named) {
    const spirv_module *m = p->r->m;
    spirv_id value = spirv_word(m, phi, at), label = spirv_word(m, phi, at + 1);
    uint32_t from = m->defs[label].index;
    if (p->block_of[from] != block + 1)
        return spirv_fail(p->r, phi, DIAG_E_SPIRV_LAYOUT, "%%%u is not a predecessor of the block",
                          label);
    if (p->phi_of[from] != phi->word) {
        p->phi_of[from] = phi->word;
        p->value_of[from] = value;
        ++*named;
        return true;
    }
    if (p->value_of[from] != value)
        return spirv_fail(p->r, phi, DIAG_E_SPIRV_LAYOUT, "there are two values for %%%u", label);
    spirv_warn(p->r, phi, "%%%u is named twice", label);
    return true;
}

static bool check_phi(const phis *p, const spirv_insn *phi, uint32_t block, uint32_t count) {
    uint32_t named = 0;
    for (uint32_t at = 3; at + 1 < phi->count; at += 2)
        if (!check_pair(p, phi, block, at, &named))
            return false;
    return named == count || spirv_fail(p->r, phi, DIAG_E_SPIRV_LAYOUT,
                                        "it names %u predecessors; the block has %u", named, count);
}

static bool check_block(const phis *p, uint32_t b) {
    const spirv_block *block = &p->function->blocks[b];
    uint32_t count = 0;
    for (uint32_t i = p->first[b]; i < p->first[b + 1]; i++) {
        count += p->block_of[p->sources[i]] != b + 1;
        p->block_of[p->sources[i]] = b + 1;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        const spirv_insn *insn = &p->r->m->insns[block->first + i];
        if (insn->op == SPIRV_OpPhi && !check_phi(p, insn, b, count))
            return false;
    }
    return true;
}

static bool check_function(phis *p, const spirv_function *function) {
    p->function = function;
    list_predecessors(p);
    memset(p->block_of, 0, function->block_count * sizeof *p->block_of);
    memset(p->phi_of, 0, function->block_count * sizeof *p->phi_of);
    for (uint32_t b = 0; b < function->block_count; b++)
        if (!check_block(p, b))
            return false;
    return true;
}

/* The largest function determines the size. */
static bool make_room(phis *p) {
    const spirv_module *m = p->r->m;
    size_t blocks = 0, targets = 0;
    for (uint32_t i = 0; i < m->function_count; i++) {
        const spirv_function *f = &m->functions[i];
        size_t here = 0;
        for (uint32_t b = 0; b < f->block_count; b++)
            here += f->blocks[b].target_count;
        targets = here > targets ? here : targets;
        blocks = f->block_count > blocks ? f->block_count : blocks;
    }
    p->first = malloc((4 * blocks + 2 + targets) * sizeof *p->first);
    if (!p->first) {
        spirv_no_memory(p->r);
        return false;
    }
    p->block_of = p->first + blocks + 2;
    p->phi_of = p->block_of + blocks;
    p->value_of = p->phi_of + blocks;
    p->sources = p->value_of + blocks;
    return true;
}

bool spirv_check_phis(spirv_reader *r) {
    phis p = {.r = r};
    if (!make_room(&p))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < r->m->function_count && good; i++)
        good = check_function(&p, &r->m->functions[i]);
    free(p.first);
    return good;
}
